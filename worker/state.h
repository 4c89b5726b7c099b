/* state.h -- data that a rank keeps between commands, transfer of vectors, and the functions of the
 * commands; internal to commands*.c. */
#ifndef WORKER_STATE_H
#define WORKER_STATE_H

#include "protocols/kcagc/order.h"
#include "protocols/kcagc/place.h"
#include "common/ranks/pipe.h"

struct state {
	struct ranks *R;
	struct ranks_command command;
	struct ranks_reply reply;
	/* graph of this rank's nodes; released once X is embedded; a slice borrows it */
	struct graph g;
	struct features X;
	char *features;                /* the file from which X was read */
	uint32_t *moved;               /* new place of each row of X; NULL: unchanged */
	struct features_source source; /* of slice */
	struct mat Z;                  /* embedded rows, or distances of placed ones */
	struct fedsc_party party;      /* has X's rows after the command ROWS */
	struct order_search search;    /* for filter.order "auto", until a new search begins */
	struct slice slice;            /* has X once it is used */
	struct placing place;
	struct ranks_cost begun, read, embedded; /* costs when these were complete */
};

/* Executes one command after another, on all ranks alike (common/ranks/pipe.h), until the party
 * ends them. R: without a cut. */
void commands_follow(struct ranks *R);
void state_drop(struct state *s); /* frees all data that were read or derived */

/* Replies to a command. Any rank's error becomes that of all ranks, and is the reply. True: there
 * is no error, and data that belong to the reply follow. */
bool state_reply(struct state *s, enum err own);

/* Sends to the party, in the order of ranks: `count` items of this rank, `step` at a time. make
 * writes items first .. first + count - 1 of these. */
typedef void produce(void *arg, size_t first, size_t count, void *to);
void state_send_made(struct state *s, size_t bytes, size_t count, size_t step, produce *make,
		     void *arg);
void state_send_items(struct state *s, size_t bytes, size_t count, const void *items);
/* Receives a vector over all rows from the party; p gets this rank's part. */
void state_receive_rows(struct state *s, size_t bytes, void *p);
/* Transfers data that are the same on all ranks. */
void state_receive_common(struct state *s, void *p, size_t n);
void state_send_common(struct state *s, const void *p, size_t n);
void state_send_mat(struct state *s, const struct mat *m);
/* m is initialised here. */
void state_receive_mat(struct state *s, struct mat *m, size_t rows, size_t cols);

/* The functions of the commands: commands.c, commands_data.c, commands_embed.c, commands_rows.c,
 * commands_slice.c. */
#define COMMAND(NAME, name, needs) void command_##name(struct state *s);
#include "common/ranks/commands.def"
#undef COMMAND
/* Returns whether RANKS_ASK_ROWS has as many numbers as it needs, and is a question for ranks. */
bool command_is_answerable(const struct state *s);

#endif
