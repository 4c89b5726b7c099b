/* state.h -- the data that a rank keeps between commands, functions that transfer vectors, and the
 * functions of the commands. Internal to commands*.c. */
#ifndef WORKER_STATE_H
#define WORKER_STATE_H

#include "protocols/kcagc/order_search.h"
#include "protocols/kcagc/place.h"
#include "common/ranks/pipe.h"

struct state {
	struct ranks *R;
	struct ranks_command command;
	struct ranks_reply reply;
	/* The graph of this rank's nodes. Released once X is embedded; a slice borrows it. */
	struct graph g;
	struct features X;
	char *features;                /* the file from which X was read */
	uint32_t *moved;               /* new place of each row of X; NULL: unchanged */
	struct features_source source; /* the file from which the slice reads X again */
	struct mat Z;                  /* embedded rows, or distances of placed rows */
	struct fedsc_party party;      /* has the rows of X after the command ROWS */
	/* search for filter.order "auto"; kept until a new search begins */
	struct order_search search;
	struct slice slice; /* has X after the first command that needs a slice */
	struct placing place;
	/* Costs at the start, after reading, and after the embedding. */
	struct ranks_cost begun, read, embedded;
};

/* Executes commands one after another, the same on all ranks (common/ranks/pipe.h), until the party
 * ends the ranks. R: the ranks, before rows are divided among them. */
void commands_follow(struct ranks *R);
void state_drop(struct state *s); /* frees all data that were read or derived */

/* Replies to a command. An error of any rank becomes the error of all ranks, and is the reply.
 * Returns true if there is no error; the data of the reply follow. */
bool state_reply(struct state *s, enum err own);

/* Sends the items (of `bytes` bytes each) of all ranks to the party, in the order of ranks. This
 * rank has `count` items, and makes `step` of them at a time. `make` writes `count` items to `to`,
 * from item number `first` on. */
typedef void produce(void *arg, size_t first, size_t count, void *to);
void state_send_made(struct state *s, size_t bytes, size_t count, size_t step, produce *make,
		     void *arg);
void state_send_items(struct state *s, size_t bytes, size_t count, const void *items);
/* Receives a vector over all rows, `bytes` bytes per row, from the party. p: this rank's part. */
void state_receive_rows(struct state *s, size_t bytes, void *p);
/* Transfer data that are the same on all ranks. */
void state_receive_common(struct state *s, void *p, size_t n);
void state_send_common(struct state *s, const void *p, size_t n);
void state_send_mat(struct state *s, const struct mat *m);
/* Receives a matrix, and initialises m. */
void state_receive_mat(struct state *s, struct mat *m, size_t rows, size_t cols);

/* Functions of the commands, in commands.c, commands_data.c, commands_embed.c, commands_rows.c and
 * commands_slice.c. */
#define COMMAND(NAME, name, needs) void command_##name(struct state *s);
#include "common/ranks/commands.def"
#undef COMMAND
/* Returns whether ranks can answer the command RANKS_ASK_ROWS. They can if they answer questions of
 * its kind, and if it has as many numbers as this kind needs. */
bool command_is_answerable(const struct state *s);

#endif
