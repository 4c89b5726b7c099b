/* work.h -- the state of one job on a party's job thread. All egress goes through secure_send(). */
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

/* Compares whether all parties received the same broadcast values: broadcasts.c. */
struct broadcasts {
	bool on;        /* broadcasts_begin() */
	bool per_party; /* received values are for this party alone: in no transcript */
	bool received;  /* the current group received a broadcast */
	bool confirmed; /* broadcasts_confirm() was called in this phase */
	/* The current group: parties [first, last); 0, 0 (all parties) before the first. */
	size_t first, last;
	uint64_t number[PARTIES_MAX]; /* by party: words that the two have exchanged */
	bool waiting;                 /* TOLD is expected */
	size_t with[2]; /* TOLD comes from members with[0] .. with[1] - 1, including this party */
	uint8_t expect[MSG_TOLD_LEN]; /* its value, if all received the same values */
};

struct work {
	struct job job;                /* the effective job, as offered and accepted */
	uint8_t job_hash[HASH_LEN];    /* hash of the job's bytes in the offer */
	char subject[JOB_KEY_MAX + 1]; /* the parameter or party that is the reason of a decline */
	const struct party_kind *side; /* of the job's kind */
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	size_t L, own; /* number of parties; this party's number among the sorted names */
	char name[PARTIES_MAX][MSG_NAME_MAX + 1];
	/* Initial parties that were left out since, in that order, and the attempt from which
	 * on. */
	size_t lefts;
	struct work_left {
		uint32_t attempt;
		char name[MSG_NAME_MAX + 1];
	} left[PARTIES_MAX];
	uint8_t coordinator[SECAGG_HASH_LEN]; /* the pinned fingerprint */
	char submitter[MSG_NAME_MAX + 1];     /* submitter of the job, as the coordinator claims */
	struct channel *channel;              /* to the coordinator */
	struct mailbox *mailbox;
	struct record *record;
	struct leaving *leaving; /* the ledger that records all egress; NULL: none (tests) */
	struct work_sum {        /* the current secure sum: its members, bytes of a word */
		size_t members[PARTIES_MAX], count, word;
	} sum;
	struct secagg *secagg;               /* once keys are agreed */
	uint8_t transcript[SECAGG_HASH_LEN]; /* hash of the broadcasts to the current group */
	/* Hash of all values that this party received in this attempt: work_note_received(). */
	uint8_t received[SECAGG_HASH_LEN];
	struct broadcasts broadcasts;
	/* SECAGG_HASH_LEN bytes of all parties (secret_new()), which the coordinator does not have;
	 * NULL before work_group_key(). */
	uint8_t *group_key;
	uint64_t sums_opened;      /* broadcast sums so far: the tag of each has its own key */
	struct features *features; /* this party's slice; the protocol uses it up */
	/* Reads the original slice from its file by panels; read NULL: keep a copy instead. */
	struct features_source source;
	const struct graph *graph;
	/* Ranks that hold features and graph, which then have only the shape here; or NULL. */
	struct workers *workers;
	const struct dataset *dataset; /* the origin of features and graph: its ids */
	/* n values: the confidence of each row's label (common/data/labels.h); NULL: none;
	 * owned. */
	double *confidence;
	/* The kind's own state; release() (if the kind has one), then free() frees it. NULL:
	 * none. */
	void *protocol;
	const struct graphs *graphs; /* fedgcn: this party's; or NULL */
	const char *output;          /* directory of this job's results */
	int fraction; /* fraction bits of sums in the job's words, if the job says "auto" */
	size_t n; /* nodes or rows; fedspectral, fedwalk: of all parties, once aligned (align.h) */
	unsigned min_cluster; /* policy: fewest rows in any sum of rows */
	unsigned threads;
	const struct numbering *numbering; /* NULL: keys are drawn */
	struct work_noise *noise;          /* party/work/noise.h; NULL: not used yet; owned */
	/* Hash of parties and parameters; it enters every key. */
	uint8_t params_hash[SECAGG_HASH_LEN];
	/* The same hash at the job's beginning, with all parties that were left out since. */
	uint8_t began_hash[SECAGG_HASH_LEN];
	/* Called before the party answers a question under noise, with the question's number in the
	 * attempt. ERR_PEER: the party does not answer. NULL: no account is kept (tests). */
	enum err (*question)(struct work *work, uint32_t release,
			     const uint8_t question[static SECAGG_HASH_LEN]);
	const char *state; /* directory of files that outlive the process */
	char *cache;       /* directory of party/work/cache.h; NULL: nothing is kept; owned */
	/* Hash of the dataset as loaded, or as cut. Not NULL if cache is not NULL. */
	const uint8_t *data_hash;
	enum ending ending; /* sent to others if this step fails; 0: by msg_ending_of() */
	bool considered;    /* this party takes part in the offered job */
	/* declined, because this attempt was served before; a later one may be accepted */
	bool later;
	bool again;           /* the attempt was cut short, and another may follow */
	_Atomic bool offered; /* an offer has arrived: from here on a stop interrupts a job */
	/* The job is done: the rest is for this party alone, without a deadline. */
	_Atomic bool alone;
};

/* Ends the record's current step. */
void work_step(struct work *work);
/* Begins a phase: sets its name in the record, the log and the channel's errors. */
void work_phase(struct work *work, const char *name);
void work_progress(struct work *work, unsigned iteration, size_t moved);

/* Returns the names of the features' columns; or NULL. */
const struct columns *work_columns(const struct work *work);

/* Call when all is sent, before waiting for an answer: calls channel_warm(), or channel_release()
 * if padding is not wanted. Sends held messages now, even if the party computes for long before it
 * reads. */
enum err work_warm(struct work *work) MUST_CHECK;
/* The same if the next turn sends little: channel_warm_on(). */
enum err work_warm_on(struct work *work, size_t spare) MUST_CHECK;

/* Sends SEALED, which only party `to` can open. */
enum err work_send_sealed(struct work *work, size_t to, enum sealed what,
			  struct bytes text) MUST_CHECK;

/* Shares a key that all parties have and the coordinator does not have: party 0 seals its key to
 * every other party, which takes it as its own. ERR_PEER: another message arrived. */
enum err work_share_key(struct work *work, enum sealed what,
			uint8_t key[static SECAGG_HASH_LEN]) MUST_CHECK;

/* Makes the group key: party 0 draws it and seals it to every other, through the coordinator
 * (relay_key()). Call once per job, before anything that uses it. Party 0 keeps a key that it
 * already has (tests). */
enum err work_group_key(struct work *work) MUST_CHECK;

/* Each party seals 32 bytes to every other (relay_all()). shown: L values; the caller sets its own.
 * ERR_PEER: a box is not the expected one, or does not open. */
enum err work_show_all(struct work *work, enum sealed what,
		       uint8_t (*shown)[SECAGG_HASH_LEN]) MUST_CHECK;

/* Adds p to the transcript, as a broadcast does: values that each party computes and that must be
 * equal. If they differ, the masks of the next sum do not cancel. */
void work_bind(struct work *work, const void *p, size_t n);

/* Adds p to work->received, which enters the key of this party's noise (party/work/noise.h): a
 * value that this party received, in a form that is the same in every attempt. Messages that
 * work_observe() handles are added already. */
void work_note_received(struct work *work, const void *p, size_t n);

/* Checks memory for a request of the coordinator that takes `need` bytes. ERR_PEER if this host has
 * less. what: the request, for the sentence. */
enum err work_check_memory(const struct work *work, const char *what, double need) MUST_CHECK;

/* Receives a vector of labels in which every item has a cluster; otherwise ERR_PEER. */
enum err work_recv_clusters(struct work *work, enum msg_type type, const struct tree_node *node,
			    uint32_t k, uint32_t *label, size_t count) MUST_CHECK;

/* Relative tolerance of values computed from the numbers of a BLOCK. These arrive as floats, with a
 * relative error of 2^-24, and computed values have a few times as much. */
#define BLOCK_ROUNDING 1e-6

/* Receives a BLOCK to be multiplied into B (n x width, given). ERR_PEER unless B'B = n I: another
 * block might weigh single rows arbitrarily, or exceed the bound of the words. O(n width^2). */
enum err work_recv_block(struct work *work, const struct tree_node *node, struct mat *B) MUST_CHECK;
/* The same without holding the block: passes its n x width numbers to `each` in pieces of whole
 * rows, at most BLOCK_PIECE bytes unless a row is longer. The last piece comes only after the check
 * that B'B of all rows is n I. Only then may the caller use the numbers. Also returns the error of
 * `each`. Memory: a piece and width^2. */
enum { BLOCK_PIECE = 1 << 20 };
enum err work_pass_block(struct work *work, const struct tree_node *node, size_t n, size_t width,
			 channel_reals *each, void *arg) MUST_CHECK;

/* Returns the CSPRNG, for random choices that no attempt must repeat (otherwise
 * party/work/noise.h). Static. */
const struct noise_source *work_random(void);

/* ---- broadcasts.c ---- */

/* Begins a group: from here on hashes its broadcasts into the key of each of its sums. Masks of
 * members that received different values then do not cancel. Earlier broadcasts to the group enter
 * all further masks of its members (secagg_history). */
void work_group(struct work *work, const struct tree_node *node);
void work_observe(void *work, enum msg_type type, struct bytes body); /* a channel_observer */

/* From here on all received messages enter the transcript, and parties compare it. Call after the
 * agreement on keys. */
void broadcasts_begin(struct work *work);
void broadcasts_stop(struct work *work);

/* Call after a sum: if it was the phase's first, sends this party's words to the members. */
enum err broadcasts_confirm(struct work *work) MUST_CHECK;
/* Call after the protocol's last message: sends this party's words to all parties. Accepts no other
 * message until all have answered the same. ERR_PEER, naming the members, one of which received
 * other values. */
enum err broadcasts_confirm_all(struct work *work) MUST_CHECK;

#endif
