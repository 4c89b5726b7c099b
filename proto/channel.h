/* channel.h -- one peer of a job, as the job thread sees it: blocking sends and receives.
 *
 * A channel joins two threads. The job thread calls channel_send and channel_recv, in the order
 * of the protocol; the loop thread moves the frames (proto/conn.h) and reports failures.
 * Nothing here touches a socket, so a test can join two channels in memory (channel_pair).
 *
 * A message that is not the one expected is a protocol error that names sender, message and step.
 * A peer's ABORT becomes the error it carries. When a wait ends with an error, every later call
 * on the channel returns the same error at once.
 */
#ifndef PROTO_CHANNEL_H
#define PROTO_CHANNEL_H

#include "common/base/err.h"
#include "common/base/link.h"
#include "proto/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel;

/* Bytes of data per chunk when we send a vector. Few enough that a coordinator's queues for 16
 * parties stay well below 64 MiB, enough that the cost per frame does not show. */
enum { CHANNEL_CHUNK = 256 << 10 };

/* A post is where the job thread waits for any of its channels. It outlives them. */
struct post;
/* step_timeout_s: the longest wait while the peer's progress counter does not rise; 0: no limit. */
struct post *post_new(double step_timeout_s);
void post_set_step_timeout(struct post *p, double step_timeout_s); /* from the job thread */
/* Limits the job's time from now on, even if its peers are busy; 0: no limit. Afterwards a wait,
 * and taking the next message, end with ERR_DEADLINE. From the job thread. */
void post_set_job_timeout(struct post *p, double job_timeout_s);
void post_free(struct post *p);
/* This thread computes for p's job from now on, until post_enter(NULL), which comes before
 * post_free(). Progress and end of other jobs of this process then do not count for this one. */
void post_enter(struct post *p);
/* The rest of any thread. Every wait ends with this error: */
void post_cancel(struct post *p, enum err code, const char *why);
/* The same, where another attempt may follow: post_again(). */
void post_interrupt(struct post *p, enum err code, const char *why);
uint64_t post_progress(struct post *p); /* for our heartbeats: own ticks, and those of peers */
/* Did only this attempt end, so that another may follow? True after channel_fail_again(),
 * post_interrupt(), or a peer's ABORT or DECLINE with MSG_AGAIN. */
bool post_again(struct post *p);
/* The error that stopped computing (progress_stopped()): that of the first channel that failed, or
 * of post_cancel(); ERR_OK if neither. */
enum err post_error(struct post *p) MUST_CHECK;
/* The job is done: from here on neither a peer's failure nor post_cancel() ends it, and
 * post_again() stays false. If a peer has failed before, nothing changes and that error is
 * returned. From the job thread. */
enum err post_settle(struct post *p) MUST_CHECK;
bool post_settled(struct post *p);
/* The job thread sends its last message next. From here on post_cancel_unless_last() cancels
 * nothing: peers that have that message may take the job for done. If the job has ended before,
 * that error is returned. From the job thread. */
enum err post_last(struct post *p) MUST_CHECK;
/* post_cancel(), unless post_last() came before: then nothing is cancelled, and this is false. */
bool post_cancel_unless_last(struct post *p, enum err code, const char *why);
/* From here on the job thread computes for this process alone: peers that leave, or have left
 * before, do not stop it; post_cancel() does. From the job thread. */
void post_alone(struct post *p);
/* Has the job ended, with *why, while the job thread waits for no peer? (It waits for an absent
 * peer, to tell it.) If that stays so for long, the thread does not come back. */
bool post_overdue(struct post *p, struct err_saved *why);
/* Did the wait end because the coordinator says that the job is done, channel_fail_done()? The job
 * thread has to check that. */
bool post_done(struct post *p);

/* own: which side of the protocol this is, COORD or PARTY; peer: the other's name, for messages. */
struct channel *channel_new(struct post *p, enum sender own, const char *peer);
void channel_free(struct channel *ch);
const char *channel_peer(const struct channel *ch);

/* ---- the job thread ---- */

/* Named in errors: "secure sum, round 3"; static text. */
void channel_step(struct channel *ch, const char *step);

/* An error in the peer's data, peer_fault(ch, fmt, ...): ERR_PEER with "<peer> <sentence> (during
 * <step>)". step_fault(ch, fmt, ...) leaves out the peer's name, for faults of others or of
 * several: "<sentence> (during <step>)". */
#define peer_fault(ch, ...) channel_fault_at(__FILE__, __LINE__, ch, true, __VA_ARGS__)
#define step_fault(ch, ...) channel_fault_at(__FILE__, __LINE__, ch, false, __VA_ARGS__)
enum err channel_fault_at(const char *file, int line, const struct channel *ch, bool named,
			  const char *fmt, ...) PRINTF(5, 6);

/* Queues a copy of the message. Blocks while more than CHANNEL_OUT_MAX bytes wait to be sent. ABORT
 * never blocks, overtakes whatever still waits, and can be sent after an error too, as long as
 * the connection stands. */
enum err channel_send(struct channel *ch, const struct msg *m) MUST_CHECK;
/* The same message to several channels without a recorder; not ABORT. Its body is in memory once,
 * until the last peer has acknowledged it. */
enum err channel_send_all(struct channel *const ch[], size_t count, const struct msg *m) MUST_CHECK;

/* Waits for the next message, which must be of this type. It borrows from the channel until the
 * next receive on the same channel. ERR_PEER: left, or sent another message. ERR_DEADLINE: no
 * progress for step_timeout_s. Or whatever the peer's ABORT or post_cancel says. Messages that
 * came before the failure are received first. The failure of any channel of the post ends the
 * wait: a job goes on with all parties or not at all. */
enum err channel_recv(struct channel *ch, enum msg_type expect, struct msg *m) MUST_CHECK;

/* The same for whichever of several channels of one post has a message first; those with
 * wanted[i] == false are not looked at, but their failure ends the wait. *which says which. */
enum err channel_recv_any(struct channel *const ch[], const bool wanted[], size_t count,
			  enum msg_type expect, size_t *which, struct msg *m) MUST_CHECK;
/* The same where a message of type `other` may come instead. */
enum err channel_recv_either(struct channel *const ch[], const bool wanted[], size_t count,
			     enum msg_type expect, enum msg_type other, size_t *which,
			     struct msg *m) MUST_CHECK;

/* Waits until all that was sent has been handed to the kernel, or the deadline passes. */
enum err channel_flush(struct channel *ch, double timeout_s) MUST_CHECK;
/* Waits until the peer has acknowledged all that was sent. While the connection is lost and
 * awaited, the timeout does not run: that ends by the loop thread's clock, or by post_cancel(). */
enum err channel_drain(struct channel *ch, double timeout_s) MUST_CHECK;

/* Vectors of labels, packed and in chunks of at most MSG_CHUNK_MAX (CHANNEL_CHUNK when sent).
 * Entries are 0 .. values. channel_recv_labels checks group, values, count and every entry; label
 * has count entries. */
enum err channel_send_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, const uint32_t *label, size_t count) MUST_CHECK;
enum err channel_send_labels_all(struct channel *const ch[], size_t channels, enum msg_type type,
				 uint32_t group, uint32_t values, const uint32_t *label,
				 size_t count) MUST_CHECK;
enum err channel_recv_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, uint32_t *label, size_t count) MUST_CHECK;
/* The same where the sender chooses values, from least to *values; *values becomes its choice. */
enum err channel_recv_labels_upto(struct channel *ch, enum msg_type type, uint32_t group,
				  uint32_t least, uint32_t *values, uint32_t *label,
				  size_t count) MUST_CHECK;
/* The same where the sender chooses how many entries there are, up to most; *label is the caller's
 * to free, also after an error (it may be NULL then). */
enum err channel_recv_labels_some(struct channel *ch, enum msg_type type, uint32_t group,
				  uint32_t values, size_t most, uint32_t **label,
				  size_t *count) MUST_CHECK;

/* The same for real numbers: MATRIX in doubles, BLOCK and EMBEDDING rounded to floats. Every
 * received number is finite. count may be 0: one empty message. */
enum err channel_send_reals(struct channel *ch, enum msg_type type, uint32_t group, const double *x,
			    size_t count) MUST_CHECK;
enum err channel_send_reals_all(struct channel *const ch[], size_t channels, enum msg_type type,
				uint32_t group, const double *x, size_t count) MUST_CHECK;
enum err channel_recv_reals(struct channel *ch, enum msg_type type, uint32_t group, double *x,
			    size_t count) MUST_CHECK;
/* The same without room for all: gives pieces in their order to `each`, which borrows them, and
 * returns its error. Later pieces may still be wrong. */
typedef enum err channel_reals(void *arg, const double *x, size_t count);
enum err channel_pass_reals(struct channel *ch, enum msg_type type, uint32_t group, size_t count,
			    channel_reals *each, void *arg) MUST_CHECK;
/* The same where the sender chooses how many rows of `cols` numbers, from least to most, it sends;
 * *rows becomes that; x has room for most. */
enum err channel_recv_rows(struct channel *ch, enum msg_type type, uint32_t group, size_t cols,
			   size_t least, size_t most, double *x, size_t *rows) MUST_CHECK;

/* A single number; *value is 0 .. most. Both ends agree on its kind, below 65536. */
enum err channel_send_choice(struct channel *ch, unsigned what, uint64_t value) MUST_CHECK;
enum err channel_recv_choice(struct channel *ch, unsigned what, uint64_t most,
			     uint64_t *value) MUST_CHECK;

/* Call it when a turn's messages are all sent, before a wait for an answer, if `need` bytes will
 * have to go at once later on. An idle connection carries 14 kB in its first round trip and twice
 * as much in each further one, if it has as much to carry. On a link with a long round trip, zeros
 * fill it up: as many as can be on their way before the answer comes, so that nothing has to wait
 * behind them. */
enum err channel_warm(struct channel *ch, size_t need) MUST_CHECK;
/* After it, where the next turn will say no more than `spare` bytes: zeros for that turn, too. They
 * leave when all sent bytes have arrived, which is when the answer can come at the earliest. */
enum err channel_warm_on(struct channel *ch, size_t need, size_t spare) MUST_CHECK;
/* Sends one byte of padding before a large vector is answered: a connection that has sent nothing
 * for two round trips is slowed down. */
enum err channel_touch(struct channel *ch) MUST_CHECK;

/* Times of the job thread since the last call. wire_s: of the blocked time, one measured round trip
 * per exchange and the time between the first and last byte of the awaited frames. wait_s: the rest
 * of the blocked time (others compute). */
void post_times(struct post *p, struct link_times *since_last);

uint64_t channel_bytes(struct channel *ch); /* of all frames so far, both ways */

/* The connection below, as last measured, and an entry for each type of message that was seen. Any
 * thread. */
void channel_link(struct channel *ch, struct link_state *link);

/* A copy of each received message's type and body, for the running hash of a group's broadcasts:
 * called on the job thread from within the receive. NULL: none. */
typedef void channel_observer(void *arg, enum msg_type type, struct bytes body);
void channel_observe(struct channel *ch, channel_observer *f, void *arg);
/* Called with each received message before its type is checked, for messages that may come between
 * those of the protocol. *taken: it was one of these, and the receive waits for the next; otherwise
 * the message is handled as usual. An error ends the channel. On the job thread, from within the
 * receive. NULL: none. */
typedef enum err channel_aside(void *arg, enum msg_type type, struct bytes body, bool *taken);
void channel_set_aside(struct channel *ch, channel_aside *f, void *arg);
/* Waits for the next message, which channel_aside must take. */
enum err channel_recv_aside(struct channel *ch) MUST_CHECK;

/* Records messages before they leave (the ledger). note: a message was encoded and is about to be
 * queued. commit: write durably all that was noted. forget: messages noted since the last commit
 * will not leave. All on the job thread, without a lock.
 *
 * With a recorder, messages are held back until the job thread waits (channel_recv, channel_flush,
 * channel_drain), warms the link, calls channel_release(), or CHANNEL_HELD_MAX bytes are held. Then
 * commit is called once, and they go. That call returns an error of note or commit, and the held
 * messages stay. ABORT and DECLINE leave all the same, so that a party with a full disk can report
 * why it ends. Not noted: PADDING, which is zeros, frames sent again, and the link's own messages.
 */
struct channel_recorder {
	enum err (*note)(void *arg, const struct msg *m, struct bytes body);
	enum err (*commit)(void *arg);
	void (*forget)(void *arg);
	void *arg;
};
/* Copied; NULL: no recorder any more, and held messages are dropped. */
void channel_record(struct channel *ch, const struct channel_recorder *r);
enum err channel_release(struct channel *ch) MUST_CHECK;

/* Waits for so long, or until the job is over: ERR_OK, or the error that ended it. */
enum err channel_pause(struct channel *ch, double s) MUST_CHECK;

/* ---- the loop thread ---- */

enum {
	CHANNEL_HELD_MAX = CHANNEL_CHUNK, /* hashed and committed in 0.2 ms */
	CHANNEL_OUT_MAX = 4 << 20,
	CHANNEL_IN_MAX = 1 << 20,
	/* Bytes of frames that wait for the peer's acknowledgement; more wait in the out-queue, and
	 * then channel_send blocks. More than fast and far links have under way: 25 MB for 1 Gbit/s
	 * and 200 ms. */
	CHANNEL_KEPT_MAX = 64 << 20,
	CHANNEL_ACK_EVERY = 1 << 20, /* bytes that come before that is said */
};

/* wake: called from any thread when frames wait, or the in-queue has room; only wakes the loop. */
void channel_on_wake(struct channel *ch, void (*wake)(void *arg), void *arg);
/* The loop's half: takes the next queued message (type, encoded body moved into *body; the old
 * buffer of *body is kept for later messages or released). */
bool channel_take(struct channel *ch, enum msg_type *type, struct buf *body);
void channel_sent(struct channel *ch, size_t bytes); /* so many frame bytes reached the kernel */
/* Gives a received body to the job thread (contents moved out of *body, which is then empty and
 * may have room from an earlier message). first_byte_s is the clock_now_s() at which its first
 * byte arrived. */
void channel_deliver(struct channel *ch, enum msg_type type, struct buf *body, double first_byte_s);
bool channel_is_full(struct channel *ch); /* stop reading from the socket until it is not */
void channel_fail(struct channel *ch, enum err code, const char *why); /* the peer is gone */
/* The same, where another attempt may follow: post_again(). */
void channel_fail_again(struct channel *ch, enum err code, const char *why);
/* The same, where the coordinator says that the job is done: post_done(). */
void channel_fail_done(struct channel *ch, enum err code, const char *why);
void channel_heard(struct channel *ch, uint64_t progress); /* a heartbeat's counter */
uint64_t channel_progress(struct channel *ch);             /* for our heartbeats: post_progress */
/* Link messages on the same connection, for the record of traffic. */
void channel_count(struct channel *ch, enum msg_type type, bool sent, size_t messages,
		   size_t bytes);

/* A lost connection. Every frame of a job has a number, and is kept until the peer says that it has
 * it. When the connection is lost, the channel is away; the owner makes another one, both ends say
 * how far they have received (RESUME), and the kept bytes after that go out again. Of the loop
 * thread alone. */

/* The job's id and attempt. The coordinator sets them; a party's channel takes them from the
 * OFFER. */
void channel_of_job(struct channel *ch, const uint8_t job_id[static JOB_ID_LEN], uint32_t attempt);
/* Reuses emptied buffers for later messages: 4 MiB of them, or 1 MiB if `little`, to save
 * memory. */
void channel_spare_little(struct channel *ch, bool little);
/* From here on a lost connection is awaited, once the job is known, and ends nothing by itself. */
void channel_keep(struct channel *ch);
/* The next frame to go out: one to be sent again, or the next of the queue, which is kept. False:
 * there is none, or too much is kept. body is valid until channel_went() has been called and the
 * peer has acknowledged it. */
bool channel_next(struct channel *ch, enum msg_type *type, uint32_t *seq, struct bytes *body);
void channel_went(struct channel *ch); /* that frame has been handed on whole */
/* A frame of so many bytes came, to be acknowledged sooner or later. True: now. */
bool channel_came(struct channel *ch, enum msg_type type, uint32_t seq, size_t bytes);
bool channel_ack_due(struct channel *ch, struct msg *ack); /* fills it in, if there is news */
/* ERR_PEER: an impossible number */
enum err channel_acked(struct channel *ch, uint32_t received) MUST_CHECK;
uint32_t channel_last(const struct channel *ch); /* the number of the last that came */
/* The connection was lost. False: then there is nothing to wait for, see channel_keep(). */
bool channel_lost(struct channel *ch);
bool channel_is_away(struct channel *ch);
uint64_t channel_job(const struct channel *ch); /* the job's number in frames, once it is known */
bool channel_is_untouched(const struct channel *ch); /* nothing came or was acknowledged */
void channel_resume_say(const struct channel *ch, struct msg *resume);
/* ERR_PEER: it names another job or attempt, or frames that were not sent, or comes when the
 * channel has failed. Changes nothing. */
enum err channel_resume_check(struct channel *ch, const struct msg_resume *peer) MUST_CHECK;
/* The peer is there again; of a channel that is away. conn_attach() follows. Errors as above. */
enum err channel_resume(struct channel *ch, const struct msg_resume *peer) MUST_CHECK;

void channel_set_rtt(struct channel *ch, double rtt_s); /* TCP_INFO's smoothed round trip */
void channel_set_congestion(struct channel *ch, const char *name);

/* Joins two channels of different posts in memory, for tests: each receives the other's messages.
 * When one is freed, the other's peer has left. */
void channel_pair(struct channel *a, struct channel *b);

#endif
