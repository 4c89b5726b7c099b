/* kind.h -- a party's half of a kind of job, as a table: each protocol's folder has its own
 * (protocols/fedsc/party/kind.c), protocols/kinds.def lists them. Members that say so may be
 * NULL; others may not. */
#ifndef PARTY_WORK_KIND_H
#define PARTY_WORK_KIND_H

#include "common/job/daemon.h"
#include "common/kind/kind.h"
#include "party/work/work.h"

/* The smallest sum of this job, for policy.min_parties. */
struct party_sums {
	size_t least;           /* members of its smallest sum */
	const char *of, *which; /* the cause: "method", "tree" */
	const char *hint;       /* how to make sums larger: a clause, or "" */
};

struct party_kind {
	/* ---- consent: from the offer alone, before data are touched ---- */
	/* NULL: one sum over all parties. */
	struct party_sums (*sums)(const struct work *work);
	/* The kind's own policy: min_cell, min_cluster, methods, ... ERR_PEER. NULL: none. */
	enum err (*allow)(const struct party_config *config, const struct work *work);
	/* Called where policy.max_eps is given: is so much privacy claimed? ERR_PEER. NULL: no job
	 * of the kind claims any. */
	enum err (*allow_eps)(const struct party_config *config, const struct work *work);
	const char *accept; /* contents of ACCEPT about the data, in words */
	/* Why this job cannot run where data lie on ranks (party/ranks/workers.h): a clause; NULL:
	 * it can. The member NULL: no job of the kind can. */
	const char *(*off_ranks)(const struct work *work);

	/* ---- before the keys; work has the data ---- */
	/* Data beyond kind->needs. ERR_INPUT. NULL: nothing to check. */
	enum err (*check_data)(struct work *work);
	/* Not called where rows are matched (job.align). NULL: nothing to add. */
	enum err (*describe)(const struct work *work, struct msg_accept *accept);
	/* Computed while the others' keys are awaited; where rows are matched after that, the data
	 * being those rows from then on. label as for run. NULL: nothing to begin. */
	enum err (*begin)(struct work *work, uint32_t *label);

	/* ---- the protocol, and its results ---- */
	/* label: one for each of this party's own rows, nodes or graphs. */
	enum err (*run)(struct work *work, uint32_t *label);
	/* Writes the result into work->output and facts into the record. ERR_JOB. */
	enum err (*keep)(struct work *work, const uint32_t *label);
	void (*forget)(
	    struct work *work); /* or NULL: the job failed: removes files of run in work->state */
	/* Frees work->protocol and sets it to NULL. NULL: free() alone does that. */
	void (*release)(struct work *work);
};

const char *party_off_ranks(const struct work *work); /* of work->half */

/* ---- members that several kinds have ---- */

/* policy.min_cluster, for numbers made of `things`: "sums of %u rows". */
enum err party_allow_clusters(const struct party_config *config, unsigned min_cluster,
			      const char *things) MUST_CHECK;
/* A claim by job.noise.eps and delta, within policy.max_eps and max_delta. */
enum err party_allow_claim(const struct party_config *config, const struct work *work) MUST_CHECK;

enum err party_check_rows(struct work *work) MUST_CHECK; /* two or more */
enum err party_describe_columns(const struct work *work, struct msg_accept *accept) MUST_CHECK;

/* labels.csv and labels.npy, by id. */
enum err party_keep_labels(struct work *work, const uint32_t *label) MUST_CHECK;

#endif
