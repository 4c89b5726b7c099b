#include "worker/state.h"
#include "common/base/alloc.h"
#include "worker/talk.h"

#include <stdlib.h>
#include <string.h>

bool state_is_first(const struct state *s)
{
	return s->R->own == 0;
}

void state_send_up(struct state *s, size_t bytes, size_t own, size_t step, produce *make)
{
	const struct ranks *R = s->R;
	size_t *each = ranks_all(R, sizeof(own), &own), *to, *from;
	char *box, *got;

	box = alloc(step, bytes);
	got = alloc(step, bytes);
	ALLOC(to, R->count);
	ALLOC(from, R->count);
	for (size_t q = 0; q < R->count; q++)
		for (size_t first = 0; first < each[q]; first += step) {
			size_t count = each[q] - first < step ? each[q] - first : step;

			if (q == R->own)
				make(s, first, count, box);
			to[0] = q == R->own ? count : 0;
			from[q] = state_is_first(s) ? count : 0;
			R->exchange(R->ctx, bytes, box, to, got, from);
			from[q] = 0;
			if (state_is_first(s))
				talk_send(got, count * bytes, bytes);
		}
	free(from);
	free(to);
	free(got);
	free(box);
	free(each);
}

size_t state_rows_of_frame(size_t bytes)
{
	return bytes < RANKS_FRAME_MAX ? RANKS_FRAME_MAX / bytes : 1;
}

void state_receive_rows(struct state *s, size_t bytes, void *p)
{
	const struct ranks *R = s->R;
	size_t step = state_rows_of_frame(bytes), *to, *from;
	char *box = alloc(step, bytes), *at = p;

	ALLOC(to, R->count);
	ALLOC(from, R->count);
	for (size_t q = 0; q < R->count; q++)
		for (size_t first = R->cut[q]; first < R->cut[q + 1]; first += step) {
			size_t count = R->cut[q + 1] - first < step ? R->cut[q + 1] - first : step;

			if (state_is_first(s))
				talk_receive(box, count * bytes);
			to[q] = state_is_first(s) ? count : 0;
			from[0] = q == R->own ? count : 0;
			R->exchange(R->ctx, bytes, box, to, at, from);
			at += from[0] * bytes;
			to[q] = 0;
		}
	free(from);
	free(to);
	free(box);
}

void state_receive_told(struct state *s, void *p, size_t n)
{
	if (state_is_first(s))
		talk_receive(p, n);
	ranks_tell(s->R, 0, p, n);
}

void state_send_told(struct state *s, const void *p, size_t n)
{
	if (state_is_first(s))
		talk_send(p, n, sizeof(double));
}

void state_send_mat(struct state *s, const struct mat *m)
{
	state_send_told(s, m->a, m->rows * m->cols * sizeof(*m->a));
}

void state_receive_mat(struct state *s, struct mat *m, size_t rows, size_t cols)
{
	mat_release(m);
	mat_init(m, rows, cols);
	state_receive_told(s, m->a, rows * cols * sizeof(*m->a));
}

void state_make_labels(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->label + first, count * sizeof(*s->label));
}
