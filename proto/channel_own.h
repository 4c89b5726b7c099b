/* channel_own.h -- internals of channels and mailboxes, for these files only:
 *
 *     mailbox.c         waiting of the job thread
 *     channel.c         a channel's life; held messages; sending
 *     channel_recv.c    receiving
 *     vector.c, warm.c  vectors in chunks; padding that keeps the link fast
 *     channel_loop.c    the loop thread's side
 *     resume.c          frame numbers; frames kept until acknowledged; sending again
 *
 * Each mailbox has one lock, which guards all of its channels. It is held for queue operations,
 * never while bytes are packed, parsed or moved. The loop is woken with the lock held, so after
 * channel_on_wake(ch, NULL, NULL) the old wake is not called again.
 */
#ifndef PROTO_CHANNEL_OWN_H
#define PROTO_CHANNEL_OWN_H

#include "common/base/progress.h"
#include "proto/channel.h"
#include "proto/frame.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
	MSG_TYPES = 0
#define MSG(NAME, number, sender, body) +1
#include "proto/messages.def"
#undef MSG
	,
	/* Cost of an item in addition to its bytes, so that empty messages fill a queue, too. */
	QUEUE_ITEM_COST = 64,
	/* Maximum number of empty buffers that are kept for messages to be sent. */
	SPARES = 16,
	SPARE_BYTES = 4 << 20,  /* most bytes in these empty buffers */
	SPARE_LITTLE = 1 << 20, /* SPARE_BYTES after channel_spare_little() */
};

static_assert((int)MSG_TYPES <= (int)LINK_TYPES_MAX, "a link counts messages of each type");

/* The body of a message that is sent to several peers. */
struct shared {
	atomic_uint holders;
	struct buf body;
};

struct item {
	enum msg_type type;
	struct buf body;
	struct shared *shared;        /* owner of the body; NULL: the item owns it */
	double first_byte_s, whole_s; /* received items: arrival of the first and the last byte */
};

struct queue {
	struct item *item; /* a ring buffer */
	size_t first, count, cap;
	size_t bytes; /* sum of (body's bytes + QUEUE_ITEM_COST) over all items */
};

/* The frames of a job that the peer has not acknowledged yet, in the order of their numbers. */
struct kept {
	struct queue queue;
	size_t left;  /* number of these frames sent on the current connection */
	size_t bytes; /* bytes of all these frames, headers included */
	/* Number of the last frame that the peer has acknowledged. The first frame in the queue has
	 * the next number. */
	uint32_t acked;
};

/* A reason to stop, which one thread sets and another reads. code ERR_OK: there is none. */
struct reason {
	enum err code;
	char *why;
	bool whole; /* `why` already names its step; otherwise "(during ...)" is added */
	bool again; /* the reason ends this attempt, not the job */
	bool done;  /* the peer reports that the job is done */
};

struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct progress progress; /* progress of the job thread's computation */
	double step_timeout_s;
	double job_timeout_s, job_until_s; /* no limit: 0 and HUGE_VAL */
	struct reason cancelled;
	struct channel *channels; /* list of its channels */
	struct channel *broken;   /* the first channel that failed */
	bool final;               /* a peer ended the job itself, so no other attempt follows */
	bool settled;             /* the job is done, so no other attempt follows */
	/* mailbox_last() was called: the job thread sends its last message */
	bool last;
	bool alone;          /* no peer needs the results: mailbox_alone() */
	bool waiting;        /* the job thread is in mailbox_wait() */
	uint64_t moved;      /* number of frames received and of parts of frames sent */
	uint64_t progressed; /* at the coordinator: how often a party's counter changed */
	size_t turn;         /* index of the channel that is checked first */
	bool exchange;       /* something was sent since the last wait for a message */
	/* The rest of this exchange's round trip, which is not yet counted in times.wire_s. */
	double round_trip_left_s;
	struct link_times times;
};

/* Two channels joined in memory. */
struct pair {
	pthread_mutex_t lock; /* locked before either mailbox's lock; held while messages move */
	struct channel *end[2];
};

struct channel {
	struct mailbox *mailbox;
	struct channel *next;
	enum sender own;
	char peer[MSG_NAME_MAX + 1];
	const char *step;
	struct queue in, out;
	/* Bytes of frames that are queued, or taken but not yet in the kernel. */
	size_t out_bytes;
	struct buf current;           /* body of the last received message, which borrows from it */
	struct buf spare;             /* an empty buffer for the next message received */
	struct buf spare_out[SPARES]; /* empty buffers for messages to be sent */
	size_t spares, spare_bytes;
	bool spare_little;
	struct reason failed;   /* set if the peer left, aborted, or broke the protocol */
	struct reason ended;    /* the error that every later call of the job thread returns */
	bool gone;              /* nothing can be sent any more, not even ABORT */
	bool reader_waits;      /* the loop stopped reading and wants to be woken */
	double moved_s;         /* time when this peer last showed progress */
	uint64_t progress;      /* the peer's progress counter */
	struct link_state link; /* its type[] has the order of messages.def */
	/* `flight`: bytes queued since channel_warm(). `window`: most bytes that can be in
	 * flight. */
	size_t flight, window;
	void (*wake)(void *arg);
	void *wake_arg;
	struct channel_recorder recorder; /* its note is NULL if there is no recorder */
	/* Number and bytes of the messages at the queue's end that must not leave yet. */
	size_t held, held_bytes;
	struct kept kept; /* frames that were sent and not acknowledged */
	bool lost;        /* the connection was lost, and the channel waits for another one */
	/* Number of bytes that are being sent again, which do not count as progress. */
	size_t again;
	/* Set by the loop thread alone, up to `unacknowledged`: */
	bool keeping, knows_job; /* channel_keep() was called; the job is known */
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	/* Numbers of the last received frame, and of the last frame acknowledged to the peer. */
	uint32_t received, acknowledged;
	size_t unacknowledged; /* bytes received since the last frame that was acknowledged */
	channel_observer *observe;
	void *observe_arg;
	channel_aside *aside;
	void *aside_arg;
	struct pair *pair;
};

/* The next functions must be called with the lock held. */
void queue_push(struct queue *q, const struct item *it);
bool queue_pop(struct queue *q, struct item *it);
void queue_clear(struct queue *q);
void item_release(struct item *it); /* releases the item's body */
/* Sets r to the code and flags of `to`, and to a copy of why. If r is set already, does nothing. */
void reason_set(struct reason *r, const struct reason *to, const char *why);
void channel_break(struct channel *ch, const struct reason *reason, const char *why);
void channel_wake(struct channel *ch);
void channel_count_locked(struct channel *ch, enum msg_type type, bool sent, size_t messages,
			  size_t bytes);
/* Returns the error with which an earlier call on this channel ended. */
enum err channel_end_error(const struct channel *ch) MUST_CHECK;
/* Makes later calls on these channels fail with this thread's current error, and returns that
 * error. */
enum err channel_end_all(struct channel *const ch[], size_t count, enum err code);
/* Returns true if the job was cancelled or a channel failed. *code: that error; its sentence
 * contains the step. */
bool channel_stopped(struct channel *ch, enum err *code);
/* Breaks the channel because the job's time is over, or because the peer showed no progress for too
 * long. ERR_DEADLINE. */
enum err channel_overdue(struct channel *ch) MUST_CHECK;
/* Waits for a change, at most until the time until_s (clock_now_s()). */
void mailbox_wait(struct mailbox *p, double until_s);
/* Returns the reason why the job thread must not wait: the job was cancelled before
 * mailbox_settle(), or a channel failed. NULL: the thread may wait. */
const struct reason *mailbox_stopped(const struct mailbox *p);
void mailbox_account(struct mailbox *p, const struct channel *ch, double from_s,
		     const struct item *it);

/* Returns an empty buffer, which may have been used before. */
struct buf channel_spare(struct channel *ch);
void channel_recycle(struct channel *ch, struct buf *b); /* keeps b's memory for later messages */

/* Moves messages between two joined channels while there is space. Does nothing if the channels are
 * not joined. Call without the lock. */
void channel_pump(struct channel *ch);
void channel_unpair(struct channel *ch);

/* Fails the channel because the peer broke the protocol. Every later call returns e, and so does
 * this one. Call without the lock. */
enum err channel_protocol_error(struct channel *ch, enum err e) MUST_CHECK;

#endif
