/* work.h -- one job as a party's job thread runs it. All egress goes through secure_send(). */
#ifndef PARTY_WORK_WORK_H
#define PARTY_WORK_WORK_H

#include "common/base/err.h"
#include "common/job/job.h"
#include "common/job/record.h"
#include "common/kind/tree.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"
#include "common/graph/graph.h"
#include "crypto/secagg.h"
#include "proto/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct columns;
struct dataset;
struct graphs;
struct leaving;
struct party_kind;
struct noise_source;
struct workers;

/* Whether all parties were told the same: told.c. */
struct told {
	bool on;    /* told_begin() */
	bool apart; /* received values are for this party alone: in no transcript */
	bool heard; /* the current group was told something */
	bool said;  /* in this phase */
	/* the current group is of [first, last); before any all parties: 0, 0 */
	size_t first, last;
	uint64_t number[PARTIES_MAX]; /* by party: words that the two have said to each other */
	bool waiting;                 /* TOLD is due, */
	size_t with[2]; /* of members with[0] .. with[1] - 1, this party among them, */
	uint8_t expect[MSG_TOLD_LEN]; /* and is this, if all were told the same */
};

struct work {
	struct job job;                /* the effective job, as offered and accepted */
	uint8_t job_hash[HASH_LEN];    /* of its bytes in the offer */
	char subject[JOB_KEY_MAX + 1]; /* the parameter or the party for which it is declined */
	const struct party_kind *half; /* of its kind */
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	size_t L, own; /* parties, and this one's number among the sorted names */
	char name[PARTIES_MAX][MSG_NAME_MAX + 1];
	/* Parties that began with them and were left out, in that order, and the attempt from which
	 * on. */
	size_t lefts;
	struct work_left {
		uint32_t attempt;
		char name[MSG_NAME_MAX + 1];
	} left[PARTIES_MAX];
	uint8_t coordinator[SECAGG_HASH_LEN]; /* the fingerprint that is pinned */
	char submitter[MSG_NAME_MAX + 1];     /* of the job, as the coordinator says */
	struct channel *channel;              /* to the coordinator */
	struct post *post;
	struct record *record;
	struct leaving *leaving; /* the ledger that all of it goes into; NULL: none (tests) */
	struct work_sum {        /* the secure sum under way: its members, bytes of a word */
		size_t members[PARTIES_MAX], count, word;
	} sum;
	struct secagg *secagg;               /* once keys are agreed */
	uint8_t transcript[SECAGG_HASH_LEN]; /* of the broadcasts the current group has seen */
	/* of all values that this party received in this attempt: work_hear() */
	uint8_t heard[SECAGG_HASH_LEN];
	struct told told;
	/* SECAGG_HASH_LEN bytes of all parties (secret_new()), which the coordinator does not have;
	 * NULL before work_group_key() */
	uint8_t *group_key;
	uint64_t sums_told;        /* so far: each has a key of its own for its tag */
	struct features *features; /* this party's slice: used up by the protocol */
	/* reads the original slice from its file by panels; read NULL: keep a copy instead */
	struct features_source source;
	const struct graph *graph;
	/* ranks that hold features and graph, of which these two then have only the shape; or
	 * NULL */
	struct workers *workers;
	const struct dataset *dataset; /* where features and graph are from: its ids */
	/* n: the confidence of each row's label (common/data/labels.h); NULL: none; owned */
	double *confidence;
	/* the kind's own state; freed by free() after its release(), if it has one; or NULL */
	void *protocol;
	const struct graphs *graphs; /* fedgcn: this party's; or NULL */
	const char *output;          /* directory of this job's results */
	int fraction; /* bits behind the point of sums in the job's words, where it says "auto" */
	size_t n; /* nodes or rows; fedspectral, fedwalk: of all parties, once aligned (align.h) */
	unsigned min_cluster; /* policy: fewest rows behind any sum of rows */
	unsigned threads;
	const struct numbering *numbering; /* NULL: keys are drawn */
	struct work_noise *noise;          /* party/work/noise.h; NULL: none was asked for; owned */
	/* of parties and parameters: they go into every key */
	uint8_t params_hash[SECAGG_HASH_LEN];
	/* the same as the job began, with all parties that were left out since */
	uint8_t began_hash[SECAGG_HASH_LEN];
	/* Hears of each question under noise before it is answered, by its number in the attempt.
	 * ERR_PEER: it is not answered. NULL: no account is kept (tests). */
	enum err (*question)(struct work *work, uint32_t release,
			     const uint8_t question[static SECAGG_HASH_LEN]);
	const char *state; /* directory of files that outlive the process */
	char *cache;       /* directory of party/work/cache.h; NULL: nothing is kept; owned */
	/* of the dataset as loaded, or cut; not NULL if cache is not */
	const uint8_t *data_hash;
	enum ending ending; /* sent to others if this step fails; 0: by msg_ending_of() */
	bool considered;    /* the offer is one that this party takes part in */
	bool later;         /* declined, but another attempt would do: this one was served before */
	bool again;         /* it was cut short, and another attempt may follow */
	_Atomic bool offered; /* an offer has come: from here on a stop cuts a job */
	/* the job is done: the rest is for this party alone, at its pace */
	_Atomic bool alone;
};

/* Ends the record's current step. */
void work_step(struct work *work);
/* Names the phase that begins, in the record, the log and the channel's errors. */
void work_phase(struct work *work, const char *name);
void work_progress(struct work *work, unsigned iteration, size_t moved);

/* Names of the features' columns; or NULL. */
const struct columns *work_columns(const struct work *work);

/* Call it when all is sent, before a wait for an answer: channel_warm(), or channel_release() if no
 * padding is wanted. Held messages go now, however long the party computes before it reads. */
enum err work_warm(struct work *work) MUST_CHECK;
/* And in the next turn little is to be said: channel_warm_on(). */
enum err work_warm_on(struct work *work, size_t spare) MUST_CHECK;

/* SEALED, which party `to` alone can open. */
enum err work_send_sealed(struct work *work, size_t to, enum sealed what,
			  struct bytes text) MUST_CHECK;

/* A key of all parties, which the coordinator does not have: party 0 sends its own, sealed, to
 * every other; there key becomes it. ERR_PEER: something else came. */
enum err work_share_key(struct work *work, enum sealed what,
			uint8_t key[static SECAGG_HASH_LEN]) MUST_CHECK;

/* The group key: party 0 draws it and seals it to every other, through the coordinator
 * (relay_key()). Once a job, before anything that uses it. Party 0 keeps a key that it has already
 * (tests). */
enum err work_group_key(struct work *work) MUST_CHECK;

/* Each party shows every other 32 bytes, sealed (relay_all()). shown: L of them; the caller sets
 * its own. ERR_PEER: a box that is not the one due, or does not open. */
enum err work_show_all(struct work *work, enum sealed what,
		       uint8_t (*shown)[SECAGG_HASH_LEN]) MUST_CHECK;

/* p goes into the transcript, as a broadcast does: values that parties compute for themselves and
 * that must be equal. If they differ, the masks of the next sum do not cancel. */
void work_bind(struct work *work, const void *p, size_t n);

/* p goes into work->heard, which keys this party's noise (party/work/noise.h): a value that this
 * party received, in the form that it has in every attempt. Messages that work_observe() sees are
 * in it already. */
void work_hear(struct work *work, const void *p, size_t n);

/* Checks a request of the coordinator that takes `need` bytes: ERR_PEER if this host has less
 * memory. what: the request, for the sentence. */
enum err work_check_room(const struct work *work, const char *what, double need) MUST_CHECK;

/* A vector of labels in which every item has a cluster; else ERR_PEER. */
enum err work_recv_clusters(struct work *work, enum msg_type type, const struct tree_node *node,
			    uint32_t k, uint32_t *label, size_t count) MUST_CHECK;

/* Numbers of a BLOCK come as floats: their relative error is 2^-24, that of values computed from
 * them a few times as much. */
#define BLOCK_ROUNDING 1e-6

/* A BLOCK to be multiplied, into B (n x width, given). ERR_PEER unless B'B = n I: it might weigh
 * single rows arbitrarily, or exceed the bound of the words. O(n width^2). */
enum err work_recv_block(struct work *work, const struct tree_node *node, struct mat *B) MUST_CHECK;
/* The same without holding the block: n x width numbers in pieces of whole rows, at most
 * BLOCK_PIECE bytes unless a row is longer. The last piece comes only after B'B of all rows was
 * found to be n I: with it the caller may use them. Also returns the error of `each`. Memory: a
 * piece and width^2. */
enum { BLOCK_PIECE = 1 << 20 };
enum err work_pass_block(struct work *work, const struct tree_node *node, size_t n, size_t width,
			 channel_reals *each, void *arg) MUST_CHECK;

/* The CSPRNG, for coins that no attempt need repeat (else party/work/noise.h). Static. */
const struct noise_source *work_random(void);

/* ---- told.c ---- */

/* From here on hashes the group's broadcasts into the key of each of its sums: masks of members
 * that received different values do not cancel. Broadcasts to the group before go into all further
 * masks of its members (secagg_history). */
void work_group(struct work *work, const struct tree_node *node);
void work_observe(void *work, enum msg_type type, struct bytes body); /* a channel_observer */

/* From here on all received messages go into the transcript, and parties compare it. After keys are
 * agreed. */
void told_begin(struct work *work);
void told_stop(struct work *work);

/* After a sum: tells the members, if this was the phase's first. */
enum err told_say(struct work *work) MUST_CHECK;
/* After the last message of the protocol: tells all parties. Until all have answered the same, no
 * other message is taken: ERR_PEER, naming the members of whom one was told something else. */
enum err told_say_all(struct work *work) MUST_CHECK;

#endif
