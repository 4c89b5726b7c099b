/* What fedsc and kmeans show. */
#include "common/job/leaks.h"

void leaks_fedsc(struct said *s, const struct job *job)
{
	bool paper = job->kind == JOB_FEDSC && job->fedsc_variant == JOB_FEDSC_PAPER;
	bool dense = job->kind == JOB_FEDSC && job->fedsc_variant == JOB_FEDSC_DENSE;
	bool anchor = job->kind == JOB_FEDSC && job->fedsc_variant == JOB_FEDSC_ANCHOR;

	say(s, true,
	    "coordinator and parties see the number of rows of all parties together, the mean and "
	    "the spread of each column, and the sizes of the clusters");
	say(s, paper,
	    "variant \"paper\" uploads each party's C and Z in clear: the coordinator can compute "
	    "every row of every party from them, and sees its cluster");
	say(s, !paper, "each party alone sees the clusters of its own rows");
	say(s, true,
	    "coordinator and parties see centres: means of at least min_cluster rows of all "
	    "parties, "
	    "in each round");
	say(s, true, "two rounds whose sets of rows differ by one row show that row");
	say(s, anchor,
	    "coordinator and parties see how often landmarks stand for the same row, summed over "
	    "all rows");
	say(s, dense || paper,
	    "coordinator and parties see the dictionary Z after each round, a mean over parties");
	say(s, (dense || paper) && job->participants,
	    "rounds in which the parties that take part differ by one show that party's factor, as "
	    "Z comes to rest");
	say(s, dense, "coordinator and parties see d x d sums of the rows' kernel features");
	say(s, job->noise == NOISE_NONE || !job->noise_eps, "a sum is not differential privacy");
}
