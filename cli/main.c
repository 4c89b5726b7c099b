/* coterie: all commands besides the daemons: keys, data, runs, results. */
#include "cli/args/program.h"
#include "cli/launch/launch.h"
#include "proto/version.h"

static const struct program_command commands[] = {
	{ "pki", "keys and certificates: init, request, sign, fingerprint", pki_main },
	{ "synth", "make data with planted clusters: a graph, or rows", synth_main },
	{ "split", "split data over parties by columns, rows, edges or vertices", split_main },
	{ "run", "one federated run in this process, for a first try or a debugger", run_main },
	{ "launch", "one federated run on this machine, in processes of their own", launch_main },
	{ "align", "ids that several files have in common, found as by parties", align_main },
	{ "job", "jobs of a coordinator that serves: submit, list, show, wait, cancel, log",
	  job_main },
	{ "status", "state of a daemon of this host: peers, jobs, queue, ledger, budgets",
	  status_main },
	{ "eval", "compare labels with the truth", eval_main },
	{ "predict", "clusters of new rows, by a party's model of a run of kmeans or fedsc",
	  predict_main },
	{ "fedgcn", "clusters of new graphs, by the model that a run of fedgcn left at a party",
	  fedgcn_main },
	{ "show", "summary of a run: accuracy, seconds, bytes", show_main },
	{ "report", "HTML report of a run", report_main },
	{ "compare", "compare runs: a table, a page, a CSV", compare_main },
	{ "ledger", "a party's egress: list, verify, export", ledger_main },
	{ "doctor", "check what a party or a coordinator needs, without a job", doctor_main },
	{ "prune", "delete old results and state (dry run by default)", prune_main },
	{ "approve", "approve or refuse a job that waits for approval", approve_main },
};

/* Commands that 0.2.0 had and that moved elsewhere. */
#define LAB(command)                                                                               \
	"now coterie-lab " command ", a program of the source tree: make lab builds it as "        \
	"build/bin/coterie-lab"
static const struct program_gone gone[] = {
	{ "import", "now python3 -m coterie.convert, of the Python package: see docs/data.md" },
	{ "agc", LAB("agc") },
	{ "gcc", LAB("gcc") },
	{ "spectral", LAB("spectral") },
	{ "kmeans", LAB("kmeans") },
	{ "sc", LAB("sc") },
	{ "dsc", LAB("dsc") },
	{ "deepwalk", LAB("deepwalk") },
	{ "fedwalk", LAB("fedwalk") },
	{ "classify", LAB("classify") },
	{ "neighbours", LAB("neighbours") },
	{ "privacy", LAB("privacy") },
	{ "fedgcn local", LAB("fedgcn") },
	{ "synth --edges", LAB("noise") },
	{ "launch --net", "now scripts/launch --net, in the source tree, after make lab" },
};

int main(int argc, char **argv)
{
	struct program coterie = {
		.name = "coterie",
		.last = "The daemons are programs of their own: coordinator and party.\n",
		.command = commands,
		.commands = sizeof(commands) / sizeof(*commands),
		.gone = gone,
		.gones = sizeof(gone) / sizeof(*gone),
	};

	version_set(COTERIE_BUILD);
	coterie.version = version_line("coterie");
	return program_run(&coterie, argc, argv);
}
