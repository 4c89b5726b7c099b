/* work.h -- one job as a party's job thread runs it.
 *
 * The protocol's file (kcagc.c) stands on this: the channel to the coordinator, this party's
 * data, and secure_send for everything numerical that leaves the house.
 */
#ifndef PARTY_WORK_H
#define PARTY_WORK_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "common/job/record.h"
#include "common/job/tree.h"
#include "common/math/embed.h"
#include "crypto/secagg.h"
#include "proto/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct answers;

struct work {
	struct job job; /* the effective job, as offered and accepted */
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	size_t L, own; /* parties, and this one's number among the sorted names */
	char name[PARTIES_MAX][MSG_NAME_MAX + 1];
	struct channel *channel; /* to the coordinator */
	struct post *post;
	struct record *record;
	struct secagg *secagg;               /* once keys are agreed */
	uint8_t transcript[SECAGG_HASH_LEN]; /* of the broadcasts the current group has seen */
	struct features *features;           /* this party's slice: used up by the protocol */
	const struct graph *graph;
	struct model *model; /* predict: what it predicts with; else what the run leaves, or NULL */
	size_t n;             /* nodes, or rows */
	unsigned min_cluster; /* policy: fewest rows behind any sum of rows */
	struct answers
	    *begun; /* landmark: what was computed while keys were awaited, or NULL; owned */
	unsigned threads;
	_Atomic bool offered; /* an offer has come: from here on a stop cuts a job */
};

/* Names the phase that begins, in the record, the log and the channel's errors. */
void work_phase(struct work *work, const char *name);
void work_progress(struct work *work, unsigned iteration, size_t moved);

/* All is sent, an answer is waited for: channel_warm(). */
enum err work_warm(struct work *work) MUST_CHECK;
/* And in the next turn little is to be said: channel_warm_on(). */
enum err work_warm_on(struct work *work, size_t spare) MUST_CHECK;

/* A group's broadcasts are hashed from here on: the running hash goes into the key of each of the
 * group's sums, so that members who were told different things get masks that do not cancel. */
void work_group(struct work *work, uint32_t group);
void work_observe(void *work, enum msg_type type, struct bytes body); /* a channel_observer */

/* A vector of labels in which every item has a cluster: what would come of one that has none reads
 * past the centres. */
enum err work_recv_clusters(struct work *work, enum msg_type type, const struct tree_node *node,
			    uint32_t k, uint32_t *label, size_t count) MUST_CHECK;

#endif
