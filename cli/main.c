/* coterie: all commands except the daemons: keys, data, runs, results. */
#include "cli/args/program.h"
#include "cli/launch/launch.h"
#include "proto/version.h"

static const struct program_command commands[] = {
	{ "pki", "keys and certificates: init, request, sign, fingerprint", pki_main },
	{ "synth", "make data with planted clusters: a graph, or rows", synth_main },
	{ "split", "split data over parties by columns, rows, edges or vertices", split_main },
	{ "run", "federated run in this process, for a first try or a debugger", run_main },
	{ "launch", "federated run on this machine, in separate processes", launch_main },
	{ "align", "common ids of several files, found as between parties", align_main },
	{ "job", "jobs of a coordinator that serves: submit, list, show, wait, cancel, log",
	  job_main },
	{ "results", "labels, profile and run.json of a job, from a daemon elsewhere",
	  results_main },
	{ "status", "state of a daemon of this host: peers, jobs, queue, ledger, budgets",
	  status_main },
	{ "eval", "compare labels with the truth", eval_main },
	{ "predict", "clusters of new rows, by the model of a kmeans or fedsc run", predict_main },
	{ "fedgcn", "clusters of new graphs, by the model of a fedgcn run", fedgcn_main },
	{ "show", "summary of a run: accuracy, seconds, bytes", show_main },
	{ "report", "HTML report of a run", report_main },
	{ "compare", "compare runs: a table, a page, a CSV", compare_main },
	{ "ledger", "a party's egress: list, verify, export", ledger_main },
	{ "doctor", "check what a party or a coordinator needs, without a job", doctor_main },
	{ "prune", "delete old results and state (dry run by default)", prune_main },
	{ "approve", "approve or refuse a job that waits for approval", approve_main },
};

/* Commands of 0.2.0 that have moved. */
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

static const struct program_example examples[] = {
	{ "pki init", "  coterie pki init --dir ca --name 'Our group'" },
	{ "pki request", "  coterie pki request --name bank-a\n"
			 "  coterie pki request --name hub --role coordinator --key-type p256 \\\n"
			 "      --host hub.example.org" },
	{ "pki sign", "  coterie pki sign --ca ca bank-a.csr" },
	{ "pki fingerprint", "  coterie pki fingerprint hub.crt" },
	{ "pki show", "  coterie pki show bank-a.crt" },
	{ "pki lab", "  coterie pki lab --out pki --parties 4" },
	{ "synth", "  coterie synth --nodes 2000 --features 60 --clusters 5 --out data\n"
		   "  coterie synth --points --out points" },
	{ "split", "  coterie split --by columns --parties 2 --data data --out banks" },
	{ "run", "  coterie run --data points --job kmeans.json --set clusters=5 --parties 3" },
	{ "launch", "  coterie launch --data data --job job.json --parties 4 --out out/first\n"
		    "  coterie launch --data points --job kmeans-columns.json --set clusters=5 \\\n"
		    "      --parties 2" },
	{ "align", "  coterie align bank-a/ids.txt bank-b/ids.txt --out common" },
	{ "job", "  coterie job submit job.json --wait\n"
		 "  coterie job list\n"
		 "  coterie job log 1 -f" },
	{ "status", "  coterie status\n"
		    "  coterie status --config party.json --json" },
	{ "eval", "  coterie eval --truth labels.txt out/party-00/labels.csv" },
	{ "predict", "  coterie predict --model out/model.rows --data new-rows --out placed" },
	{ "fedgcn assign",
	  "  coterie fedgcn assign --model out/model.fedgcn --graphs NEW --out placed" },
	{ "show", "  coterie show out/first --truth data/labels.txt\n"
		  "  coterie show out/first --verbose" },
	{ "report", "  coterie report out/party-00\n"
		    "  coterie report out/first --truth data/labels.txt --output report.html" },
	{ "compare", "  coterie compare out/first out/second --csv runs.csv" },
	{ "ledger", "  coterie ledger list --state out/state\n"
		    "  coterie ledger verify --state out/state\n"
		    "  coterie ledger budget --config party.json" },
	{ "doctor", "  coterie doctor --config party.json" },
	{ "prune", "  coterie prune out --days 30\n"
		   "  coterie prune out --days 30 --yes" },
	{ "approve", "  coterie approve --state out/state --list\n"
		     "  coterie approve --state out/state 4f2b" },
	{ 0 },
};

int main(int argc, char **argv)
{
	struct program coterie = {
		.name = "coterie",
		.last = "The daemons are separate programs: coordinator and party.\n",
		.command = commands,
		.commands = sizeof(commands) / sizeof(*commands),
		.gone = gone,
		.gones = sizeof(gone) / sizeof(*gone),
		.example = examples,
	};

	version_set(COTERIE_BUILD);
	coterie.version = version_line("coterie");
	return program_run(&coterie, argc, argv);
}
