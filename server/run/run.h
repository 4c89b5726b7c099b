/* run.h -- the state of one job in the coordinator's job thread. Parties are numbered 0 .. L-1 in
 * the order of their names everywhere. */
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
	const char *submitter; /* name of the user or service that submitted the job */
	size_t L;
	const char *const *name;        /* L names, ascending */
	struct channel *const *channel; /* L channels, in the order of names */
	struct mailbox *mailbox;
	struct record *record;
	unsigned threads;
	uint64_t max_memory; /* limit of the job's memory in bytes; 0: no limit */
	/* Seconds from the time when all parties have accepted; 0: no limit. */
	unsigned job_timeout_s;
	const struct numbering *numbering; /* makes numbering keys; NULL: each is drawn at random */
	/* If secure_sum.fraction_bits is "auto": fraction bits of sums in words of modulus_bits. */
	int fraction;
	/* Key that numbers the nodes in all attempts at this job: NUMBERING_KEY_LEN bytes. NULL:
	 * each attempt draws a key. */
	const uint8_t *numbers;
	/* Number of nodes or rows. Set once all parties have accepted; if job.align is not "same",
	 * once rows are matched; for fedsc, kmeans, fedspectral, fedwalk and fedgcn (graphs), after
	 * their first step. */
	size_t n;
	size_t columns;     /* columns of the features; for fedgcn, attributes of a node */
	void *protocol;     /* result of the kind's run() for its keep(); owned */
	double *confidence; /* n numbers, one per label (common/data/labels.h), or NULL; owned */
	const char *output;
	bool compares; /* parties compare the values broadcast to them (server/run/relay.h) */
	unsigned phase;
	uint64_t sums_opened; /* number of sums broadcast in this attempt */
	/* Number of sums over all parties before the kind's first sum. The kind's rounds continue
	 * this count. */
	uint64_t rounds_before;
	unsigned compared[TREE_NODES_MAX]; /* per group: the phase of its last comparison */
	bool more;                         /* another attempt follows if this one is cut short */
	/* Path of job.state (server/daemon/attempt.h), or NULL. */
	const char *state;
};

/* Ends the record's current step. */
void run_step(struct run *run);
/* Begins a phase: sets its name in the record, the log and the channels' errors. The name has at
 * most 23 bytes, and is copied. */
void run_phase(struct run *run, const char *name);
/* Logs and records an estimate of the memory that the job takes in this process. Call once n is
 * known, and columns if the kind has them. ERR_INPUT: the estimate exceeds max_memory or this
 * process's memory. */
enum err run_check_memory(struct run *run) MUST_CHECK;
void run_progress(struct run *run, unsigned iteration, size_t moved);

/* Sends the message to parties [first, last). */
enum err run_broadcast(struct run *run, size_t first, size_t last, const struct msg *m) MUST_CHECK;
enum err run_broadcast_labels(struct run *run, size_t first, size_t last, enum msg_type type,
			      uint32_t group, uint32_t values, const uint32_t *label,
			      size_t count) MUST_CHECK;

/* Calls channel_warm() for all channels. Call when all is sent, before waiting for answers. */
enum err run_warm(struct run *run) MUST_CHECK;

/* Return the fixed-point format for a sum of `members` terms. run_fixed(): the format that the job
 * sets (secure_sum). run_fixed_wide(): the widest format, with 64 bits and JOB_WIDE_FRACTION
 * fraction bits. */
struct fixed run_fixed(const struct run *run, size_t members);
struct fixed run_fixed_wide(size_t members);

#endif
