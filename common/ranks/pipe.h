/* pipe.h -- messages between a party and rank 0 of its coterie-worker, over two pipes on one host.
 *
 * Both ends must be of the same build; the party checks that by rank 0's hello. Then the party
 * sends one command after the other, and rank 0 answers each with a reply and its data. All
 * messages are frames of at most RANKS_FRAME_MAX bytes. A vector takes as many pieces as needed,
 * and both ends know its length beforehand. Vectors over rows are in the order of rows. The pipes
 * never carry a message between parties, a key or a mask.
 */
#ifndef COMMON_RANKS_PIPE_H
#define COMMON_RANKS_PIPE_H

#include "common/base/err.h"
#include "common/cluster/kmeans.h"
#include "protocols/fedsc/party.h"
#include "protocols/kcagc/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RANKS_FRAME_MAX = 1 << 20,
	RANKS_PATH_MAX = 4096,
	RANKS_MOST = 1024, /* maximum number of ranks of a party */
	RANKS_HOST_MAX = 64,
	RANKS_WORDS_MAX = 1 << 28 /* numbers of a question, or of its answer */
};

enum ranks_what {
	RANKS_HELLO = 1, /* struct ranks_hello, and its ranks' struct ranks_place as pieces */
	RANKS_COMMAND,
	RANKS_REPLY,
	RANKS_PIECE,
	RANKS_TICK, /* empty: the ranks make progress */
};

struct ranks_frame {
	uint32_t what, bytes;
};

struct ranks_hello {
	char version[32];
	uint32_t command_size, reply_size, ranks;
};

struct ranks_place {
	char host[RANKS_HOST_MAX];
	int64_t pid;
};

enum ranks_op {
#define COMMAND(NAME, name, needs) RANKS_##NAME,
#include "common/ranks/commands.def"
#undef COMMAND
};

/* One end of the two pipes. */
struct ranks_pipe {
	int in, out;
	size_t left; /* bytes of the received piece that are not read yet */
	/* Called if `in` or `out` would block (errno), or `in` has ended. ERR_OK: try again. */
	enum err (*await)(void *arg, int fd, short events, bool ended);
	void *arg;
};
enum err ranks_pipe_send_frame(struct ranks_pipe *p, enum ranks_what what, const void *from,
			       size_t n) MUST_CHECK;
/* Sends n bytes in pieces. If a unit fits into a piece, no piece ends within a unit. */
enum err ranks_pipe_send(struct ranks_pipe *p, const void *from, size_t n, size_t unit) MUST_CHECK;
/* Receives the next frame, of `most` bytes at most; *got becomes its length. Skips ticks. */
enum err ranks_pipe_receive_frame(struct ranks_pipe *p, enum ranks_what what, void *to, size_t most,
				  size_t *got) MUST_CHECK;
/* Receives n bytes, in pieces of any sizes. */
enum err ranks_pipe_receive(struct ranks_pipe *p, void *to, size_t n) MUST_CHECK;

/* A question about rows (protocols/fedsc/party.h). Its arrays of k x cols numbers (a mean, units,
 * counts, or a matrix) follow the command. A pointer in the struct only indicates whether the array
 * exists. */
struct ranks_question {
	struct fedsc_question q;
	struct fedkmeans_question clusters;
	size_t k, cols;
};

/* Features are n x cols; entries: stored values of sparse features. neighbours: sum over all rows,
 * which is twice the number of edges. dims: columns of the embedding after EMBED; for sums over
 * rows, columns of the rows that are clustered. */
struct ranks_sizes {
	size_t ranks, n, cols, neighbours, dims, entries;
	bool is_sparse, weighted;
};

struct ranks_command {
	enum ranks_op op;
	char features[RANKS_PATH_MAX], edges[RANKS_PATH_MAX]; /* for command READ */
	struct embed_params embed;                            /* for command EMBED */
	/* for command AGAIN, whose map and idf follow; for SCALE: mean_norm, row_power */
	struct embedding how;
	struct kmeans_params clusters; /* for command CLUSTERS */
	size_t k, dims;
	bool begins; /* for command TERMS: it begins with order 1 */
	/* for CELLS, FILTER, and ASK, whose arrays of dims columns follow */
	struct question question;
	double min_cluster;          /* for command ROWS */
	struct ranks_question asked; /* for command ASK_ROWS */
};

struct ranks_reply {
	enum err code;
	char why[ERR_DETAIL_MAX];
	struct ranks_sizes sizes; /* reply to READ */
	struct embedding how;     /* reply to EMBED; its map and idf follow */
};

/* Costs since the start of the ranks. */
struct ranks_cost {
	double cpu_s, exchange_cpu_s; /* CPU time of the process; of exchanges, waiting included */
	double exchange_s;            /* wall time in exchanges, waiting included */
	double bytes;                 /* sent to other ranks */
	double memory;                /* bytes at its peak */
	/* peak memory in bytes: before anything was read; after reading the files; after computing
	 * Z */
	double memory_begun, memory_read, memory_embedded;
	double cpu_read_s, cpu_embedded_s; /* cpu_s at these times */
};

#endif
