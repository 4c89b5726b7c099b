/* state.h -- what a rank has from one order to the next, and how vectors come and go; the parts of orders.c. */
#ifndef WORKER_STATE_H
#define WORKER_STATE_H

#include "common/kcagc/order.h"
#include "common/kcagc/place.h"
#include "common/ranks/pipe.h"

struct state {
	struct ranks *R;
	struct ranks_order order;
	struct ranks_reply reply;
	struct graph g; /* of this rank's nodes: with X until that is embedded; of slice */
	struct features X;
	char *features;    /* the file they are from */
	uint32_t *moved;   /* where its rows have gone, of this rank's; NULL: they are where they were */
	struct features_source source; /* of slice */
	struct mat Z;
	const struct csr *sent; /* the rows that are on their way up */
	size_t *start;          /* where each of this rank's ends, over all ranks */
	struct embedding how;
	struct fedsc_party party; /* ROWS: which has X's rows then */
	double *given, *sums;
	struct mat c;                            /* centres, the same at each rank */
	uint32_t *label;                         /* of this rank's rows */
	struct ranks_cost begun, read, embedded; /* when these were done */
	struct order_search search; /* for filter.order "auto", while that is looked for */
	double terms[ORDER_WORDS]; /* the last block of it */
	struct slice slice; /* has X, once it was asked */
	double *answer;      /* what has no row, or is no product; then */
	struct mat product;  /* what the rows' numbers are the slice's product with */
	struct placing place;
};

/* Writes items first .. first + count - 1 of this rank. */
typedef void produce(struct state *s, size_t first, size_t count, void *to);
bool state_is_first(const struct state *s);
/* To the party, in the order of ranks: `own` items here, `step` at a time. */
void state_send_up(struct state *s, size_t bytes, size_t own, size_t step, produce *make);
/* So many items are in a piece; one alone may be in several. */
size_t state_rows_of_frame(size_t bytes);
/* From the party, over all rows: this rank's into p. */
void state_receive_rows(struct state *s, size_t bytes, void *p);
/* What all ranks have alike. */
void state_receive_told(struct state *s, void *p, size_t n);
void state_send_told(struct state *s, const void *p, size_t n);
void state_send_mat(struct state *s, const struct mat *m);
void state_receive_mat(struct state *s, struct mat *m, size_t rows, size_t cols);
void state_make_labels(struct state *s, size_t first, size_t count, void *to);

/* Of each order what it takes and makes, with its error, and what follows its reply; orders.c has which belong together.
 * Files, rows and edges: orders_data.c. */
void order_drop_data(struct state *s);
/* X of an .npy file as it was read first, and renamed; s: struct state. A features_source's, of all ranks alike. */
enum err orders_read_again(void *s, struct features *X) MUST_CHECK;
enum err order_read_files(struct state *s) MUST_CHECK;
enum err order_rename_rows(struct state *s) MUST_CHECK;
void order_send_graph(struct state *s);
void order_send_edges(struct state *s);
void order_send_features(struct state *s);

/* Embedding and k-means: orders_embed.c. */
enum err order_embed_rows(struct state *s) MUST_CHECK;
void order_send_embedding(struct state *s);
enum err order_embed_again_rows(struct state *s) MUST_CHECK;
void order_send_norms(struct state *s);
enum err order_scale_rows(struct state *s) MUST_CHECK;
enum err order_find_clusters(struct state *s) MUST_CHECK;
void order_send_clusters(struct state *s);
enum err order_find_centres(struct state *s) MUST_CHECK;
void order_send_centres(struct state *s);
enum err order_take_centres(struct state *s) MUST_CHECK;
void order_send_distances(struct state *s);

/* Rows of sums over rows: orders_rows.c. */
enum err order_begin_rows(struct state *s) MUST_CHECK;
/* Has the question as many numbers as it needs, and is it one for ranks? */
bool order_is_answerable(const struct state *s);
enum err order_ask_rows(struct state *s) MUST_CHECK;
void order_send_sums(struct state *s);
void order_send_nearest(struct state *s);

/* The order of the filter; landmark and gcc; new rows after landmark: orders_slice.c. */
enum err order_find_terms(struct state *s) MUST_CHECK;
void order_send_terms(struct state *s);
enum err order_filter(struct state *s) MUST_CHECK;
enum err order_answer(struct state *s) MUST_CHECK;
void order_send_answer(struct state *s);
enum err order_find_cells(struct state *s) MUST_CHECK;
void order_send_labels(struct state *s);
enum err order_find_means(struct state *s) MUST_CHECK;
void order_send_means(struct state *s);
enum err order_weigh_rows(struct state *s) MUST_CHECK;
void order_send_lengths(struct state *s);
enum err order_place_rows(struct state *s) MUST_CHECK;
void order_send_placed(struct state *s);

#endif
