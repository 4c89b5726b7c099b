/* coterie: what is not a daemon. Keys, made-up and split data, results. */
#include "common/base/file.h"
#include "cli/args/args.h"
#include "cli/launch/launch.h"
#include "common/data/value.h"
#include "common/linalg/la.h"
#include "proto/version.h"

#include <stdio.h>
#include <string.h>

static const struct command {
	const char *name, *text;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "pki", "keys and certificates: init, request, sign, fingerprint", pki_main },
	{ "import", "make a data directory of a table, a matrix or a graph", import_main },
	{ "synth", "make data with planted clusters: a graph, or rows", synth_main },
	{ "split", "split data over parties by columns, rows, edges or vertices", split_main },
	{ "run", "one federated run in this process, for a first try or a debugger", run_main },
	{ "launch", "one federated run on this machine, in processes of their own", launch_main },
	{ "align", "which ids several files have in common, found as parties would", align_main },
	{ "job", "jobs of a coordinator that serves: submit, list, show, wait, cancel, log",
	  job_main },
	{ "status", "what a daemon of this host does: peers, jobs, queue, ledger, budgets",
	  status_main },
	{ "eval", "compare labels with the truth", eval_main },
	{ "agc", "cluster pooled data, the baseline (AGC)", agc_main },
	{ "gcc", "cluster pooled data, the best that parties can reach (GCC)", gcc_main },
	{ "spectral", "cluster a pooled graph, the best that parties can reach (FedSpectral)",
	  spectral_main },
	{ "predict", "clusters of new rows, by what a run of kmeans or fedsc left at a party",
	  predict_main },
	{ "fedgcn", "assign graphs by a model; FedGCN with all parties in one process",
	  fedgcn_main },
	{ "privacy", "what shared sums tell about features, from pooled data", privacy_main },
	{ "kmeans", "cluster pooled rows by k-means", kmeans_main },
	{ "sc", "cluster pooled rows by spectral clustering", sc_main },
	{ "dsc", "cluster rows by spectral clustering at each party (DSC)", dsc_main },
	{ "deepwalk", "embed the vertices of a pooled graph (DeepWalk)", deepwalk_main },
	{ "fedwalk", "embed the vertices of a pooled graph as FedWalk does", fedwalk_main },
	{ "classify", "how well embeddings tell classes", classify_main },
	{ "neighbours", "which vertices embeddings put next to one", neighbours_main },
	{ "show", "what a run did: accuracy, seconds, bytes", show_main },
	{ "report", "a page to look at of what a run did", report_main },
	{ "compare", "runs beside each other: a table, one page, one CSV", compare_main },
	{ "ledger", "what left a party: list, verify, export", ledger_main },
	{ "doctor", "what a party or a coordinator needs, looked at without a job", doctor_main },
	{ "prune", "old results and state go, once one has seen which", prune_main },
	{ "approve", "answer a job that waits for a person", approve_main },
};
enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static void usage(FILE *f)
{
	fprintf(f, "Usage: coterie COMMAND [OPTION...]\n\n");
	for (int i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].text);
	fprintf(f, "\ncoterie COMMAND --help says more; coterie --version says which one this is.\n"
		   "The daemons are programs of their own: coordinator and party.\n");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	int status = ERR_INPUT;

	file_hold_standard();
	values_show();
	version_set(COTERIE_BUILD);
	la_begin(argv);
	if (name && (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))) {
		usage(stdout);
		status = ERR_OK;
	} else if (name && (!strcmp(name, "--version") || !strcmp(name, "-V"))) {
		printf("%s\n", version_line("coterie"));
		status = ERR_OK;
	} else {
		const struct command *c = NULL;

		for (int i = 0; name && i < COMMANDS; i++) {
			if (!strcmp(name, commands[i].name))
				c = &commands[i];
		}
		if (c) {
			status = c->run(argc - 1, argv + 1);
		} else {
			if (name)
				fprintf(stderr, "coterie: %s: no such command\n", name);
			usage(stderr);
		}
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("coterie: standard output");
		return ERR_JOB;
	}
	return status;
}
