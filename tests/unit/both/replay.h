/* replay.h -- runs one half of a protocol against a script: the recorded messages of the other
 * half, with a change.
 *
 * A federation runs, and the recording stores every message that a half receives. Then one half
 * runs again, alone and on this thread, with the script already in its channels. The script ends
 * with DONE, which no run() expects, so a half that continues reports DONE as wrong.
 *
 * recording_new() records kCAGC. Tests of other kinds set the recording's job, rows and part, set
 * up its f as in federation.h, and call recording_hear() before federation_run(). */
#ifndef TESTS_UNIT_BOTH_REPLAY_H
#define TESTS_UNIT_BOTH_REPLAY_H

#include "protocols/kcagc/job.h"
#include "common/base/clock.h"
#include "protocols/fedsc/coordinator.h"
#include "proto/labels.h"
#include "tests/unit/both/federation.h"

struct note {
	enum msg_type type;
	uint8_t *body;
	size_t len;
	char step[24]; /* the receiver's phase */
};

struct script {
	struct note *note;
	size_t count;
};

static inline void script_add(struct script *s, enum msg_type type, struct bytes body,
			      const char *step)
{
	struct note *note;

	s->note = alloc_again(s->note, s->count + 1, sizeof(*s->note));
	note = &s->note[s->count++];
	*note = (struct note){ .type = type, .body = alloc(body.n, 1), .len = body.n };
	if (body.n)
		memcpy(note->body, body.p, body.n);
	snprintf(note->step, sizeof(note->step), "%s", step);
}

static inline void script_add_msg(struct script *s, const struct msg *m)
{
	struct buf body = { 0 };

	msg_encode(&body, m);
	script_add(s, m->type, (struct bytes){ body.p, body.n }, "");
	buf_release(&body);
}

/* Appends the first `count` notes of another script. */
static inline void script_copy(struct script *s, const struct script *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		script_add(s, from->note[i].type,
			   (struct bytes){ from->note[i].body, from->note[i].len },
			   from->note[i].step);
}

static inline void script_release(struct script *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->note[i].body);
	free(s->note);
	*s = (struct script){ 0 };
}

/* ---- the recording ---- */

struct recording {
	struct planted data;    /* kCAGC's data; other kinds set rows and part */
	const struct mat *rows; /* the rows that `part` distributes to parties; borrowed */
	const uint32_t *part;
	struct job job;
	struct federation f;
	struct script to_party[FED_MAX], from_party[FED_MAX];
};

static inline const char *recording_phase(struct record *record)
{
	return record->phases ? record_now(record)->name : "start";
}

static inline void recording_hear_party(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct recording *r = arg;

	script_add(&r->to_party[l], type, body, recording_phase(&r->f.party[l].record));
}

static inline void recording_hear_server(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct recording *r = arg;

	script_add(&r->from_party[l], type, body, recording_phase(&r->f.server.record));
}

/* Copies party l's own columns or rows. */
static inline void recording_slice(const struct recording *r, size_t l, struct features *X)
{
	*X = (struct features){ 0 };
	if (r->rows)
		fedsc_deal(r->rows, r->part, (uint32_t)l, &X->dense);
	else
		planted_slice(&r->data, l, r->f.server.L, X);
}

static inline void recording_hear(struct recording *r)
{
	size_t L = r->f.server.L;

	r->f.server.saw = recording_hear_server;
	r->f.server.saw_arg = r;
	for (size_t l = 0; l < L; l++) {
		r->f.party[l].saw = recording_hear_party;
		r->f.party[l].saw_arg = r;
	}
}

/* Sets up the federation and its recording. The caller has set data and job. */
static inline void recording_init(struct recording *r, size_t L)
{
	federation_init(&r->f, &r->data, L, &r->job);
	recording_hear(r);
}

/* Runs and records a kCAGC job of L parties. With `equal`, all parties have the same columns. */
static inline struct recording *recording_new(const struct plan *plan, size_t L,
					      const char *settings, bool equal)
{
	struct recording *r;

	ALLOC(r, 1);
	planted_make(&r->data, plan);
	if (equal)
		planted_repeat(&r->data, L);
	r->job = planted_job(settings);
	recording_init(r, L);
	federation_run(&r->f);
	federation_succeeded(&r->f);
	return r;
}

static inline void recording_free(struct recording *r)
{
	for (size_t l = 0; l < r->f.server.L; l++) {
		script_release(&r->to_party[l]);
		script_release(&r->from_party[l]);
	}
	federation_release(&r->f);
	planted_release(&r->data);
	free(r);
}

/* ---- the replay ---- */

struct outcome {
	enum err code;
	char why[ERR_DETAIL_MAX];
	/* number of received messages of the expected type, by sender; at a party the sender is
	 * 0 */
	size_t taken[FED_MAX];
};

static inline void replay_count(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	size_t *taken = arg;

	(void)type;
	(void)body;
	taken[l]++;
}

static inline void replay_deliver(struct channel *ch, const struct script *s)
{
	struct buf body = { 0 };

	for (size_t i = 0; i < s->count; i++) {
		/* allocates the exact size, so that a sanitizer detects a read beyond the end */
		body = (struct buf){ .p = alloc(s->note[i].len, 1) };
		body.n = body.cap = s->note[i].len;
		if (body.n)
			memcpy(body.p, s->note[i].body, body.n);
		channel_deliver(ch, s->note[i].type, &body, clock_now_s());
		buf_release(&body);
	}
	channel_deliver(ch, MSG_DONE, &body, clock_now_s());
	buf_release(&body);
}

static inline void replay_end(struct half *h, struct outcome *out)
{
	out->code = h->result;
	snprintf(out->why, sizeof(out->why), "%s", h->why);
	record_release(&h->record);
	features_release(&h->X);
	free(h->label);
	free(h->confidence);
	if (h->job->kind != &kind_kcagc_predict) /* kcagc.predict borrows the recording's model */
		model_free(h->model);
}

static inline void replay_party(struct recording *r, size_t l, const struct script *s,
				struct outcome *out)
{
	size_t taken[FED_MAX] = { 0 };
	struct half *h = alloc(1, sizeof(*h));

	*h =
	    (struct half){ .job = &r->job,
			   .L = r->f.server.L,
			   .own = l,
			   .mailbox = mailbox_new(5),
			   .secagg = r->f.party[l].secagg,
			   .has_group_key = r->f.party[l].has_group_key,
			   .model = r->job.kind == &kind_kcagc_predict ? r->f.party[l].model : NULL,
			   .g = r->f.party[l].g,
			   .dataset = r->f.party[l].dataset,
			   .graphs = r->f.party[l].graphs,
			   .output = r->f.party[l].output,
			   .n = r->f.party[l].n,
			   .min_cluster = r->f.party[l].min_cluster,
			   .threads = 1,
			   .label = alloc(r->f.party[l].n, sizeof(*h->label)),
			   .saw = replay_count,
			   .saw_arg = taken };
	memcpy(h->group_key, r->f.party[l].group_key, sizeof(h->group_key));
	memcpy(h->name, r->f.server.name, sizeof(h->name));
	record_init(&h->record, "party", h->name[l]);
	recording_slice(r, l, &h->X);
	h->channel[0] = channel_new(h->mailbox, PARTY, "hub");
	/* The script repeats all sealed messages, so their counters restart. */
	for (size_t j = 0; j < h->L; j++)
		if (j != l)
			*secagg_sealed(h->secagg, j) = (struct secagg_sealed){ 0 };
	replay_deliver(h->channel[0], s);
	half_party(h);
	replay_end(h, out);
	out->taken[0] = taken[l];
	channel_free(h->channel[0]);
	mailbox_free(h->mailbox);
	free(h);
}

/* All parties follow their recorded scripts except party l, which follows s. */
static inline void replay_server(struct recording *r, size_t l, const struct script *s,
				 struct outcome *out)
{
	struct half *h = alloc(1, sizeof(*h));

	memset(out->taken, 0, sizeof(out->taken));
	*h = (struct half){ .job = &r->job,
			    .L = r->f.server.L,
			    .mailbox = mailbox_new(5),
			    .n = r->f.server.n,
			    .columns = r->f.server.columns,
			    .output = r->f.server.output,
			    .label = alloc(r->f.server.n, sizeof(*h->label)),
			    .saw = replay_count,
			    .saw_arg = out->taken };
	memcpy(h->name, r->f.server.name, sizeof(h->name));
	record_init(&h->record, "coordinator", "hub");
	for (size_t i = 0; i < h->L; i++) {
		h->channel[i] = channel_new(h->mailbox, COORD, h->name[i]);
		replay_deliver(h->channel[i], i == l ? s : &r->from_party[i]);
	}
	half_server(h);
	replay_end(h, out);
	for (size_t i = 0; i < h->L; i++)
		channel_free(h->channel[i]);
	mailbox_free(h->mailbox);
	free(h);
}

/* ---- both sides alike ---- */

/* The half that receives a script: party l, or the coordinator, which receives it from party l. */
struct listener {
	struct recording *r;
	size_t l;
	bool server;
};

static inline const struct script *listener_script(const struct listener *to)
{
	return to->server ? &to->r->from_party[to->l] : &to->r->to_party[to->l];
}

static inline const char *listener_peer(const struct listener *to)
{
	return to->server ? to->r->f.server.name[to->l] : "hub";
}

static inline void replay(const struct listener *to, const struct script *s, struct outcome *out)
{
	if (to->server)
		replay_server(to->r, to->l, s, out);
	else
		replay_party(to->r, to->l, s, out);
	if (to->server)
		out->taken[0] = out->taken[to->l];
}

/* Describes the message and its step, for the messages of failed checks. */
static inline const char *listener_text(const struct listener *to, size_t step, const char *what)
{
	static char text[256];
	const struct note *note = &listener_script(to)->note[step];

	snprintf(text, sizeof(text), "%s, %s %zu from %s, %s %s instead of %s",
		 to->server ? "coordinator" : to->r->f.server.name[to->l], note->step, step,
		 listener_peer(to), "got", what, msg_name(note->type));
	return text;
}

/* Requires that the half continued past `step`, to the next expected message or to the end. */
static inline void assert_goes_on(const struct listener *to, size_t step, const char *what,
				  const struct outcome *out)
{
	const struct script *full = listener_script(to);
	char next[128];

	if (step + 1 == full->count) {
		if (out->code != ERR_OK)
			fail_msg("%s: %s", listener_text(to, step, what), out->why);
		return;
	}
	snprintf(next, sizeof(next), "%s sent DONE, expected %s (during %s)", listener_peer(to),
		 msg_name(full->note[step + 1].type), full->note[step + 1].step);
	if (out->code != ERR_PEER || strcmp(out->why, next))
		fail_msg("%s: %s \"%s\", expected \"%s\"", listener_text(to, step, what),
			 err_name(out->code), out->why, next);
}

/* Requires that the half failed at `step`, with an error that names sender, message and step. */
static inline void assert_refused(const struct listener *to, size_t step, const char *what,
				  enum msg_type type, const struct outcome *out)
{
	const struct note *due = &listener_script(to)->note[step];
	char during[40];

	snprintf(during, sizeof(during), "(during %s)", due->step);
	if (out->code != ERR_PEER || !strstr(out->why, listener_peer(to)) ||
	    !strstr(out->why, msg_name(type)) || !strstr(out->why, during) ||
	    (type != MSG_DONE && strstr(out->why, msg_name(MSG_DONE))))
		fail_msg("%s: not refused as it ought to be: %s \"%s\"",
			 listener_text(to, step, what), err_name(out->code), out->why);
}

#endif
