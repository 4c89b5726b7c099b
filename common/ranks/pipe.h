/* pipe.h -- messages between a party and rank 0 of its coterie-worker, over two pipes on one host.
 *
 * Both are of one build, which rank 0's hello proves to the party. Then the party gives one command
 * after the other, and rank 0 answers each: a reply, and its data. All of it is in frames of at
 * most RANKS_FRAME_MAX bytes. A vector is as many pieces as it takes, and both know its length
 * beforehand. Vectors over rows are in the order of rows. The pipes never carry a message between
 * parties, a key or a mask.
 */
#ifndef COMMON_RANKS_PIPE_H
#define COMMON_RANKS_PIPE_H

#include "common/base/err.h"
#include "common/cluster/kmeans.h"
#include "protocols/fedsc/party.h"
#include "protocols/kcagc/slice.h"

#include <stddef.h>
#include <stdint.h>

enum {
	RANKS_FRAME_MAX = 1 << 20,
	RANKS_PATH_MAX = 4096,
	RANKS_MOST = 1024, /* ranks of a party */
	RANKS_HOST_MAX = 64,
	RANKS_WORDS_MAX = 1 << 28 /* numbers of a question, or of its answer */
};

enum ranks_what {
	RANKS_HELLO = 1, /* struct ranks_hello, and its ranks' struct ranks_place as pieces */
	RANKS_ORDER,
	RANKS_REPLY,
	RANKS_PIECE,
	RANKS_TICK, /* nothing: ranks get on */
};

struct ranks_frame {
	uint32_t what, bytes;
};

struct ranks_hello {
	char version[32];
	uint32_t order_size, reply_size, ranks;
};

struct ranks_place {
	char host[RANKS_HOST_MAX];
	int64_t pid;
};

/* Commands. Before the arrow: data sent with the command; behind it: data after the reply, unless
 * that is an error. */
enum ranks_op {
	RANKS_READ = 1,
	RANKS_GRAPH,     /* -> n + 1 starts (size_t), neighbours (uint32_t), weights if weighted */
	RANKS_EMBED,     /* -> map (cols x dims), if has_idf cols weights; Z stays */
	RANKS_AGAIN,     /* map, if has_idf weights -> nothing; Z stays */
	RANKS_NORMS,     /* -> n lengths of Z's rows */
	RANKS_SCALE,     /* n lengths -> nothing; scales Z's rows */
	RANKS_CLUSTERS,  /* -> n labels (uint32_t), centres (k x dims) */
	RANKS_CENTRES,   /* centres (k x dims), n labels -> centres */
	RANKS_DISTANCES, /* centres (k x dims) -> n x k, whole rows in each piece */
	RANKS_COSTS,     /* -> struct ranks_cost of each rank */
	RANKS_FEATURES,  /* -> n x cols values; sparse: n + 1 starts, columns (uint32_t), values */
	RANKS_RENAME, /* n places (uint32_t) of rows -> nothing; reorders rows of X and the graph */
	RANKS_ROWS,   /* rows become a party's of sums over rows, for questions */
	RANKS_ASK_ROWS, /* `given` numbers of the question -> `words` numbers */
	RANKS_NEAREST,  /* -> n labels (uint32_t) of the last counts, n margins */
	RANKS_EDGES,    /* -> n + 1 starts, struct ranks_neighbour of each row */
	RANKS_TERMS,    /* -> ORDER_WORDS terms, the next of filter.order "auto" */
	/* Filters rows by question.order, before there is something to hold beside them. */
	RANKS_FILTER,
	/* n rows to which the question points -> question_whole() numbers, then those of each row.
	 * X and the graph are the slice's from the first on. */
	RANKS_ASK,
	RANKS_CELLS, /* -> n labels (uint32_t): slice_cluster() */
	RANKS_MEANS, /* n labels -> k x cols; shift and weight (cols each), word (bytes) */
	RANKS_WEIGH, /* shift, weight, word, offset (k), map -> n lengths of rows */
	RANKS_PLACE, /* n joint lengths -> n x k distances, whole rows in each piece */
};

struct ranks_neighbour {
	double weight;
	uint32_t number;
};

/* A question about rows (protocols/fedsc/party.h). The `given` numbers that it points to follow the
 * order: a mean, units, counts, or a matrix of k x cols. A pointer in it only says that there are
 * some. The answer has `words` numbers. */
struct ranks_question {
	struct fedsc_question q;
	struct fedkmeans_question clusters;
	size_t k, cols, given, words;
};

/* n x cols features, with `entries` if they are sparse. neighbours: over all rows, twice the edges.
 * dims: columns of Z, once it exists; for rows of sums over rows, of the clustered ones. */
struct ranks_sizes {
	size_t ranks, n, cols, neighbours, dims, entries;
	bool is_sparse, weighted;
};

struct ranks_order {
	enum ranks_op op;
	char features[RANKS_PATH_MAX], edges[RANKS_PATH_MAX]; /* READ */
	/* EMBED; AGAIN: the parameters in struct embedding */
	struct embed_params embed;
	double word, mean_norm; /* AGAIN; SCALE: mean_norm */
	bool has_idf;
	struct kmeans_params clusters; /* CLUSTERS */
	size_t k, dims;
	bool begins;              /* TERMS: of order 1 */
	struct question question; /* ASK: its arrays come with it, dims of columns; CELLS */
	double min_cluster;       /* ROWS */
	struct ranks_question asked; /* ASK_ROWS */
};

struct ranks_reply {
	enum err code;
	char why[ERR_DETAIL_MAX];
	struct ranks_sizes sizes; /* READ; dims: EMBED */
	double word, mean_norm;   /* EMBED */
	bool has_idf;
};

/* Since the ranks began. */
struct ranks_cost {
	double cpu_s, exchange_cpu_s; /* of the process; of that in exchanges, waiting included */
	double exchange_s;            /* wall time in exchanges, waiting included */
	double bytes;                 /* that it gave to others */
	double memory;                /* bytes at its peak */
	/* peak memory, bytes: before anything was read; once the files were; once Z was made */
	double memory_begun, memory_read, memory_embedded;
	double cpu_read_s, cpu_embedded_s; /* cpu_s by then */
};

#endif
