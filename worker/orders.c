#include "worker/orders.h"
#include "common/base/alloc.h"
#include "common/data/limits.h"
#include "common/linalg/distance.h"
#include "common/ranks/embed.h"
#include "common/ranks/kmeans.h"
#include "common/ranks/read.h"
#include "worker/link.h"
#include "worker/talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
	struct ranks *R;
	struct ranks_order order;
	struct ranks_reply reply;
	struct csr rows; /* of the adjacency: with X until that is embedded */
	struct features X;
	struct mat Z;
	const struct csr *sent; /* the rows that are on their way up */
	size_t *start;          /* where each of this rank's ends, over all ranks */
	struct embedding how;
	struct mat c;                            /* centres, the same at each rank */
	uint32_t *label;                         /* of this rank's rows */
	struct ranks_cost begun, read, embedded; /* when these were done */
};

static bool is_first(const struct state *s)
{
	return s->R->own == 0;
}

/* ---- vectors ---- */

/* Writes items first .. first + count - 1 of this rank. */
typedef void produce(struct state *s, size_t first, size_t count, void *to);

/* To the party, in the order of ranks: `own` items here, `step` at a time. */
static void send_up(struct state *s, size_t bytes, size_t own, size_t step, produce *make)
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
			from[q] = is_first(s) ? count : 0;
			R->exchange(R->ctx, bytes, box, to, got, from);
			from[q] = 0;
			if (is_first(s))
				talk_send(got, count * bytes, bytes);
		}
	free(from);
	free(to);
	free(got);
	free(box);
	free(each);
}

/* From the party, over all rows: this rank's into p. */
static void receive_rows(struct state *s, size_t bytes, void *p)
{
	const struct ranks *R = s->R;
	size_t step = RANKS_FRAME_MAX / bytes, *to, *from;
	char *box = alloc(step, bytes), *at = p;

	ALLOC(to, R->count);
	ALLOC(from, R->count);
	for (size_t q = 0; q < R->count; q++)
		for (size_t first = R->cut[q]; first < R->cut[q + 1]; first += step) {
			size_t count = R->cut[q + 1] - first < step ? R->cut[q + 1] - first : step;

			if (is_first(s))
				talk_receive(box, count * bytes);
			to[q] = is_first(s) ? count : 0;
			from[0] = q == R->own ? count : 0;
			R->exchange(R->ctx, bytes, box, to, at, from);
			at += from[0] * bytes;
			to[q] = 0;
		}
	free(from);
	free(to);
	free(box);
}

/* What all ranks have alike. */
static void receive_told(struct state *s, void *p, size_t n)
{
	if (is_first(s))
		talk_receive(p, n);
	ranks_tell(s->R, p, n);
}

static void send_told(struct state *s, const void *p, size_t n)
{
	if (is_first(s))
		talk_send(p, n, sizeof(double));
}

static void send_mat(struct state *s, const struct mat *m)
{
	send_told(s, m->a, m->rows * m->cols * sizeof(*m->a));
}

static void receive_mat(struct state *s, struct mat *m, size_t rows, size_t cols)
{
	mat_release(m);
	mat_init(m, rows, cols);
	receive_told(s, m->a, rows * cols * sizeof(*m->a));
}

/* ---- orders: what comes with each, what it makes, and what follows its reply ---- */

static enum err read_files(struct state *s)
{
	csr_release(&s->rows);
	features_release(&s->X);
	mat_release(&s->Z);
	ranks_release(s->R);
	free(s->label);
	s->label = NULL;
	TRY(ranks_read_features(s->R, s->order.features, &s->X));
	TRY(ranks_read_edges(s->R, s->order.edges, &s->rows));
	s->read = link_cost();
	ALLOC(s->label, ranks_rows(s->R));
	s->reply.neighbours = ranks_total(s->R, s->rows.start[s->rows.rows]);
	s->reply.weighted = s->rows.value != NULL;
	s->reply.n = s->R->n;
	s->reply.cols = features_cols(&s->X);
	s->reply.is_sparse = s->X.is_sparse;
	if (s->X.is_sparse)
		s->reply.entries = ranks_total(s->R, s->X.sparse.start[s->X.sparse.rows]);
	return ERR_OK;
}

static void make_starts(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->start + first, count * sizeof(*s->start));
}

static void make_index(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->sent->index + first, count * sizeof(*s->sent->index));
}

static void make_values(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->sent->value + first, count * sizeof(*s->sent->value));
}

static void make_weighted(struct state *s, size_t first, size_t count, void *to)
{
	const struct csr *a = s->sent;
	struct ranks_neighbour *each = to;

	for (size_t i = 0; i < count; i++)
		each[i] = (struct ranks_neighbour){ a->value ? a->value[first + i] : 1,
						    a->index[first + i] };
}

/* Of all ranks' rows together. */
static void send_starts(struct state *s, const struct csr *rows)
{
	size_t n = rows->rows, entries = rows->start[n], before = 0, zero = 0;
	size_t *each = ranks_all(s->R, sizeof(entries), &entries);

	for (size_t q = 0; q < s->R->own; q++)
		before += each[q];
	free(each);
	ALLOC(s->start, n);
	for (size_t i = 0; i < n; i++)
		s->start[i] = before + rows->start[i + 1];
	send_told(s, &zero, sizeof(zero));
	send_up(s, sizeof(*s->start), n, RANKS_FRAME_MAX / sizeof(*s->start), make_starts);
	free(s->start);
	s->start = NULL;
}

static void send_entries(struct state *s, const struct csr *rows, size_t bytes, produce *make)
{
	s->sent = rows;
	send_up(s, bytes, rows->start[rows->rows], RANKS_FRAME_MAX / bytes, make);
}

static void send_csr(struct state *s, const struct csr *rows)
{
	send_starts(s, rows);
	send_entries(s, rows, sizeof(*rows->index), make_index);
	if (rows->value)
		send_entries(s, rows, sizeof(*rows->value), make_values);
}

static void send_graph(struct state *s)
{
	send_csr(s, &s->rows);
}

static void send_edges(struct state *s)
{
	send_starts(s, &s->rows);
	send_entries(s, &s->rows, sizeof(struct ranks_neighbour), make_weighted);
}

static void make_rows(struct state *s, size_t first, size_t count, void *to)
{
	const struct mat *X = &s->X.dense;

	memcpy(to, ROW(X, first), count * X->cols * sizeof(*X->a));
}

static void send_features(struct state *s)
{
	size_t row = s->X.dense.cols * sizeof(double);

	if (s->X.is_sparse)
		send_csr(s, &s->X.sparse);
	else
		send_up(s, row, s->X.dense.rows, row < RANKS_FRAME_MAX ? RANKS_FRAME_MAX / row : 1,
			make_rows);
}

static enum err embed_rows(struct state *s)
{
	enum err e;

	mat_release(&s->Z);
	embedding_release(&s->how);
	e = ranks_embed(s->R, &s->rows, &s->order.embed, &s->X, &s->Z, &s->how);
	s->embedded = link_cost();
	s->reply.dims = s->how.map.cols;
	s->reply.word = s->how.word;
	s->reply.mean_norm = s->how.mean_norm;
	s->reply.has_idf = s->how.idf != NULL;
	return e;
}

static void send_embedding(struct state *s)
{
	send_mat(s, &s->how.map);
	if (s->how.idf)
		send_told(s, s->how.idf, s->how.map.rows * sizeof(*s->how.idf));
	embedding_release(&s->how);
}

static enum err embed_again_rows(struct state *s)
{
	const struct ranks_order *o = &s->order;
	size_t cols = features_cols(&s->X);
	struct embedding how = { .word = o->word,
				 .filter = o->embed.filter,
				 .order = o->embed.order,
				 .unit_rows = o->embed.unit_rows,
				 .row_power = o->embed.row_power,
				 .mean_norm = o->mean_norm };
	enum err e;

	receive_mat(s, &how.map, cols, o->dims);
	if (o->has_idf) {
		ALLOC(how.idf, cols);
		receive_told(s, how.idf, cols * sizeof(*how.idf));
	}
	mat_release(&s->Z);
	e = ranks_embed_again(s->R, &s->rows, &how, &s->X, &s->Z);
	s->embedded = link_cost();
	embedding_release(&how);
	return e;
}

static void make_norms(struct state *s, size_t first, size_t count, void *to)
{
	struct mat part = { count, s->Z.cols, ROW(&s->Z, first) };

	embed_norms(&part, to);
}

static void send_norms(struct state *s)
{
	send_up(s, sizeof(double), s->Z.rows, RANKS_FRAME_MAX / sizeof(double), make_norms);
}

static enum err scale_rows(struct state *s)
{
	double *norm = alloc(s->Z.rows, sizeof(*norm));

	receive_rows(s, sizeof(*norm), norm);
	embed_scale(&s->Z, norm, s->order.mean_norm, s->order.embed.row_power);
	free(norm);
	return ERR_OK;
}

static enum err find_clusters(struct state *s)
{
	mat_release(&s->c);
	ranks_kmeans(s->R, &s->Z, &s->order.clusters, s->label, &s->c);
	return ERR_OK;
}

static void make_labels(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->label + first, count * sizeof(*s->label));
}

static void send_clusters(struct state *s)
{
	send_up(s, sizeof(*s->label), s->Z.rows, RANKS_FRAME_MAX / sizeof(*s->label), make_labels);
	send_mat(s, &s->c);
}

static enum err find_centres(struct state *s)
{
	receive_mat(s, &s->c, s->order.k, s->Z.cols);
	receive_rows(s, sizeof(*s->label), s->label);
	ranks_centres(s->R, &s->Z, s->label, &s->c);
	return ERR_OK;
}

static void send_centres(struct state *s)
{
	send_mat(s, &s->c);
}

static enum err take_centres(struct state *s)
{
	receive_mat(s, &s->c, s->order.k, s->Z.cols);
	return ERR_OK;
}

static void make_distances(struct state *s, size_t first, size_t count, void *to)
{
	struct mat part = { count, s->Z.cols, ROW(&s->Z, first) };

	kmeans_distances(&part, &s->c, to);
}

/* Blocks are cut from row 0, as distance_block() wants them; one may be larger than a piece. */
static void send_distances(struct state *s)
{
	size_t row = s->c.rows * sizeof(double), most = RANKS_FRAME_MAX / row;

	most = most > DISTANCE_ROWS ? most / DISTANCE_ROWS * DISTANCE_ROWS : DISTANCE_ROWS;
	send_up(s, row, s->Z.rows, most, make_distances);
}

static void send_costs(struct state *s)
{
	struct ranks_cost own = link_cost(), *each;

	own.memory_begun = s->begun.memory;
	own.memory_read = s->read.memory;
	own.memory_embedded = s->embedded.memory;
	own.cpu_read_s = s->read.cpu_s;
	own.cpu_embedded_s = s->embedded.cpu_s;
	each = ranks_all(s->R, sizeof(own), &own);
	send_told(s, each, s->R->count * sizeof(*each));
	free(each);
}

static enum err nothing(struct state *s)
{
	(void)s;
	return ERR_OK;
}

static const struct {
	enum { ANY, GRAPH_READ, EMBEDDED } needs;
	enum err (*make)(struct state *s);
	void (*follow)(struct state *s); /* or NULL */
} orders[] = {
	[RANKS_READ] = { ANY, read_files, NULL },
	[RANKS_GRAPH] = { GRAPH_READ, nothing, send_graph },
	[RANKS_EMBED] = { GRAPH_READ, embed_rows, send_embedding },
	[RANKS_AGAIN] = { GRAPH_READ, embed_again_rows, NULL },
	[RANKS_NORMS] = { EMBEDDED, nothing, send_norms },
	[RANKS_SCALE] = { EMBEDDED, scale_rows, NULL },
	[RANKS_CLUSTERS] = { EMBEDDED, find_clusters, send_clusters },
	[RANKS_CENTRES] = { EMBEDDED, find_centres, send_centres },
	[RANKS_DISTANCES] = { EMBEDDED, take_centres, send_distances },
	[RANKS_COSTS] = { ANY, nothing, send_costs },
	[RANKS_FEATURES] = { GRAPH_READ, nothing, send_features },
	[RANKS_EDGES] = { GRAPH_READ, nothing, send_edges },
};

/* An order that cannot be followed is not this party's program's. */
static bool is_possible(const struct state *s)
{
	const struct ranks_order *o = &s->order;

	if (o->op < RANKS_READ || o->op >= sizeof(orders) / sizeof(*orders) || o->k > ROWS_MAX ||
	    o->clusters.k > ROWS_MAX || o->dims > COLS_MAX)
		return false;
	return orders[o->op].needs == ANY ||
	       (orders[o->op].needs == GRAPH_READ ? s->rows.start != NULL : s->Z.a != NULL);
}

void orders_follow(struct ranks *R)
{
	struct state s = { .R = R, .begun = link_cost() };
	bool more = true;

	for (;;) {
		enum err e;

		if (is_first(&s))
			more = talk_order(&s.order);
		ranks_tell(R, &more, sizeof(more));
		if (!more)
			break;
		ranks_tell(R, &s.order, sizeof(s.order));
		if (!is_possible(&s))
			link_abort("rank 0 was given an order that cannot be followed");
		s.reply = (struct ranks_reply){ 0 };
		e = ranks_agree(R, orders[s.order.op].make(&s));
		s.reply.code = e;
		if (e != ERR_OK)
			snprintf(s.reply.why, sizeof(s.reply.why), "%s", err_detail());
		if (is_first(&s))
			talk_say(RANKS_REPLY, &s.reply, sizeof(s.reply));
		if (e == ERR_OK && orders[s.order.op].follow)
			orders[s.order.op].follow(&s);
	}
	ranks_release(R);
	csr_release(&s.rows);
	features_release(&s.X);
	mat_release(&s.Z);
	mat_release(&s.c);
	free(s.label);
}
