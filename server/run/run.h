/* run.h -- one job as the coordinator's job thread runs it: who takes part, and what is known. Parties
 * are numbered 0 .. L-1 in the order of their names everywhere. */
#ifndef SERVER_RUN_RUN_H
#define SERVER_RUN_RUN_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "common/job/record.h"
#include "crypto/fixed.h"
#include "proto/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run {
	struct job job; /* the effective job */
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	const char *submitter;          /* who wants it */
	size_t L;                       /* parties */
	const char *const *name;        /* L names, rising */
	struct channel *const *channel; /* L channels, in the same order */
	struct post *post;              /* of all channels */
	struct record *record;
	unsigned threads;      /* of numerical loops */
	uint64_t max_memory; /* bytes; 0: no bound */
	unsigned job_timeout_s; /* once all have accepted; 0: for ever */
	const struct numbering *numbering; /* NULL: keys are drawn */
	int fraction;          /* bits behind the point of sums in the job's words, where it says "auto" */
	const uint8_t *numbers; /* NUMBERING_KEY_LEN bytes of this job, for all its attempts; NULL: drawn for each */
	size_t n;              /* nodes: known once all parties have accepted, to fedsc, kmeans,
				  fedspectral, fedwalk and fedgcn (graphs) after their first step */
	size_t columns;        /* fedsc, kmeans: m; fedgcn: attributes of a node */
	float *embedding;      /* fedwalk: what is kept of all vertices, or NULL; owned */
	double *confidence;    /* n, of each label (common/data/labels.h); NULL: there is none; owned */
	const char *output;    /* directory of results; fedgcn leaves its model there */
	bool tell;             /* parties exchange what they were told (server/run/relay.h) */
	unsigned phase;        /* how many have begun */
	uint64_t sums_told;    /* to all, in this attempt */
	uint64_t rounds_before; /* sums of all parties before the kind's first: its rounds go on from here */
	unsigned told[TREE_NODES_MAX]; /* by group: the phase in which it last did */
	bool more;             /* if this attempt is cut short, another one follows */
	const char *state;     /* the file of server/daemon/attempt.h; NULL: none */
};

/* Ends the record's current step. */
void run_step(struct run *run);
/* Names the phase that begins in the record, the log and the channels' errors; up to 23 bytes, copied. */
void run_phase(struct run *run, const char *name);
/* n, and columns where the kind says them, are known: how much memory the job will take here goes into log and
 * record. ERR_INPUT: more than max_memory. */
enum err run_check_room(struct run *run) MUST_CHECK;
void run_progress(struct run *run, unsigned iteration, size_t moved);

/* The same message to parties [first, last). */
enum err run_broadcast(struct run *run, size_t first, size_t last, const struct msg *m) MUST_CHECK;
enum err run_broadcast_labels(struct run *run, size_t first, size_t last, enum msg_type type,
			      uint32_t group, uint32_t values, const uint32_t *label,
			      size_t count) MUST_CHECK;

/* All is sent, answers are waited for: channel_warm() to all. */
enum err run_warm(struct run *run) MUST_CHECK;

/* Fixed point for a sum of so many: the job's; and the widest, 64 bits, JOB_WIDE_FRACTION of them
 * behind the point. */
struct fixed run_fixed(const struct run *run, size_t members);
struct fixed run_fixed_wide(size_t members);

#endif
