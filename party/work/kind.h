/* kind.h -- the party side of a kind of job, as a table. Each protocol's folder defines its own
 * (protocols/fedsc/party/kind.c), and protocols/kinds.def lists them. Only members whose comment
 * says so may be NULL. */
#ifndef PARTY_WORK_KIND_H
#define PARTY_WORK_KIND_H

#include "common/job/daemon.h"
#include "common/kind/kind.h"
#include "party/work/work.h"

/* The smallest sum of this job, to compare with policy.min_parties. */
struct party_sums {
	size_t least;           /* members of its smallest sum */
	const char *of, *which; /* the cause: "method", "tree" */
	const char *hint;       /* how to make sums larger: a clause, or "" */
};

struct party_kind {
	/* ---- consent: from the offer alone, before data are touched ---- */
	/* NULL: one sum over all parties. */
	struct party_sums (*sums)(const struct work *work);
	/* Checks the kind's own policy: min_cell, min_cluster, methods, ... ERR_PEER. NULL:
	 * none. */
	enum err (*allow)(const struct party_config *config, const struct work *work);
	/* Called if policy.max_eps is set: checks that the job claims as much privacy. ERR_PEER.
	 * NULL: no job of the kind claims any. */
	enum err (*allow_eps)(const struct party_config *config, const struct work *work);
	const char *accept; /* description of what ACCEPT discloses about the data */
	/* Returns why this job cannot run if data lie on ranks (party/ranks/workers.h), as a
	 * clause; NULL: it can run. If the member is NULL, no job of the kind can. */
	const char *(*off_ranks)(const struct work *work);

	/* ---- before the keys; work has the data ---- */
	/* Checks data beyond kind->needs. ERR_INPUT. NULL: nothing to check. */
	enum err (*check_data)(struct work *work);
	/* Completes ACCEPT. Not called if rows are matched (job.align). NULL: nothing to add. */
	enum err (*describe)(const struct work *work, struct msg_accept *accept);
	/* Computes while the others' keys are awaited. If rows are matched, it runs after that, on
	 * the matched rows. label as for run. NULL: nothing to compute. */
	enum err (*begin)(struct work *work, uint32_t *label);

	/* ---- the protocol, and its results ---- */
	/* Runs the protocol. label: one for each of this party's own rows, nodes or graphs. */
	enum err (*run)(struct work *work, uint32_t *label);
	/* Writes the result into work->output and facts into the record. ERR_JOB. */
	enum err (*keep)(struct work *work, const uint32_t *label);
	void (*forget)(
	    struct work *work); /* after a failure, removes files of run in work->state; or NULL */
	/* Frees work->protocol and sets it to NULL. NULL: free() suffices. */
	void (*release)(struct work *work);
};

const char *party_off_ranks(const struct work *work); /* as off_ranks of work->side */

/* ---- members that several kinds have ---- */

/* Checks policy.min_cluster, for numbers made of `things`: "sums of %u rows". */
enum err party_allow_clusters(const struct party_config *config, unsigned min_cluster,
			      const char *things) MUST_CHECK;
/* Checks that the claim of job.noise.eps and delta is within policy.max_eps and max_delta. */
enum err party_allow_claim(const struct party_config *config, const struct work *work) MUST_CHECK;

enum err party_check_rows(struct work *work) MUST_CHECK; /* at least two */
enum err party_describe_columns(const struct work *work, struct msg_accept *accept) MUST_CHECK;

/* Writes labels.csv and labels.npy, by id. */
enum err party_keep_labels(struct work *work, const uint32_t *label) MUST_CHECK;

#endif
