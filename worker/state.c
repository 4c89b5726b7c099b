#include "worker/state.h"
#include "common/base/alloc.h"
#include "worker/pipes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool state_is_first(const struct state *s)
{
	return s->R->own == 0;
}

void state_drop(struct state *s)
{
	order_end(&s->search);
	slice_release(&s->slice);
	placing_release(&s->place);
	graph_release(&s->g);
	features_release(&s->X);
	mat_release(&s->Z);
	fedsc_party_release(&s->party);
	ranks_release(s->R);
	free(s->features);
	free(s->moved);
	s->features = NULL;
	s->moved = NULL;
}

bool state_reply(struct state *s, enum err own)
{
	s->reply.code = ranks_agree(s->R, own);
	if (s->reply.code != ERR_OK)
		snprintf(s->reply.why, sizeof(s->reply.why), "%s", err_detail());
	if (state_is_first(s))
		pipes_send_message(RANKS_REPLY, &s->reply, sizeof(s->reply));
	return s->reply.code == ERR_OK;
}

/* Rank `from` sends `count` items to rank `to`, which receives them. */
static void carry(const struct ranks *R, size_t bytes, size_t count, size_t from, const void *out,
		  size_t to, void *in)
{
	size_t *sent = alloc(R->count, sizeof(*sent)), *received;

	ALLOC(received, R->count);
	sent[to] = R->own == from ? count : 0;
	received[from] = R->own == to ? count : 0;
	R->exchange(R->ctx, bytes, out, sent, in, received);
	free(received);
	free(sent);
}

void state_send_made(struct state *s, size_t bytes, size_t count, size_t step, produce *make,
		     void *arg)
{
	const struct ranks *R = s->R;
	size_t *each = ranks_all(R, sizeof(count), &count);
	char *box = alloc(step, bytes), *got = alloc(step, bytes);

	for (size_t q = 0; q < R->count; q++)
		for (size_t first = 0; first < each[q]; first += step) {
			size_t some = min_size(step, each[q] - first);

			if (q == R->own)
				make(arg, first, some, box);
			carry(R, bytes, some, q, box, 0, got);
			if (state_is_first(s))
				pipes_send_vector(got, some * bytes, bytes);
		}
	free(got);
	free(box);
	free(each);
}

/* Returns the number of items per frame. A single item may take several frames. */
static size_t items_of_frame(size_t bytes)
{
	return bytes < RANKS_FRAME_MAX ? RANKS_FRAME_MAX / bytes : 1;
}

struct items {
	const char *p;
	size_t bytes;
};

static void copy_items(void *arg, size_t first, size_t count, void *to)
{
	const struct items *items = arg;

	memcpy(to, items->p + first * items->bytes, count * items->bytes);
}

void state_send_items(struct state *s, size_t bytes, size_t count, const void *items)
{
	struct items all = { items, bytes };

	state_send_made(s, bytes, count, items_of_frame(bytes), copy_items, &all);
}

void state_receive_rows(struct state *s, size_t bytes, void *p)
{
	const struct ranks *R = s->R;
	size_t step = items_of_frame(bytes);
	char *box = alloc(step, bytes), *at = p;

	for (size_t q = 0; q < R->count; q++)
		for (size_t first = R->cut[q]; first < R->cut[q + 1]; first += step) {
			size_t count = min_size(step, R->cut[q + 1] - first);

			if (state_is_first(s))
				pipes_receive(box, count * bytes);
			carry(R, bytes, count, 0, box, q, at);
			if (q == R->own)
				at += count * bytes;
		}
	free(box);
}

void state_receive_common(struct state *s, void *p, size_t n)
{
	if (state_is_first(s))
		pipes_receive(p, n);
	ranks_broadcast(s->R, 0, p, n);
}

void state_send_common(struct state *s, const void *p, size_t n)
{
	if (state_is_first(s))
		pipes_send_vector(p, n, sizeof(double));
}

void state_send_mat(struct state *s, const struct mat *m)
{
	state_send_common(s, m->a, m->rows * m->cols * sizeof(*m->a));
}

void state_receive_mat(struct state *s, struct mat *m, size_t rows, size_t cols)
{
	mat_init(m, rows, cols);
	state_receive_common(s, m->a, rows * cols * sizeof(*m->a));
}
