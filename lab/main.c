/* coterie-lab: baselines of the federations, and measurements. */
#include "cli/args/program.h"
#include "lab/lab.h"
#include "proto/version.h"

static const struct program_command commands[] = {
	{ "agc", "cluster pooled data, the baseline of kcagc (AGC)", agc_main },
	{ "gcc", "cluster pooled data, the best that parties can reach (GCC)", gcc_main },
	{ "spectral", "cluster a pooled graph, the best that parties can reach (FedSpectral)",
	  spectral_main },
	{ "fedgcn", "FedGCN with all parties in one process", fedgcn_local_main },
	{ "kmeans", "cluster pooled rows by k-means", kmeans_main },
	{ "sc", "cluster pooled rows by spectral clustering", sc_main },
	{ "dsc", "cluster rows by spectral clustering at each party (DSC)", dsc_main },
	{ "deepwalk", "embed the vertices of a pooled graph (DeepWalk)", deepwalk_main },
	{ "fedwalk", "embed the vertices of a pooled graph as FedWalk does", fedwalk_main },
	{ "classify", "how well embeddings tell classes", classify_main },
	{ "neighbours", "the vertices that embeddings put next to one", neighbours_main },
	{ "privacy", "what sums of parties show of features or rows, from pooled data",
	  privacy_main },
	{ "noise", "make random features for a graph, to take times on", noise_main },
};

int main(int argc, char **argv)
{
	struct program lab = {
		.name = "coterie-lab",
		.last = "It is for research, and is not installed.\n",
		.command = commands,
		.commands = sizeof(commands) / sizeof(*commands),
	};

	version_set(COTERIE_BUILD);
	lab.version = version_line("coterie-lab");
	return program_run(&lab, argc, argv);
}
