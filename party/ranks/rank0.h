/* rank0.h -- the party's end of the pipes to rank 0 (common/ranks/pipe.h): for the orders of workers.h, in data.c, orders.c and rows.c.
 *
 * Errors are those of workers.h. */
#ifndef PARTY_RANKS_RANK0_H
#define PARTY_RANKS_RANK0_H

#include "party/ranks/mpirun.h"
#include "party/ranks/workers.h"

enum { SAID_MAX = 4096 };

struct workers {
	struct mpirun at;
	struct workers_sizes sizes;
	struct ranks_place *place;
	bool greeted, died;
	char said[SAID_MAX]; /* of what mpirun and ranks wrote on standard error, the beginning */
	size_t said_n;
	struct ranks_order order;
	uint8_t *piece; /* RANKS_FRAME_MAX */
};

/* A frame of `bytes` at most into `to`; *got: how many it has. */
enum err rank0_hear(struct workers *w, enum ranks_what what, void *to, size_t bytes, size_t *got) MUST_CHECK;

/* n bytes in as many pieces as it takes; a matrix's values. */
enum err rank0_send(struct workers *w, const void *from, size_t n) MUST_CHECK;
enum err rank0_send_mat(struct workers *w, const struct mat *m) MUST_CHECK;
enum err rank0_receive(struct workers *w, void *to, size_t n) MUST_CHECK;
enum err rank0_receive_mat(struct workers *w, struct mat *m) MUST_CHECK;

/* A piece of at most `left` bytes, into w->piece, of items of `unit` bytes: as many as *count says. */
enum err rank0_piece(struct workers *w, size_t *left, size_t unit, size_t *count) MUST_CHECK;
/* So many values, piece by piece. */
enum err rank0_values(struct workers *w, size_t values, workers_values *each, void *arg) MUST_CHECK;

/* w->order, what may come with it being sent after; its reply. Both, of an order with nothing besides. */
enum err rank0_order(struct workers *w, enum ranks_op op) MUST_CHECK;
enum err rank0_answered(struct workers *w, struct ranks_reply *r) MUST_CHECK;
enum err rank0_ask(struct workers *w, enum ranks_op op, struct ranks_reply *r) MUST_CHECK;

#endif
