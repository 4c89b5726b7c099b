/* channel.h -- one peer of a job, as the job thread sees it: blocking sends and receives.
 *
 * A channel joins two threads. The job thread calls channel_send and channel_recv, in the order of
 * the protocol; the loop thread moves the frames (proto/conn.h) and reports failures. A channel
 * touches no socket, so a test can join two channels in memory (channel_pair).
 *
 * An unexpected message is a protocol error that names sender, message and step. A peer's ABORT
 * becomes the error that it carries. When a wait ends with an error, every later call on the
 * channel returns the same error at once.
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

/* Bytes of data per chunk of a vector. At this size a coordinator's queues for 16 parties stay well
 * below 64 MiB, and the cost per frame is negligible. */
enum { CHANNEL_CHUNK = 256 << 10 };

/* The job thread waits at a mailbox for any of its channels. The mailbox outlives them. */
struct mailbox;
/* step_timeout_s: the longest wait while the peer's progress counter does not rise; 0: no limit. */
struct mailbox *mailbox_new(double step_timeout_s);
void mailbox_set_step_timeout(struct mailbox *p, double step_timeout_s); /* from the job thread */
/* Limits the job's time from now on, even if its peers are busy; 0: no limit. When it is over,
 * waiting and taking the next message fail with ERR_DEADLINE. From the job thread. */
void mailbox_set_job_timeout(struct mailbox *p, double job_timeout_s);
void mailbox_free(struct mailbox *p);
/* Binds this thread's computation to p's job until mailbox_enter(NULL), which must precede
 * mailbox_free(). Progress and end of this process's other jobs then do not affect this one. */
void mailbox_enter(struct mailbox *p);
/* The following functions may be called from any thread. mailbox_cancel() ends every wait with this
 * error. */
void mailbox_cancel(struct mailbox *p, enum err code, const char *why);
/* As mailbox_cancel(), but another attempt may follow: mailbox_again() becomes true. */
void mailbox_interrupt(struct mailbox *p, enum err code, const char *why);
uint64_t
mailbox_progress(struct mailbox *p); /* value for own heartbeats: own ticks, and those of peers */
/* Returns true if only this attempt ended, so that another may follow: after channel_fail_again(),
 * mailbox_interrupt(), or a peer's ABORT or DECLINE with MSG_AGAIN. */
bool mailbox_again(struct mailbox *p);
/* Returns the error that stopped the computation (progress_stopped()): that of the first channel
 * that failed, or of mailbox_cancel(). ERR_OK if neither occurred. */
enum err mailbox_error(struct mailbox *p) MUST_CHECK;
/* Marks the job as done: neither a peer's failure nor mailbox_cancel() ends it any more, and
 * mailbox_again() stays false. If a peer has failed before, changes nothing and returns that error.
 * From the job thread. */
enum err mailbox_settle(struct mailbox *p) MUST_CHECK;
bool mailbox_settled(struct mailbox *p);
/* Call before the job thread sends its last message. From here on mailbox_cancel_unless_last()
 * cancels nothing, because peers that have that message may consider the job done. If the job has
 * ended before, returns its error. From the job thread. */
enum err mailbox_last(struct mailbox *p) MUST_CHECK;
/* Calls mailbox_cancel(). After mailbox_last(), cancels nothing and returns false. */
bool mailbox_cancel_unless_last(struct mailbox *p, enum err code, const char *why);
/* Call when the job thread computes for this process alone. From here on only mailbox_cancel()
 * stops it; peers that leave or have left do not. From the job thread. */
void mailbox_alone(struct mailbox *p);
/* Returns true if the job has ended, for the reason *why, and the job thread waits for no peer. (It
 * does wait for an absent peer, to report the end.) If this stays true for long, the thread
 * hangs. */
bool mailbox_overdue(struct mailbox *p, struct err_saved *why);
/* Returns true if the wait ended because the coordinator reports that the job is done
 * (channel_fail_done()). The job thread has to verify that report. */
bool mailbox_done(struct mailbox *p);

/* own: this side of the protocol, COORD or PARTY; peer: the other's name, for messages. */
struct channel *channel_new(struct mailbox *p, enum sender own, const char *peer);
void channel_free(struct channel *ch);
const char *channel_peer(const struct channel *ch);

/* ---- the job thread ---- */

/* Sets the step that errors name: "secure sum, round 3"; static text. */
void channel_step(struct channel *ch, const char *step);

/* An error in the peer's data, peer_fault(ch, fmt, ...): ERR_PEER with "<peer> <sentence> (during
 * <step>)". step_fault(ch, fmt, ...) leaves out the peer's name, for faults of others or of
 * several: "<sentence> (during <step>)". */
#define peer_fault(ch, ...) channel_fault_at(__FILE__, __LINE__, ch, true, __VA_ARGS__)
#define step_fault(ch, ...) channel_fault_at(__FILE__, __LINE__, ch, false, __VA_ARGS__)
enum err channel_fault_at(const char *file, int line, const struct channel *ch, bool named,
			  const char *fmt, ...) PRINTF(5, 6);

/* Queues a copy of the message. Blocks while more than CHANNEL_OUT_MAX bytes wait to be sent. ABORT
 * never blocks and overtakes all waiting messages. It can be sent after an error, too, while the
 * connection stands. */
enum err channel_send(struct channel *ch, const struct msg *m) MUST_CHECK;
/* Queues one message on several channels without a recorder; not ABORT. Holds its body once in
 * memory until the last peer has acknowledged it. */
enum err channel_send_all(struct channel *const ch[], size_t count, const struct msg *m) MUST_CHECK;

/* Waits for the next message, which must be of this type. It borrows from the channel until the
 * next receive on the same channel. ERR_PEER: the peer left, or sent another message. ERR_DEADLINE:
 * no progress for step_timeout_s. Otherwise the error of the peer's ABORT or of mailbox_cancel().
 * Messages that arrived before the failure are received first. The failure of any channel of the
 * mailbox ends the wait, because a job continues only with all its parties. */
enum err channel_recv(struct channel *ch, enum msg_type expect, struct msg *m) MUST_CHECK;

/* As channel_recv(), from the first of several channels of one mailbox that has a message. Ignores
 * messages of those with wanted[i] == false, but their failure ends the wait. *which: index of the
 * channel. */
enum err channel_recv_any(struct channel *const ch[], const bool wanted[], size_t count,
			  enum msg_type expect, size_t *which, struct msg *m) MUST_CHECK;
/* As channel_recv_any(), but a message of type `other` is accepted, too. */
enum err channel_recv_either(struct channel *const ch[], const bool wanted[], size_t count,
			     enum msg_type expect, enum msg_type other, size_t *which,
			     struct msg *m) MUST_CHECK;

/* Waits until all that was sent has been handed to the kernel, or the deadline passes. */
enum err channel_flush(struct channel *ch, double timeout_s) MUST_CHECK;
/* Waits until the peer has acknowledged all that was sent. The timeout does not run while the
 * connection is lost and awaited: then the loop thread's clock or mailbox_cancel() ends the wait.
 */
enum err channel_drain(struct channel *ch, double timeout_s) MUST_CHECK;

/* Vectors of labels, packed, in chunks of at most MSG_CHUNK_MAX bytes (CHANNEL_CHUNK when sent).
 * Entries are 0 .. values. channel_recv_labels() checks group, values, count and every entry; label
 * has count entries. */
enum err channel_send_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, const uint32_t *label, size_t count) MUST_CHECK;
enum err channel_send_labels_all(struct channel *const ch[], size_t channels, enum msg_type type,
				 uint32_t group, uint32_t values, const uint32_t *label,
				 size_t count) MUST_CHECK;
enum err channel_recv_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, uint32_t *label, size_t count) MUST_CHECK;
/* As channel_recv_labels(), but the sender chooses values, from `least` to *values; *values becomes
 * its choice. */
enum err channel_recv_labels_upto(struct channel *ch, enum msg_type type, uint32_t group,
				  uint32_t least, uint32_t *values, uint32_t *label,
				  size_t count) MUST_CHECK;
/* As channel_recv_labels(), but the sender chooses the number of entries, up to `most`. The caller
 * frees *label, also after an error (it may be NULL then). */
enum err channel_recv_labels_some(struct channel *ch, enum msg_type type, uint32_t group,
				  uint32_t values, size_t most, uint32_t **label,
				  size_t *count) MUST_CHECK;

/* Vectors of real numbers: MATRIX in doubles, BLOCK and EMBEDDING rounded to floats. Every received
 * number is finite. count may be 0: one empty message. */
enum err channel_send_reals(struct channel *ch, enum msg_type type, uint32_t group, const double *x,
			    size_t count) MUST_CHECK;
enum err channel_send_reals_all(struct channel *const ch[], size_t channels, enum msg_type type,
				uint32_t group, const double *x, size_t count) MUST_CHECK;
enum err channel_recv_reals(struct channel *ch, enum msg_type type, uint32_t group, double *x,
			    size_t count) MUST_CHECK;
/* As channel_recv_reals(), without holding the whole vector: passes pieces in order to `each`,
 * which borrows them, and returns its error. Later pieces may still be invalid. */
typedef enum err channel_reals(void *arg, const double *x, size_t count);
enum err channel_pass_reals(struct channel *ch, enum msg_type type, uint32_t group, size_t count,
			    channel_reals *each, void *arg) MUST_CHECK;
/* As channel_recv_reals(), but the sender chooses the number of rows of `cols` numbers, from
 * `least` to `most`; *rows becomes that number. x holds `most` rows. */
enum err channel_recv_rows(struct channel *ch, enum msg_type type, uint32_t group, size_t cols,
			   size_t least, size_t most, double *x, size_t *rows) MUST_CHECK;

/* Sends or receives a single number; *value is 0 .. most. Both ends agree on its kind, below
 * 65536. */
enum err channel_send_choice(struct channel *ch, unsigned what, uint64_t value) MUST_CHECK;
enum err channel_recv_choice(struct channel *ch, unsigned what, uint64_t most,
			     uint64_t *value) MUST_CHECK;

/* Call when a turn's messages are all sent, before waiting for an answer, if `need` bytes will have
 * to be sent at once later. An idle connection carries 14 kB in its first round trip, and twice as
 * much in each further one if it is fully used. On a link with a long round trip, this function
 * sends zeros to open that window. It sends only as many as can be in flight before the answer
 * arrives, so that no message waits behind them. */
enum err channel_warm(struct channel *ch, size_t need) MUST_CHECK;
/* Call after channel_warm() if the next turn sends at most `spare` bytes: sends zeros for that
 * turn, too. They leave when all sent bytes have arrived, the earliest time at which the answer can
 * arrive. */
enum err channel_warm_on(struct channel *ch, size_t need, size_t spare) MUST_CHECK;
/* Sends one byte of padding before a large vector is answered: TCP slows down a connection that has
 * sent nothing for two round trips. */
enum err channel_touch(struct channel *ch) MUST_CHECK;

/* Returns the job thread's times since the last call. wire_s: the part of the blocked time that the
 * wire took: one measured round trip per exchange, and the time between the first and last byte of
 * the awaited frames. wait_s: the rest of the blocked time, in which others compute. */
void mailbox_times(struct mailbox *p, struct link_times *since_last);

uint64_t channel_bytes(struct channel *ch); /* bytes of all frames so far, both ways */

/* Returns the last measurement of the connection, and an entry for each type of message that was
 * seen. Any thread. */
void channel_link(struct channel *ch, struct link_state *link);

/* Receives a copy of each received message's type and body, for the running hash of a group's
 * broadcasts. Called on the job thread from within the receive. NULL: none. */
typedef void channel_observer(void *arg, enum msg_type type, struct bytes body);
void channel_observe(struct channel *ch, channel_observer *f, void *arg);
/* Called with each received message before its type is checked, for messages that may come between
 * those of the protocol. *taken: it was one of these, and the receive waits for the next; otherwise
 * the message is handled as usual. An error ends the channel. Called on the job thread, from within
 * the receive. NULL: none. */
typedef enum err channel_aside(void *arg, enum msg_type type, struct bytes body, bool *taken);
void channel_set_aside(struct channel *ch, channel_aside *f, void *arg);
/* Waits for the next message, which channel_aside must take. */
enum err channel_recv_aside(struct channel *ch) MUST_CHECK;

/* Records messages before they leave (the ledger). note: a message was encoded and is about to be
 * queued. commit: writes all noted messages durably. forget: messages noted since the last commit
 * will not leave. All are called on the job thread, without a lock.
 *
 * With a recorder, messages are held back until the job thread waits (channel_recv, channel_flush,
 * channel_drain), warms the link, calls channel_release(), or CHANNEL_HELD_MAX bytes are held. Then
 * commit is called once, and they go. That call returns an error of note or commit, and the held
 * messages stay. ABORT and DECLINE leave even then, so that a party with a full disk can report why
 * it ends. PADDING (zeros), frames sent again, and the link's own messages are not noted.
 */
struct channel_recorder {
	enum err (*note)(void *arg, const struct msg *m, struct bytes body);
	enum err (*commit)(void *arg);
	void (*forget)(void *arg);
	void *arg;
};
/* Copies r. NULL: removes the recorder and drops held messages. */
void channel_record(struct channel *ch, const struct channel_recorder *r);
enum err channel_release(struct channel *ch) MUST_CHECK;

/* Waits for s seconds, or until the job is over. Returns ERR_OK, or the error that ended the
 * job. */
enum err channel_pause(struct channel *ch, double s) MUST_CHECK;

/* ---- the loop thread ---- */

enum {
	CHANNEL_HELD_MAX = CHANNEL_CHUNK, /* hashed and committed in 0.2 ms */
	CHANNEL_OUT_MAX = 4 << 20,
	CHANNEL_IN_MAX = 1 << 20,
	/* Most bytes of frames that wait for the peer's acknowledgement. Further ones wait in the
	 * out-queue, and then channel_send() blocks. Fast and far links have fewer in flight: 25 MB
	 * for 1 Gbit/s and 200 ms. */
	CHANNEL_KEPT_MAX = 64 << 20,
	CHANNEL_ACK_EVERY = 1 << 20, /* received bytes before an acknowledgement */
};

/* wake: called from any thread when frames wait, or the in-queue has space; it only wakes the
 * loop. */
void channel_on_wake(struct channel *ch, void (*wake)(void *arg), void *arg);
/* The loop thread takes the next queued message: its type, and its encoded body, moved into *body.
 * The old buffer of *body is kept for later messages or released. */
bool channel_take(struct channel *ch, enum msg_type *type, struct buf *body);
void channel_sent(struct channel *ch, size_t bytes); /* `bytes` frame bytes reached the kernel */
/* Gives a received body to the job thread. The contents move out of *body, which is then empty and
 * may hold a buffer of an earlier message. first_byte_s: the clock_now_s() at which its first byte
 * arrived. */
void channel_deliver(struct channel *ch, enum msg_type type, struct buf *body, double first_byte_s);
bool channel_is_full(struct channel *ch); /* stop reading from the socket until it is not */
void channel_fail(struct channel *ch, enum err code, const char *why); /* the peer is gone */
/* As channel_fail(), but another attempt may follow: mailbox_again(). */
void channel_fail_again(struct channel *ch, enum err code, const char *why);
/* As channel_fail(), but the coordinator reports that the job is done: mailbox_done(). */
void channel_fail_done(struct channel *ch, enum err code, const char *why);
void channel_note_progress(struct channel *ch, uint64_t progress); /* takes a heartbeat's counter */
uint64_t channel_progress(struct channel *ch); /* for own heartbeats: mailbox_progress() */
/* Counts link messages of the same connection, for the record of traffic. */
void channel_count(struct channel *ch, enum msg_type type, bool sent, size_t messages,
		   size_t bytes);

/* Lost connections. Every frame of a job has a number. The channel keeps it until the peer
 * acknowledges it. When the connection is lost, the channel is lost and its owner makes another
 * connection. Both ends then report how far they have received (RESUME), and the kept bytes after
 * that are sent again. These functions are for the loop thread alone. */

/* The job's id and attempt. The coordinator sets them; a party's channel takes them from the
 * OFFER. */
void channel_of_job(struct channel *ch, const uint8_t job_id[static JOB_ID_LEN], uint32_t attempt);
/* Reuses emptied buffers for later messages: 4 MiB of them, or 1 MiB if `little`, to save
 * memory. */
void channel_spare_little(struct channel *ch, bool little);
/* From here on, once the job is known, the channel waits for a lost connection to be restored; a
 * lost connection no longer ends anything. */
void channel_keep(struct channel *ch);
/* Returns the next frame to send: one to be sent again, or the next of the queue, which is then
 * kept. False: there is none, or too many bytes are kept. body is valid until channel_went() has
 * been called and the peer has acknowledged it. */
bool channel_next(struct channel *ch, enum msg_type *type, uint32_t *seq, struct bytes *body);
void channel_went(struct channel *ch); /* call when that frame has been passed on as a whole */
/* Counts a received frame, to be acknowledged later. True: acknowledge now. */
bool channel_came(struct channel *ch, enum msg_type type, uint32_t seq, size_t bytes);
bool channel_ack_due(struct channel *ch, struct msg *ack); /* fills in a due ack */
/* ERR_PEER: an impossible number. */
enum err channel_acked(struct channel *ch, uint32_t received) MUST_CHECK;
uint32_t channel_last(const struct channel *ch); /* number of the last received frame */
/* Call when the connection is lost. False: the channel does not wait for another one; see
 * channel_keep(). */
bool channel_lost(struct channel *ch);
bool channel_is_lost(struct channel *ch);
uint64_t channel_job(const struct channel *ch); /* the job's number in frames, once it is known */
bool channel_is_untouched(const struct channel *ch); /* nothing was received or acknowledged */
void channel_resume_fill(const struct channel *ch, struct msg *resume);
/* Checks RESUME. ERR_PEER: it names another job or attempt, or frames that were not sent, or the
 * channel has failed. Changes nothing. */
enum err channel_resume_check(struct channel *ch, const struct msg_resume *peer) MUST_CHECK;
/* Ends the absence of a channel that is lost, because the peer is back. conn_attach() follows.
 * Errors as above. */
enum err channel_resume(struct channel *ch, const struct msg_resume *peer) MUST_CHECK;

void channel_set_rtt(struct channel *ch, double rtt_s); /* TCP_INFO's smoothed round trip */
void channel_set_congestion(struct channel *ch, const char *name);

/* Joins two channels of different mailboxes in memory, for tests: each receives the other's
 * messages. After one is freed, the other finds that its peer has left. */
void channel_pair(struct channel *a, struct channel *b);

#endif
