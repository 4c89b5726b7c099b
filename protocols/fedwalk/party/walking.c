#include "protocols/fedwalk/party/walking.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "protocols/fedwalk/job.h"
#include "party/work/exchange.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = sizeof(uint32_t) + sizeof(uint16_t), TICK = 1 << 16 };

struct state {
	struct walking *w;
	struct draw draw;
	unsigned width;  /* bytes per token */
	unsigned length; /* l */
	/* One buffer per party: walks received from it. This party's own buffer has the walks that
	 * stay here. */
	struct buf *now;
	struct buf *next;  /* one buffer per party: walks to send to it */
	struct buf done;   /* tokens of the walks that have ended */
	uint32_t *written; /* l tokens of the current walk */
};

struct walker {
	uint32_t at;
	unsigned tokens;
};

static void put_token(const struct state *s, struct buf *b, uint32_t token)
{
	token = htole32(token);
	buf_add(b, &token, s->width);
}

static uint32_t get_token(const struct state *s, const uint8_t *p)
{
	uint32_t token = 0;

	memcpy(&token, p, s->width);
	return le32toh(token);
}

/* Reads one walk of superstep t from *p. Checks the walk, because another party sent it. */
static bool get_walker(struct state *s, const uint8_t **p, const uint8_t *end, unsigned t,
		       struct walker *walker)
{
	const struct vertices *v = s->w->v;
	uint32_t own;
	uint16_t tokens;

	if (end - *p < HEAD)
		return false;
	memcpy(&walker->at, *p, sizeof(walker->at));
	memcpy(&tokens, *p + sizeof(walker->at), sizeof(tokens));
	walker->at = le32toh(walker->at);
	walker->tokens = le16toh(tokens);
	*p += HEAD;
	if (walker->tokens >= s->length || (size_t)(end - *p) < (size_t)walker->tokens * s->width)
		return false;
	for (unsigned i = 0; i < walker->tokens; i++, *p += s->width) {
		s->written[i] = get_token(s, *p);
		if (s->written[i] >= s->w->work->n)
			return false;
	}
	own = walker->at < s->w->work->n ? v->place[walker->at] : UINT32_MAX;
	/* After t supersteps a walk has from t to 2 t tokens. */
	return own != UINT32_MAX && v->start[own] < v->start[own + 1] && walker->tokens >= t &&
	       walker->tokens <= 2 * t;
}

/* Algorithm 1, lines 13 to 35, at device walker->at: writes tokens, and sends the walk on or ends
 * it. */
static void take_turn(struct state *s, struct walker *walker)
{
	struct walking *w = s->w;
	const struct vertices *v = w->v;
	size_t own = v->place[walker->at], first = v->start[own];
	struct fedwalk_turn turn;
	struct buf *to;
	uint32_t at;
	uint16_t tokens;

	fedwalk_take_turn(v->neighbour + first, v->start[own + 1] - first, w->pools,
			  fedwalk_job(&w->work->job)->p, s->length - walker->tokens, &s->draw,
			  &turn);
	for (unsigned i = 0; i < turn.tokens; i++) /* lines 14 and 27 */
		s->written[walker->tokens++] = fedwalk_encode(w->encoder, turn.token[i], &s->draw);
	if (turn.left == 0) { /* the walk ends here; walking() hands it over (line 17) once all
			       * walks have ended */
		for (unsigned i = 0; i < s->length; i++)
			put_token(s, &s->done, s->written[i]);
		w->finished++;
		return;
	}
	walker->at = turn.next; /* lines 29 and 34 */
	w->messages++;
	w->crossing += v->host[turn.next] != w->work->own;
	to = &s->next[v->host[turn.next]];
	at = htole32(walker->at);
	tokens = htole16((uint16_t)walker->tokens);
	buf_add(to, &at, sizeof(at));
	buf_add(to, &tokens, sizeof(tokens));
	for (unsigned i = 0; i < walker->tokens; i++)
		put_token(s, to, s->written[i]);
}

static enum err go_on(struct state *s, size_t from, unsigned t)
{
	const struct work *work = s->w->work;
	const struct buf *b = &s->now[from];
	const uint8_t *p = b->p, *end = b->p + b->n;
	struct walker walker;

	for (size_t count = 1; p < end; count++) {
		if (!get_walker(s, &p, end, t, &walker))
			return step_fault(work->channel,
					  "%s sent a batch in which walk %zu is cut, not due, or "
					  "not for a vertex here",
					  work->name[from], count);
		s->w->came += from != work->own;
		take_turn(s, &walker);
		if (count % TICK == 0)
			progress_tick();
	}
	return ERR_OK;
}

static enum err superstep(struct state *s, unsigned t)
{
	struct work *work = s->w->work;
	size_t most =
	    (size_t)fedwalk_job(&work->job)->walks * work->n * (HEAD + s->width * s->length);
	struct buf *now = s->next;
	enum err e;

	s->next = s->now;
	s->now = now;
	TRY(party_exchange(work, SEALED_WALKS, s->now, s->next, most));
	for (size_t l = 0; l < work->L; l++) { /* received batches replace the sent ones */
		if (l == work->own)
			continue;
		buf_release(&s->now[l]);
		s->now[l] = s->next[l];
		s->next[l] = (struct buf){ 0 };
	}
	for (size_t l = 0; l < work->L; l++) {
		e = go_on(s, l, t);
		buf_release(&s->now[l]);
		TRY(e);
	}
	return ERR_OK;
}

static enum err walking_run(struct state *s)
{
	struct walking *w = s->w;
	const struct vertices *v = w->v;
	const uint8_t *p;

	/* line 4; at a device without neighbours no walk starts */
	for (size_t i = 0; i < v->own; i++) {
		if (v->start[i] == v->start[i + 1])
			continue;
		for (unsigned g = 0; g < fedwalk_job(&w->work->job)->walks; g++, w->begun++)
			take_turn(s, &(struct walker){ .at = v->row[i] });
		if (i % 1024 == 0)
			progress_tick();
	}
	for (unsigned t = 1; t < s->length; t++) {
		TRY(superstep(s, t));
		work_progress(w->work, t, 0);
	}
	/* Shuffles the walks, so that their order does not disclose where each began. */
	ALLOC(w->token, w->finished * s->length);
	p = s->done.p;
	for (size_t i = 0; i < w->finished; i++) {
		size_t j = draw_below(&s->draw, (uint32_t)i + 1);

		if (i != j)
			memcpy(w->token + i * s->length, w->token + j * s->length,
			       s->length * sizeof(*w->token));
		for (unsigned k = 0; k < s->length; k++, p += s->width)
			w->token[j * s->length + k] = get_token(s, p);
	}
	return ERR_OK;
}

enum err walking(struct walking *w)
{
	struct work *work = w->work;
	struct state s = { .w = w, .length = fedwalk_job(&work->job)->length };
	enum err e, drawn;

	s.width = work->n <= 1 << 16 ? 2 : work->n <= 1 << 24 ? 3 : 4;
	ALLOC(s.now, work->L);
	ALLOC(s.next, work->L);
	ALLOC(s.written, s.length);
	draw_init(&s.draw, work_random());
	e = walking_run(&s);
	drawn = draw_end(&s.draw);
	for (size_t l = 0; l < work->L; l++) {
		buf_release(&s.now[l]);
		buf_release(&s.next[l]);
	}
	buf_release(&s.done);
	free(s.now);
	free(s.next);
	free(s.written);
	return e == ERR_OK ? drawn : e;
}

void walking_release(struct walking *w)
{
	free(w->token);
	w->token = NULL;
}
