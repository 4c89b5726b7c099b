/* channel.h -- one peer of a job, as the job thread sees it: blocking sends and receives.
 *
 * A channel connects two threads. The job thread calls channel_send and channel_recv, in the order
 * of the protocol. The loop thread moves the frames (proto/conn.h) and reports failures. A channel
 * does not use a socket itself, so a test can join two channels in memory (channel_pair).
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

/* The job thread waits at a mailbox for messages of all its channels. The mailbox outlives the
 * channels. */
struct mailbox;
/* Makes a mailbox. step_timeout_s: the longest wait in which a peer's progress counter does not
 * change and no bytes move; 0: no limit. */
struct mailbox *mailbox_new(double step_timeout_s);
/* Call from the job thread. */
void mailbox_set_step_timeout(struct mailbox *p, double step_timeout_s);
/* Limits the job's time from now on, even if its peers are busy; 0: no limit. After this time,
 * calls that wait or take the next message fail with ERR_DEADLINE. Call from the job thread. */
void mailbox_set_job_timeout(struct mailbox *p, double job_timeout_s);
void mailbox_free(struct mailbox *p);
/* Binds this thread's computation to p's job until mailbox_enter(NULL). Progress and end of other
 * jobs of this process then do not affect this job. Call mailbox_enter(NULL) before
 * mailbox_free(). */
void mailbox_enter(struct mailbox *p);
/* The following functions may be called from any thread. mailbox_cancel() ends every wait with this
 * error. */
void mailbox_cancel(struct mailbox *p, enum err code, const char *why);
/* As mailbox_cancel(), but another attempt may follow: mailbox_again() becomes true. */
void mailbox_interrupt(struct mailbox *p, enum err code, const char *why);
/* Returns the value for this process's heartbeats. It rises with each tick of the computation, each
 * frame sent or received, and at the coordinator with each change of a party's counter. */
uint64_t mailbox_progress(struct mailbox *p);
/* Returns true if only this attempt ended, so that another may follow: after channel_fail_again(),
 * mailbox_interrupt(), or with MSG_AGAIN the coordinator's ABORT or a party's DECLINE. */
bool mailbox_again(struct mailbox *p);
/* Returns the error that stopped the computation (progress_stopped()). It is that of
 * mailbox_cancel(), if it was called, otherwise that of the first channel that failed. ERR_OK: the
 * computation was not stopped. */
enum err mailbox_error(struct mailbox *p) MUST_CHECK;
/* Marks the job as done. From here on, neither a peer's failure nor mailbox_cancel() ends it, and
 * mailbox_again() stays false. If the job has already ended, changes nothing and returns its error.
 * Call from the job thread. */
enum err mailbox_settle(struct mailbox *p) MUST_CHECK;
bool mailbox_settled(struct mailbox *p);
/* Call from the job thread before it sends its last message. From here on
 * mailbox_cancel_unless_last() cancels nothing, because peers that have that message may consider
 * the job done. If the job has already ended, returns its error. */
enum err mailbox_last(struct mailbox *p) MUST_CHECK;
/* As mailbox_cancel(), but after mailbox_last() cancels nothing and returns false. */
bool mailbox_cancel_unless_last(struct mailbox *p, enum err code, const char *why);
/* Call from the job thread when it computes for this process alone. From here on only
 * mailbox_cancel() stops it. Peers that leave or have left do not. */
void mailbox_alone(struct mailbox *p);
/* Returns true if the job has ended, for the reason *why, but the job thread still computes.
 * Returns false while that thread waits, such as for an absent peer to which it reports the end,
 * and after mailbox_settle(). If the result stays true for long, the thread hangs. */
bool mailbox_overdue(struct mailbox *p, struct err_saved *why);
/* Returns true if the wait ended because the coordinator reports that the job is done
 * (channel_fail_done()). The job thread has to verify that report. */
bool mailbox_done(struct mailbox *p);

/* Makes a channel. own: this side of the protocol, COORD or PARTY. peer: name of the other side,
 * for messages. */
struct channel *channel_new(struct mailbox *p, enum sender own, const char *peer);
void channel_free(struct channel *ch);
const char *channel_peer(const struct channel *ch);

/* ---- the job thread ---- */

/* Sets the step that errors name, such as "secure sum, round 3". The text must be static. */
void channel_step(struct channel *ch, const char *step);

/* peer_fault(ch, fmt, ...) reports an error in the peer's data: ERR_PEER with "<peer> <sentence>
 * (during <step>)". step_fault(ch, fmt, ...) leaves out the peer's name, for faults of another peer
 * or of several peers: "<sentence> (during <step>)". */
#define peer_fault(ch, ...) channel_fault_at(__FILE__, __LINE__, ch, true, __VA_ARGS__)
#define step_fault(ch, ...) channel_fault_at(__FILE__, __LINE__, ch, false, __VA_ARGS__)
enum err channel_fault_at(const char *file, int line, const struct channel *ch, bool named,
			  const char *fmt, ...) PRINTF(5, 6);

/* Queues a copy of the message. Blocks while more than CHANNEL_OUT_MAX bytes wait to be sent. ABORT
 * never blocks, and replaces all waiting messages. It can also be sent after an error, as long as
 * the connection exists. */
enum err channel_send(struct channel *ch, const struct msg *m) MUST_CHECK;
/* Queues one message on several channels, which must have no recorder. The message must not be
 * ABORT. Its body is in memory only once, until the last peer has acknowledged it. */
enum err channel_send_all(struct channel *const ch[], size_t count, const struct msg *m) MUST_CHECK;

/* Waits for the next message, which must be of this type. The message borrows from the channel
 * until the next receive on the same channel. ERR_PEER: the peer left, or sent another message.
 * ERR_DEADLINE: no progress for step_timeout_s, or the job's time is over. Other errors: that of
 * the peer's ABORT, or that of mailbox_cancel(). Messages that arrived before the failure are
 * received first. The failure of any channel of the mailbox ends the wait, because a job continues
 * only with all its parties. */
enum err channel_recv(struct channel *ch, enum msg_type expect, struct msg *m) MUST_CHECK;

/* As channel_recv(), but from several channels of one mailbox: takes the first message that
 * arrives. Ignores messages of channels with wanted[i] == false; their failure ends the wait, too.
 * *which: index of the channel. */
enum err channel_recv_any(struct channel *const ch[], const bool wanted[], size_t count,
			  enum msg_type expect, size_t *which, struct msg *m) MUST_CHECK;
/* As channel_recv_any(), but also accepts a message of type `other`. */
enum err channel_recv_either(struct channel *const ch[], const bool wanted[], size_t count,
			     enum msg_type expect, enum msg_type other, size_t *which,
			     struct msg *m) MUST_CHECK;

/* Waits until the kernel has all sent bytes. ERR_DEADLINE after timeout_s. ERR_PEER: the peer is
 * gone. */
enum err channel_flush(struct channel *ch, double timeout_s) MUST_CHECK;
/* Waits until the peer has acknowledged all sent bytes. While the channel waits for a lost
 * connection to return, the timeout does not run: only the loop thread (channel_fail()) or
 * mailbox_cancel() ends the wait. Errors as channel_flush(), or that of mailbox_cancel().
 */
enum err channel_drain(struct channel *ch, double timeout_s) MUST_CHECK;

/* Send and receive vectors of packed labels, in chunks of at most MSG_CHUNK_MAX bytes
 * (CHANNEL_CHUNK when sent). Entries are 0 .. values. channel_recv_labels() checks group, values,
 * count and every entry; label has count entries. */
enum err channel_send_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, const uint32_t *label, size_t count) MUST_CHECK;
enum err channel_send_labels_all(struct channel *const ch[], size_t channels, enum msg_type type,
				 uint32_t group, uint32_t values, const uint32_t *label,
				 size_t count) MUST_CHECK;
enum err channel_recv_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, uint32_t *label, size_t count) MUST_CHECK;
/* As channel_recv_labels(), but the sender chooses the largest value of an entry. It is from
 * `least` to *values, and *values becomes it. */
enum err channel_recv_labels_upto(struct channel *ch, enum msg_type type, uint32_t group,
				  uint32_t least, uint32_t *values, uint32_t *label,
				  size_t count) MUST_CHECK;
/* As channel_recv_labels(), but the sender chooses the number of entries, up to `most`. The caller
 * frees *label, also after an error; it may be NULL then. */
enum err channel_recv_labels_some(struct channel *ch, enum msg_type type, uint32_t group,
				  uint32_t values, size_t most, uint32_t **label,
				  size_t *count) MUST_CHECK;

/* Send and receive vectors of real numbers: in BLOCK and EMBEDDING rounded to floats, in all other
 * types as doubles. Every received number is finite. count 0 sends one empty message. */
enum err channel_send_reals(struct channel *ch, enum msg_type type, uint32_t group, const double *x,
			    size_t count) MUST_CHECK;
enum err channel_send_reals_all(struct channel *const ch[], size_t channels, enum msg_type type,
				uint32_t group, const double *x, size_t count) MUST_CHECK;
enum err channel_recv_reals(struct channel *ch, enum msg_type type, uint32_t group, double *x,
			    size_t count) MUST_CHECK;
/* As channel_recv_reals(), but does not hold the whole vector. Passes the pieces in order to
 * `each`, which borrows them, and returns its error. When `each` gets a piece, later pieces may
 * still be invalid. */
typedef enum err channel_reals(void *arg, const double *x, size_t count);
enum err channel_pass_reals(struct channel *ch, enum msg_type type, uint32_t group, size_t count,
			    channel_reals *each, void *arg) MUST_CHECK;
/* As channel_recv_reals(), but the sender chooses the number of rows of `cols` numbers, from
 * `least` to `most`; *rows becomes that number. x holds `most` rows. */
enum err channel_recv_rows(struct channel *ch, enum msg_type type, uint32_t group, size_t cols,
			   size_t least, size_t most, double *x, size_t *rows) MUST_CHECK;

/* Send or receive a single number; *value is 0 .. most. what: number of its meaning, below 65536;
 * both ends must pass the same. */
enum err channel_send_choice(struct channel *ch, unsigned what, uint64_t value) MUST_CHECK;
enum err channel_recv_choice(struct channel *ch, unsigned what, uint64_t most,
			     uint64_t *value) MUST_CHECK;

/* Call when all messages of a turn are sent, before waiting for an answer, if `need` bytes must
 * be sent at once later. In its first round trip, an idle connection carries 14 kB. In each
 * further round trip it carries twice as much as before, if it is fully used. On a link with a
 * long round trip, this function sends zeros, so that the next message finds a larger window. It
 * sends only as many as can be in flight before the answer arrives, so that no message waits
 * behind them. */
enum err channel_warm(struct channel *ch, size_t need) MUST_CHECK;
/* Call after channel_warm() if the next turn sends at most `spare` bytes. Sends zeros for that turn
 * too. TCP sends these zeros once the bytes before them have arrived; the answer cannot arrive
 * earlier. */
enum err channel_warm_on(struct channel *ch, size_t need, size_t spare) MUST_CHECK;
/* Sends one byte of padding if the round trip takes 20 ms or more. Call before a large vector is
 * sent as an answer, because TCP slows down a connection that has sent nothing for two round
 * trips. */
enum err channel_touch(struct channel *ch) MUST_CHECK;

/* Returns the job thread's times since the last call. wire_s: the part of the blocked time that the
 * network took, which is one measured round trip per exchange, and the time between the first and
 * last byte of awaited frames. wait_s: the rest of the blocked time, in which other processes
 * compute. */
void mailbox_times(struct mailbox *p, struct link_times *since_last);

uint64_t channel_bytes(struct channel *ch); /* bytes of all frames so far, in both directions */

/* Returns the last measurement of the connection, and an entry for each type of message that was
 * sent or received. Call from any thread. */
void channel_link(struct channel *ch, struct link_state *link);

/* Gets the type and body of each received message, for the running hash of a group's broadcasts.
 * Called on the job thread from within the receive. NULL: no observer. */
typedef void channel_observer(void *arg, enum msg_type type, struct bytes body);
void channel_observe(struct channel *ch, channel_observer *f, void *arg);
/* Called with each received message before its type is checked, for messages that may arrive
 * between those of the protocol. Sets *taken if it has handled the message; the receive then waits
 * for the next one. An error ends the channel. Called on the job thread, from within the receive.
 * NULL: there is no such function. */
typedef enum err channel_aside(void *arg, enum msg_type type, struct bytes body, bool *taken);
void channel_set_aside(struct channel *ch, channel_aside *f, void *arg);
/* Waits for the next message, which the function set by channel_set_aside() must handle. */
enum err channel_recv_aside(struct channel *ch) MUST_CHECK;

/* Records messages before they leave (the ledger). note: called when a message is encoded and is
 * about to be queued. commit: writes all noted messages durably. forget: called when messages noted
 * since the last commit will not leave. All are called on the job thread, without a lock.
 *
 * With a recorder, messages are held back until the job thread waits (channel_recv, channel_flush,
 * channel_drain, channel_pause), sends padding, calls channel_release(), or CHANNEL_HELD_MAX bytes
 * are held. Then commit is called once, and the held messages leave. If note or commit fails, that
 * call returns the error, and the held messages stay. ABORT and DECLINE leave even then, so that a
 * party with a full disk can report why it ends. PADDING (zeros), frames sent again, and the link's
 * own messages are not noted.
 */
struct channel_recorder {
	enum err (*note)(void *arg, const struct msg *m, struct bytes body);
	enum err (*commit)(void *arg);
	void (*forget)(void *arg);
	void *arg;
};
/* Sets the recorder, by a copy of r. NULL: removes the recorder and drops held messages. */
void channel_record(struct channel *ch, const struct channel_recorder *r);
enum err channel_release(struct channel *ch) MUST_CHECK;

/* Calls channel_release(), then waits for s seconds, or until the job is over. Returns ERR_OK, the
 * error of channel_release(), or the one that ended the job. */
enum err channel_pause(struct channel *ch, double s) MUST_CHECK;

/* ---- the loop thread ---- */

enum {
	/* Bytes of held messages at which they are committed and leave (struct channel_recorder).
	 * Hashing and committing this many takes 0.2 ms. */
	CHANNEL_HELD_MAX = CHANNEL_CHUNK,
	CHANNEL_OUT_MAX = 4 << 20,
	CHANNEL_IN_MAX = 1 << 20,
	/* Most bytes of frames that wait for the peer's acknowledgement. Further frames wait in the
	 * out-queue, and then channel_send() blocks. Even a fast link with a long delay has fewer
	 * bytes in flight: 25 MB for 1 Gbit/s and 200 ms. */
	CHANNEL_KEPT_MAX = 64 << 20,
	/* Number of received bytes after which an acknowledgement is sent. */
	CHANNEL_ACK_EVERY = 1 << 20,
};

/* Sets the function that wakes the loop. wake: called from any thread when frames wait or the
 * in-queue has space. It only wakes the loop. */
void channel_on_wake(struct channel *ch, void (*wake)(void *arg), void *arg);
/* The loop thread takes the next queued message: its type, and its encoded body, which is moved
 * into *body. The buffer that *body had before is kept for later messages, or released. */
bool channel_take(struct channel *ch, enum msg_type *type, struct buf *body);
/* call when the kernel has taken `bytes` bytes of frames */
void channel_sent(struct channel *ch, size_t bytes);
/* Passes a received body to the job thread. The contents move out of *body, which is then empty but
 * may have the buffer of an earlier message. first_byte_s: the clock_now_s() at which its first
 * byte arrived. */
void channel_deliver(struct channel *ch, enum msg_type type, struct buf *body, double first_byte_s);
bool channel_is_full(struct channel *ch); /* while true, the loop does not read from the socket */
/* Call when the peer is gone. */
void channel_fail(struct channel *ch, enum err code, const char *why);
/* As channel_fail(), but another attempt may follow: mailbox_again(). */
void channel_fail_again(struct channel *ch, enum err code, const char *why);
/* As channel_fail(), but the coordinator reports that the job is done: mailbox_done(). */
void channel_fail_done(struct channel *ch, enum err code, const char *why);
/* Stores the counter of a peer's heartbeat. */
void channel_note_progress(struct channel *ch, uint64_t progress);
uint64_t channel_progress(struct channel *ch); /* returns mailbox_progress() of its mailbox */
/* Counts messages that do not pass the queues, for the record of traffic: those of the link, and
 * received PADDING. */
void channel_count(struct channel *ch, enum msg_type type, bool sent, size_t messages,
		   size_t bytes);

/* Lost connections. Every frame of a job has a number. The channel keeps the frame until the peer
 * acknowledges it. When the connection is lost, the channel counts as lost, and its owner makes
 * another connection. Both ends then report the last frame that they have received (RESUME), and
 * later frames are sent again. Only the loop thread calls these functions. */

/* Sets the job's id and attempt. The coordinator calls it; a party's channel takes both from the
 * OFFER. */
void channel_of_job(struct channel *ch, const uint8_t job_id[static JOB_ID_LEN], uint32_t attempt);
/* Buffers that become empty are reused for later messages: up to 4 MiB of them, or 1 MiB if
 * `little`, to save memory. */
void channel_spare_little(struct channel *ch, bool little);
/* Call once the job is known. From here on, a lost connection does not end the job: the channel
 * waits until it is restored. */
void channel_keep(struct channel *ch);
/* Takes the next frame to send: a frame to be sent again, or the next message of the queue, which
 * becomes a kept frame. Returns false if there is none, or if too many bytes are kept. body is
 * valid until channel_went() has been called and the peer has acknowledged the frame. */
bool channel_next(struct channel *ch, enum msg_type *type, uint32_t *seq, struct bytes *body);
/* Call when the whole frame of channel_next() has been passed on. */
void channel_went(struct channel *ch);
/* Counts a received frame, which must be acknowledged later. Returns true if it must be
 * acknowledged now. */
bool channel_came(struct channel *ch, enum msg_type type, uint32_t seq, size_t bytes);
/* Fills in the ACK that is due, and counts it as sent. Returns false if none is due. */
bool channel_ack_due(struct channel *ch, struct msg *ack);
/* Handles a received ACK. ERR_PEER: its number is impossible. */
enum err channel_acked(struct channel *ch, uint32_t received) MUST_CHECK;
uint32_t channel_last(const struct channel *ch); /* number of the last received frame */
/* Call when the connection is lost. Returns false if the channel does not wait for another one; see
 * channel_keep(). */
bool channel_lost(struct channel *ch);
bool channel_is_lost(struct channel *ch);
/* Returns the job's number in frames; 0 until the job is known. */
uint64_t channel_job(const struct channel *ch);
/* returns true if nothing was received or acknowledged */
bool channel_is_untouched(const struct channel *ch);
void channel_resume_fill(const struct channel *ch, struct msg *resume);
/* Checks RESUME, and changes nothing. ERR_PEER: it names another job or attempt, or frames that
 * were not sent; or the channel has failed. */
enum err channel_resume_check(struct channel *ch, const struct msg_resume *peer) MUST_CHECK;
/* Marks a lost channel as connected again, because the peer is back. Call conn_attach() afterwards.
 * Errors: as channel_resume_check(). */
enum err channel_resume(struct channel *ch, const struct msg_resume *peer) MUST_CHECK;

/* Sets the smoothed round trip of TCP_INFO. */
void channel_set_rtt(struct channel *ch, double rtt_s);
void channel_set_congestion(struct channel *ch, const char *name);

/* Joins two channels of different mailboxes in memory, for tests: each receives the other's
 * messages. If one channel is freed, the other behaves as if its peer had left. */
void channel_pair(struct channel *a, struct channel *b);

#endif
