/* rank0.h -- the party's end of the pipes to rank 0 (common/ranks/pipe.h); workers.c sends the
 * commands of workers.h through these pipes. Errors are those of workers.h. */
#ifndef PARTY_RANKS_RANK0_H
#define PARTY_RANKS_RANK0_H

#include "party/ranks/mpirun.h"
#include "party/ranks/workers.h"

enum { OUTPUT_MAX = 4096 };

struct workers {
	struct mpirun at;
	struct ranks_pipe pipe;
	struct ranks_sizes sizes;
	struct ranks_place *place;
	bool greeted, died;
	char output[OUTPUT_MAX]; /* first bytes that mpirun and ranks printed */
	size_t output_n;
	struct ranks_command command;
	struct ranks_reply reply;
	uint8_t *piece; /* buffer of RANKS_FRAME_MAX bytes */
};

/* Data that are sent with a command (`from`), or received after its reply (`to`). */
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

/* Sends w->command as command `op`, with the parts that have `from`. Then receives w->reply, and
 * after it the parts that have `to`. */
#define rank0_call(w, op, ...) rank0_parts(w, op, (const struct rank0_part[]){ __VA_ARGS__, { 0 } })
enum err rank0_parts(struct workers *w, enum ranks_op op, const struct rank0_part *part) MUST_CHECK;
#define rank0_ask(w, op) rank0_parts(w, op, &(struct rank0_part){ 0 }) /* without parts */

/* The two steps of rank0_call(). rank0_order() sends the command. rank0_answered() receives the
 * reply; call it after the command's data are sent. */
enum err rank0_order(struct workers *w, enum ranks_op op) MUST_CHECK;
enum err rank0_answered(struct workers *w) MUST_CHECK;
/* Receives a piece of at most *left bytes into w->piece. *count: its number of items of `unit`
 * bytes. */
enum err rank0_piece(struct workers *w, size_t *left, size_t unit, size_t *count) MUST_CHECK;
/* Receives `values` numbers, and passes them to `each` piece by piece. */
enum err rank0_values(struct workers *w, size_t values, workers_values *each, void *arg) MUST_CHECK;

#endif
