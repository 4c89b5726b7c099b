/* workers.h -- a party's ranks (common/ranks/pipe.h). The ranks hold the party's data, and compute
 * all that concerns single rows. Vectors over rows arrive in the order of rows, in pieces. No
 * function here needs memory for a whole matrix over the rows.
 *
 * A wait reports progress as the ranks proceed. It ends with ERR_CANCELLED if the job was cancelled
 * (progress_check). If a rank dies, all ranks end: ERR_INTERNAL, whose text names rank and host.
 * From then on workers_died() is true. ERR_INPUT, whose text names rank and host: the data are
 * invalid, or unsuitable for ranks.
 */
#ifndef PARTY_RANKS_WORKERS_H
#define PARTY_RANKS_WORKERS_H

#include "common/data/dataset.h"
#include "protocols/kcagc/order_search.h"
#include "protocols/kcagc/place.h"
#include "common/ranks/pipe.h"

#include <stdbool.h>

struct workers;
typedef enum err workers_values(void *arg, const double *x, size_t count);

/* Calls mpirun_start(), and waits until all ranks have sent their hosts. */
enum err workers_start(struct workers **w) MUST_CHECK;
void workers_end(struct workers *w); /* accepts NULL */
bool workers_died(const struct workers *w);
struct ranks_sizes workers_sizes(const struct workers *w);

/* Reads the files on the ranks. edges: NULL if there are none. */
enum err workers_read(struct workers *w, const char *features, const char *edges) MUST_CHECK;

/* Moves row i of the features and of the edges to row place[i]. place has n entries. Rows are then
 * in the order of ids. Call before any other command. */
enum err workers_rename(struct workers *w, const uint32_t *place) MUST_CHECK;

/* Requests the adjacency (RANKS_GRAPH) or the features (RANKS_FEATURES). Call before the embedding.
 * Then call workers_feed() to pass on all their bytes, in the order that pipe.h describes. */
enum err workers_show(struct workers *w, enum ranks_op op) MUST_CHECK;
enum err workers_feed(struct workers *w, size_t bytes, dataset_feed *feed, void *arg) MUST_CHECK;

/* Passes on the edges as dataset_feed_edges() does. */
enum err workers_feed_edges(struct workers *w, dataset_feed *feed, void *arg) MUST_CHECK;

/* workers_embed() does embed_keep() on the ranks, and workers_embed_again() does embed_again(). The
 * ranks keep the embedding Z (n x dims); features and graph are used up. */
enum err workers_embed(struct workers *w, const struct embed_params *p,
		       struct embedding *how) MUST_CHECK;
enum err workers_embed_again(struct workers *w, const struct embedding *how) MUST_CHECK;

/* workers_norms() returns the lengths of Z's n rows. workers_scale() scales the rows of Z, as
 * embed_scale() does with the given lengths. */
enum err workers_norms(struct workers *w, double *norm) MUST_CHECK;
enum err workers_scale(struct workers *w, const double *norm, double mean, double power) MUST_CHECK;

/* workers_clusters() does kmeans() on the ranks; label has n entries, and centres are initialised
 * here. workers_centres() does kmeans_centres(): replaces the k centres in c (k x dims) by the
 * means of the rows with their labels; an empty cluster keeps its centre. workers_distances() does
 * kmeans_distances(). */
enum err workers_clusters(struct workers *w, const struct kmeans_params *p, uint32_t *label,
			  struct mat *centres) MUST_CHECK;
enum err workers_centres(struct workers *w, const uint32_t *label, struct mat *c) MUST_CHECK;
enum err workers_distances(struct workers *w, const struct mat *c, workers_values *each,
			   void *arg) MUST_CHECK;

/* Does order_next() on the ranks, which keep features and graph; term has ORDER_WORDS entries.
 * begins: calls order_begin() first. */
enum err workers_terms(struct workers *w, bool begins, const struct embed_params *how,
		       const struct kmeans_params *clusters, double *term) MUST_CHECK;

/* Functions for landmark projection and GCC. The first call of any of them turns features and graph
 * into a slice (protocols/kcagc/slice.h). workers_filter() does slice_filter() on the ranks.
 * workers_question() and workers_answer() together do slice_answer(): the first sends the question
 * with its n rows of numbers, the second receives the answer. For ASK_PRODUCTS workers_question()
 * reads only the shape of B. workers_block() then sends the numbers of B, in the order of rows and
 * in pieces of any size; ranks begin when all numbers have arrived. workers_cells() does
 * slice_cluster(). workers_means() does slice_means(): M is k x cols and initialised here; `shift`,
 * `weight` and `word` of s receive cols entries each. */
enum err workers_filter(struct workers *w, unsigned order) MUST_CHECK;
enum err workers_question(struct workers *w, const struct question *q) MUST_CHECK;
enum err workers_block(struct workers *w, const double *x, size_t count) MUST_CHECK;
enum err workers_answer(struct workers *w, const struct question *q, workers_values *each,
			void *arg) MUST_CHECK;
enum err workers_cells(struct workers *w, unsigned order, size_t parties, size_t dims,
		       const struct kmeans_params *how, uint32_t *label) MUST_CHECK;
enum err workers_means(struct workers *w, const uint32_t *label, size_t k, struct slice *s,
		       struct mat *M) MUST_CHECK;

/* workers_place_weigh() does placing_weigh() on the ranks; length has n entries. Call
 * workers_place() next: it does placing_distances() on the ranks, passes whole rows of k distances
 * to each(), and uses up features and graph. */
enum err workers_place_weigh(struct workers *w, const struct placing *p, double *length) MUST_CHECK;
enum err workers_place(struct workers *w, const struct placing *p, const double *norm,
		       workers_values *each, void *arg) MUST_CHECK;

/* workers_rows_begin() turns features into a party's rows for sums over rows (fedsc_party_part());
 * features are used up. workers_ask() does fedsc_answer() on the ranks, for the questions
 * (protocols/fedsc/party.h) FEDSC_TOTALS, _SPREAD, _CLUSTERS, _ANCHOR, _EMBED after _ANCHOR, and
 * _SCALE if it asks for no width or noise. workers_nearest() returns each row's label and margin (n
 * entries) at the last FEDKMEANS_COUNTS. */
enum err workers_rows_begin(struct workers *w, double min_cluster) MUST_CHECK;
enum err workers_ask(struct workers *w, const struct fedsc_question *q, double *x) MUST_CHECK;
enum err workers_nearest(struct workers *w, uint32_t *label, double *margin) MUST_CHECK;

/* Returns what each rank has used since its start. cost: one entry per rank. */
enum err workers_costs(struct workers *w, struct ranks_cost *cost) MUST_CHECK;

#endif
