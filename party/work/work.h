/* work.h -- the state of one job on a party's job thread. */
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

/* State of the comparison whether all parties received the same broadcast values (broadcasts.c). */
struct broadcasts {
	bool on; /* broadcasts_begin() was called */
	/* The values being received are for this party alone, and enter no transcript. */
	bool per_party;
	bool received;  /* the current group received a broadcast */
	bool confirmed; /* broadcasts_confirm() was called in this phase */
	/* The current group is parties [first, last). Before the first group both are 0, which
	 * means all parties. */
	size_t first, last;
	/* For each party: number of words of TOLD that it and this party have exchanged. */
	uint64_t number[PARTIES_MAX];
	bool waiting;   /* the party waits for TOLD */
	size_t with[2]; /* TOLD comes from members with[0] .. with[1] - 1, including this party */
	/* The expected value of TOLD, if all members received the same values. */
	uint8_t expect[MSG_TOLD_LEN];
};

struct work {
	struct job job;                /* the effective job, as offered and accepted */
	uint8_t job_hash[HASH_LEN];    /* hash of the job's bytes in the offer */
	char subject[JOB_KEY_MAX + 1]; /* the parameter or party that is the reason of a decline */
	const struct party_kind *side; /* party side of the job's kind */
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	size_t L, own; /* `L` parties, sorted by name; this party has number `own` */
	char name[PARTIES_MAX][MSG_NAME_MAX + 1];
	/* Initial parties that were left out, in the order in which they were left out. `attempt`
	 * is the first attempt without the party. */
	size_t lefts;
	struct work_left {
		uint32_t attempt;
		char name[MSG_NAME_MAX + 1];
	} left[PARTIES_MAX];
	uint8_t coordinator[SECAGG_HASH_LEN]; /* pinned fingerprint of the coordinator's key */
	char submitter[MSG_NAME_MAX + 1];     /* submitter of the job, as the coordinator claims */
	struct channel *channel;              /* the channel to the coordinator */
	struct mailbox *mailbox;
	struct record *record;
	struct leaving *leaving; /* the ledger that records all egress; NULL: none (tests) */
	struct work_sum {        /* the current secure sum: its members, and the bytes of a word */
		size_t members[PARTIES_MAX], count, word;
	} sum;
	struct secagg *secagg;               /* usable once keys are agreed */
	uint8_t transcript[SECAGG_HASH_LEN]; /* hash of the broadcasts to the current group */
	/* Hash of all values that this party received in this attempt: work_note_received(). */
	uint8_t received[SECAGG_HASH_LEN];
	struct broadcasts broadcasts;
	/* Key of SECAGG_HASH_LEN bytes in secret memory, which all parties have and the coordinator
	 * does not have. NULL before work_group_key(). */
	uint8_t *group_key;
	/* Number of broadcast sums so far. It enters the key of the next sum's tag. */
	uint64_t sums_opened;
	struct features *features; /* this party's features; the protocol uses them up */
	/* Reads the original features again from their file, some rows at a time. If source.read is
	 * NULL, the protocol must keep a copy of them instead. */
	struct features_source source;
	const struct graph *graph;
	/* Ranks that hold features and graph, which then have only their sizes here. NULL: no
	 * ranks. */
	struct workers *workers;
	/* The dataset to which features and graph belong; it has the ids. */
	const struct dataset *dataset;
	/* Confidence of each row's label: n values (common/data/labels.h). NULL: none. Owned. */
	double *confidence;
	/* The kind's own state; NULL: none. The kind's release() frees it, or free() if the kind
	 * has no release(). */
	void *protocol;
	const struct graphs *graphs; /* fedgcn: this party's graphs; NULL for other kinds */
	const char *output;          /* directory of this job's results */
	/* If secure_sum.fraction_bits is "auto": fraction bits of sums in words of modulus_bits. */
	int fraction;
	/* Number of own nodes, rows or (fedgcn) graphs. If job.align is not "same", it is 0 from
	 * ACCEPT until rows are matched, then the number of common rows. For fedspectral and
	 * fedwalk it becomes the number of nodes of all parties once they are aligned (align.h). */
	size_t n;
	unsigned min_cluster; /* the policy's fewest rows in any sum of rows */
	unsigned threads;
	const struct numbering *numbering; /* makes numbering keys; NULL: each is drawn at random */
	/* Source of noise (party/work/noise.h); NULL: not used yet; owned. */
	struct work_noise *noise;
	/* Hash of parties and parameters; it enters every key. */
	uint8_t params_hash[SECAGG_HASH_LEN];
	/* params_hash at the beginning of the job, when the parties left out later still took
	 * part. */
	uint8_t began_hash[SECAGG_HASH_LEN];
	/* Called before the party answers a question with noise. release: number of the answer in
	 * this attempt. ERR_PEER: the party does not answer. NULL: no account is kept (tests). */
	enum err (*question)(struct work *work, uint32_t release,
			     const uint8_t question[static SECAGG_HASH_LEN]);
	const char *state; /* directory of files that outlive the process */
	char *cache;       /* directory of the cache (party/work/cache.h); NULL: no cache; owned */
	/* Hash of the dataset as loaded, or as reduced by the job. Not NULL if cache is not
	 * NULL. */
	const uint8_t *data_hash;
	/* The reason that others receive if the job fails now; 0: msg_ending_of() decides. */
	enum ending ending;
	bool considered; /* this party takes part in the offered job */
	/* the job was declined because this attempt was served before; a later attempt may be
	 * accepted */
	bool later;
	bool again;           /* the attempt was cut short, and another may follow */
	_Atomic bool offered; /* an offer has arrived: from here on a stop interrupts a job */
	/* The job is done, and this party only finishes work of its own, without a deadline. */
	_Atomic bool alone;
};

/* Ends the record's current step. */
void work_step(struct work *work);
/* Begins a phase: sets its name in the record, the log and the channel's errors. */
void work_phase(struct work *work, const char *name);
void work_progress(struct work *work, unsigned iteration, size_t moved);

/* Returns the names of the features' columns; or NULL. */
const struct columns *work_columns(const struct work *work);

/* Call when all is sent, before waiting for an answer. Calls channel_warm() for the bytes that the
 * party will send at once later (job_burst()), or channel_release() if these are 0. So held
 * messages leave now, even if the party computes for long before it reads. */
enum err work_warm(struct work *work) MUST_CHECK;
/* As work_warm(), if the party sends at most `spare` bytes after the answer: calls
 * channel_warm_on(). */
enum err work_warm_on(struct work *work, size_t spare) MUST_CHECK;

/* Sends SEALED, which only party `to` can open. */
enum err work_send_sealed(struct work *work, size_t to, enum sealed what,
			  struct bytes text) MUST_CHECK;

/* Shares a key among all parties; the coordinator does not learn it. Party 0 seals its key to every
 * other party, which stores it in `key`. ERR_PEER: another message arrived, or it cannot be
 * opened. */
enum err work_share_key(struct work *work, enum sealed what,
			uint8_t key[static SECAGG_HASH_LEN]) MUST_CHECK;

/* Makes the group key: party 0 draws it and seals it to every other party, through the
 * coordinator (relay_key()). Call once per job, before anything that uses it. Party 0 keeps a
 * key that it already has (tests). */
enum err work_group_key(struct work *work) MUST_CHECK;

/* Each party seals 32 bytes to every other party (relay_all()). shown: one value per party; the
 * caller sets its own. ERR_PEER: a box is not the expected one, or cannot be opened. */
enum err work_show_all(struct work *work, enum sealed what,
		       uint8_t (*shown)[SECAGG_HASH_LEN]) MUST_CHECK;

/* Adds p to the transcript, as a broadcast does. Use it for values that each party computes and
 * that must be equal. If they differ, the masks of the next sum do not cancel. */
void work_bind(struct work *work, const void *p, size_t n);

/* Adds p to work->received, which enters the key of this party's noise (party/work/noise.h). p is a
 * value that this party received, in a form that is the same in every attempt. work_observe() adds
 * the messages that it handles, so do not add those. */
void work_note_received(struct work *work, const void *p, size_t n);

/* Checks whether this process may use `need` bytes of memory, which a message of the coordinator
 * takes. ERR_PEER: it may use less. what: the message, for the error's text. */
enum err work_check_memory(const struct work *work, const char *what, double need) MUST_CHECK;

/* Receives a vector of labels. ERR_PEER: an item has no cluster. */
enum err work_recv_clusters(struct work *work, enum msg_type type, const struct tree_node *node,
			    uint32_t k, uint32_t *label, size_t count) MUST_CHECK;

/* Relative tolerance of values computed from the numbers of a BLOCK. These numbers arrive as
 * floats, with a relative error of 2^-24. Computed values have an error that is a few times
 * larger. */
#define BLOCK_ROUNDING 1e-6

/* Receives a BLOCK into B (n x width, given). ERR_PEER: B'B is not n times the identity. The block
 * might then weigh single rows arbitrarily, or make terms exceed the fixed-point bound of a sum.
 * O(n width^2). */
enum err work_recv_block(struct work *work, const struct tree_node *node, struct mat *B) MUST_CHECK;
/* As work_recv_block(), but does not hold the block. Passes its n x width numbers to `each` in
 * pieces of whole rows. A piece has at most BLOCK_PIECE bytes, unless a row is longer. If B'B of
 * all rows is not n times the identity, does not pass the last piece; the caller must then not use
 * the numbers. Also returns the error of `each`. Memory: a piece and width^2. */
enum { BLOCK_PIECE = 1 << 20 };
enum err work_pass_block(struct work *work, const struct tree_node *node, size_t n, size_t width,
			 channel_reals *each, void *arg) MUST_CHECK;

/* Returns the CSPRNG, for random choices that must differ between attempts. Choices that must be
 * equal use party/work/noise.h. The object is static. */
const struct noise_source *work_random(void);

/* ---- broadcasts.c ---- */

/* Begins a group. From here on its broadcasts are hashed into the key of each of its sums. Masks of
 * members that received different values then do not cancel. Broadcasts to the group before it
 * enter all further masks between its members (secagg_history). */
void work_group(struct work *work, const struct tree_node *node);
void work_observe(void *work, enum msg_type type, struct bytes body); /* a channel_observer */

/* From here on the broadcasts that this party receives enter the transcript (work_observe()), and
 * parties compare it. Call after the agreement on keys. */
void broadcasts_begin(struct work *work);
void broadcasts_stop(struct work *work);

/* Call after a sum. If the sum was the first of its phase, sends TOLD, with a word for each other
 * member. */
enum err broadcasts_confirm(struct work *work) MUST_CHECK;
/* Call after the protocol's last message. Sends TOLD, with a word for each other party, a check
 * value of the broadcasts that this party received. The next message must be the coordinator's
 * TOLD, with the XOR of the words for this party. If it differs, the call that receives it returns
 * ERR_PEER: at least one of the members that the text names received other values. */
enum err broadcasts_confirm_all(struct work *work) MUST_CHECK;

#endif
