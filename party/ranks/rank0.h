/* rank0.h -- the party's end of the pipes to rank 0 (common/ranks/pipe.h), for the orders of
 * workers.h in workers.c. Errors are those of workers.h. */
#ifndef PARTY_RANKS_RANK0_H
#define PARTY_RANKS_RANK0_H

#include "party/ranks/mpirun.h"
#include "party/ranks/workers.h"

enum { SAID_MAX = 4096 };

struct workers {
	struct mpirun at;
	struct ranks_pipe pipe;
	struct ranks_sizes sizes;
	struct ranks_place *place;
	bool greeted, died;
	char said[SAID_MAX]; /* the beginning of mpirun's and ranks' standard error */
	size_t said_n;
	struct ranks_order order;
	struct ranks_reply reply;
	uint8_t *piece; /* RANKS_FRAME_MAX */
};

/* Data that go with an order, or, after its reply, come: one of from and to. */
struct rank0_part {
	const void *from;
	void *to;
	size_t bytes;
};
/* clang-format off */
#define SENT(p, count)     { .from = (p), .bytes = (count) * sizeof(*(p)) }
#define RECEIVED(p, count) { .to = (p), .bytes = (count) * sizeof(*(p)) }
#define SENT_MAT(m)        SENT((m)->a, (m)->rows * (m)->cols)
#define RECEIVED_MAT(m)    RECEIVED((m)->a, (m)->rows * (m)->cols)
/* clang-format on */

/* w->order as `op`: sends it and the parts that go with it; w->reply; receives the others. */
#define rank0_call(w, op, ...) rank0_parts(w, op, (const struct rank0_part[]){ __VA_ARGS__, { 0 } })
enum err rank0_parts(struct workers *w, enum ranks_op op, const struct rank0_part *part) MUST_CHECK;
#define rank0_ask(w, op) rank0_parts(w, op, &(struct rank0_part){ 0 }) /* without any */

/* Steps of it: the order, and after its data the reply. */
enum err rank0_order(struct workers *w, enum ranks_op op) MUST_CHECK;
enum err rank0_answered(struct workers *w) MUST_CHECK;
/* A piece of at most *left bytes, into w->piece: *count items of `unit` bytes. */
enum err rank0_piece(struct workers *w, size_t *left, size_t unit, size_t *count) MUST_CHECK;
/* So many values, piece by piece. */
enum err rank0_values(struct workers *w, size_t values, workers_values *each, void *arg) MUST_CHECK;

#endif
