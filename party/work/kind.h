/* kind.h -- the party side of a kind of job, as a table. The folder of each protocol defines its
 * table (for example protocols/fedsc/party/kind.c), and protocols/kinds.def lists all tables. Only
 * members whose comment says so may be NULL. */
#ifndef PARTY_WORK_KIND_H
#define PARTY_WORK_KIND_H

#include "common/job/daemon.h"
#include "common/kind/kind.h"
#include "party/work/work.h"

/* The sum of this job with the fewest members, to compare with policy.min_parties. */
struct party_sums {
	size_t least; /* number of its members */
	/* `of`: the parameter that causes this sum, such as "method" or "kind". `which`: its
	 * value. */
	const char *of, *which;
	const char *hint; /* how to make sums larger, as a clause; or "" */
};

struct party_kind {
	/* ---- consent: from the offer alone, before data are touched ---- */
	/* Returns the sum with the fewest members. NULL: the job's sums are over all parties. */
	struct party_sums (*sums)(const struct work *work);
	/* Checks the kind's own policy: min_cell, min_cluster, methods, ... ERR_PEER: the policy
	 * forbids the job. NULL: the kind has no policy of its own. */
	enum err (*allow)(const struct party_config *config, const struct work *work);
	/* Checks that the job claims as much privacy as policy.max_eps demands. Called if
	 * max_eps is set. ERR_PEER: its claim does not suffice. NULL: no job of the kind claims
	 * privacy. */
	enum err (*allow_eps)(const struct party_config *config, const struct work *work);
	const char *accept; /* description of the data that ACCEPT discloses */
	/* Returns, as a clause, why this job cannot run if data lie on ranks
	 * (party/ranks/workers.h). Returns NULL if the job can run there. If the member itself
	 * is NULL, no job of the kind can run there. */
	const char *(*off_ranks)(const struct work *work);

	/* ---- before the keys; work has the data ---- */
	/* Checks data beyond kind->needs. ERR_INPUT. NULL: nothing to check. */
	enum err (*check_data)(struct work *work);
	/* Completes ACCEPT. Not called if the job matches rows (job.align). NULL: nothing to
	 * add. */
	enum err (*describe)(const struct work *work, struct msg_accept *accept);
	/* Computes while the keys of other parties are awaited. If the job matches rows,
	 * computes after the match, on the matched rows. label: as for `run`. NULL: nothing to
	 * compute. */
	enum err (*begin)(struct work *work, uint32_t *label);

	/* ---- the protocol, and its results ---- */
	/* Runs the protocol. label: one label for each of this party's own rows, nodes or
	 * graphs. */
	enum err (*run)(struct work *work, uint32_t *label);
	/* Writes the result into work->output, and facts into the record. ERR_JOB: a file cannot be
	 * written. */
	enum err (*keep)(struct work *work, const uint32_t *label);
	/* Removes the files that `run` has left in work->state, after a failure. NULL: there are
	 * none. */
	void (*forget)(struct work *work);
	/* Frees work->protocol and sets it to NULL. NULL: free() suffices. */
	void (*release)(struct work *work);
};

/* Returns what off_ranks() of work->side returns or, if it is NULL, a reason. */
const char *party_off_ranks(const struct work *work);

/* ---- members that several kinds have ---- */

/* Checks that the job's min_cluster is at least policy.min_cluster. things: the numbers that the
 * job computes, for the error, such as "sums of 5 rows". */
enum err party_allow_clusters(const struct party_config *config, unsigned min_cluster,
			      const char *things) MUST_CHECK;
/* Checks that the job claims differential privacy, with eps and delta at most policy.max_eps and
 * max_delta. */
enum err party_allow_claim(const struct party_config *config, const struct work *work) MUST_CHECK;

/* Checks that the party has at least two rows. */
enum err party_check_rows(struct work *work) MUST_CHECK;
enum err party_describe_columns(const struct work *work, struct msg_accept *accept) MUST_CHECK;

/* Writes labels.csv and labels.npy in the order of the party's files, and records cluster sizes and
 * confidence. ERR_JOB: a file cannot be written. */
enum err party_keep_labels(struct work *work, const uint32_t *label) MUST_CHECK;

#endif
