#include "worker/orders.h"
#include "common/base/alloc.h"
#include "common/data/limits.h"
#include "common/linalg/distance.h"
#include "common/ranks/embed.h"
#include "common/ranks/kmeans.h"
#include "common/ranks/order.h"
#include "common/ranks/read.h"
#include "common/ranks/rename.h"
#include "common/ranks/slice.h"
#include "worker/link.h"
#include "worker/talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELLINGS_MAX = 2 };

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
	struct fedsc_party party; /* ROWS: which has X's rows then */
	struct rowsum_over over;
	double *given, *sums;
	struct mat c;                            /* centres, the same at each rank */
	uint32_t *label;                         /* of this rank's rows */
	struct ranks_cost begun, read, embedded; /* when these were done */
	struct ranks_order_search *search; /* for filter.order "auto", while that is looked for */
	double intra[ORDER_BLOCK];
	struct ranks_slice slice; /* has rows and X, once it was asked */
	double *answer;
	struct placing place;
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

/* So many items are in a piece; one alone may be in several. */
static size_t rows_of_frame(size_t bytes)
{
	return bytes < RANKS_FRAME_MAX ? RANKS_FRAME_MAX / bytes : 1;
}

/* From the party, over all rows: this rank's into p. */
static void receive_rows(struct state *s, size_t bytes, void *p)
{
	const struct ranks *R = s->R;
	size_t step = rows_of_frame(bytes), *to, *from;
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

static void drop_data(struct state *s)
{
	ranks_order_end(s->search);
	s->search = NULL;
	ranks_slice_release(&s->slice);
	placing_release(&s->place);
	csr_release(&s->rows);
	features_release(&s->X);
	mat_release(&s->Z);
	mat_release(&s->c);
	fedsc_party_release(&s->party);
	free(s->given);
	free(s->sums);
	s->given = s->sums = NULL;
	ranks_release(s->R);
	free(s->label);
	s->label = NULL;
}

static enum err read_files(struct state *s)
{
	drop_data(s);
	TRY(ranks_read_features(s->R, s->order.features, &s->X));
	if (*s->order.edges)
		TRY(ranks_read_edges(s->R, s->order.edges, &s->rows));
	s->read = link_cost();
	s->embedded = (struct ranks_cost){ 0 };
	ALLOC(s->label, ranks_rows(s->R));
	if (*s->order.edges)
		s->reply.neighbours = ranks_total(s->R, s->rows.start[s->rows.rows]);
	s->reply.weighted = s->rows.value != NULL;
	s->reply.n = s->R->n;
	s->reply.cols = features_cols(&s->X);
	s->reply.is_sparse = s->X.is_sparse;
	if (s->X.is_sparse)
		s->reply.entries = ranks_total(s->R, s->X.sparse.start[s->X.sparse.rows]);
	return ERR_OK;
}

static enum err rename_rows(struct state *s)
{
	uint32_t *place = alloc(ranks_rows(s->R), sizeof(*place));

	receive_rows(s, sizeof(*place), place);
	ranks_rename(s->R, place, &s->X, &s->rows);
	free(place);
	s->read = link_cost();
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

	ranks_order_end(s->search);
	s->search = NULL;
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

/* ---- rows of sums over rows ---- */

static enum err begin_rows(struct state *s)
{
	struct mat X;

	if (s->X.is_sparse)
		csr_to_dense(&s->X.sparse, &X);
	else
		X = s->X.dense;
	csr_release(&s->X.sparse);
	s->X = (struct features){ 0 };
	csr_release(&s->rows);
	fedsc_party_release(&s->party);
	s->over = ranks_over(s->R);
	fedsc_party_part(&s->party, &X, s->order.min_cluster, &s->over);
	s->embedded = link_cost();
	return ERR_OK;
}

/* The numbers that go with a question are all of one thing. */
static enum err ask_rows(struct state *s)
{
	const struct ranks_question *o = &s->order.asked;
	struct mat centres = { .rows = o->k, .cols = s->party.X.cols };
	struct fedkmeans_question clusters = {
		.kind = o->clusters, .centres = &centres, .k = o->k, .least = o->least
	};
	struct fedsc_question q = { .kind = o->kind,
				    .columns = o->columns,
				    .scale = o->scale,
				    .clip = o->clip,
				    .clusters = &clusters };

	free(s->given);
	free(s->sums);
	ALLOC(s->given, o->given);
	ALLOC(s->sums, o->words);
	receive_told(s, s->given, o->given * sizeof(*s->given));
	centres.a = s->given;
	clusters.count = q.mean = s->given;
	q.unit = o->has_unit ? s->given : NULL;
	return fedsc_answer(&s->party, &q, s->sums);
}

static void send_sums(struct state *s)
{
	send_told(s, s->sums, s->order.asked.words * sizeof(*s->sums));
}

static void make_nearest(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->party.clusters.label + first, count * sizeof(uint32_t));
}

static void make_margins(struct state *s, size_t first, size_t count, void *to)
{
	double *margin = to;

	for (size_t i = 0; i < count; i++)
		margin[i] = fedkmeans_margin(&s->party.clusters, first + i);
}

static void send_nearest(struct state *s)
{
	size_t n = s->party.X.rows;

	send_up(s, sizeof(uint32_t), n, RANKS_FRAME_MAX / sizeof(uint32_t), make_nearest);
	send_up(s, sizeof(double), n, RANKS_FRAME_MAX / sizeof(double), make_margins);
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

/* ---- filter.order "auto" ---- */

/* What is below is of dense features and of edges that count alike. */
static enum err check_plain(const struct state *s)
{
	if (s->X.is_sparse)
		return err_set(ERR_INPUT,
			       "methods landmark and gcc and filter.order \"auto\" read features "
			       "from an .npy file on ranks, not from coordinates (.mtx)");
	if (s->rows.value)
		return err_set(ERR_INPUT,
			       "methods landmark and gcc and filter.order \"auto\" take edges "
			       "without weights on ranks");
	return ERR_OK;
}

static enum err find_intra(struct state *s)
{
	const struct ranks_order *o = &s->order;

	if (o->begins) {
		ranks_order_end(s->search);
		TRY(check_plain(s));
		s->search = ranks_order_begin(s->R, &s->rows, &s->X.dense, &o->embed, &o->clusters);
	}
	return ranks_order_next(s->search, s->intra);
}

static void send_intra(struct state *s)
{
	send_told(s, s->intra, sizeof(s->intra));
}

/* ---- landmark and gcc ---- */

static struct slice *slice_of(struct state *s)
{
	if (!s->slice.R)
		ranks_slice_init(&s->slice, s->R, &s->rows, &s->X.dense);
	return &s->slice.slice;
}

static enum err answer(struct state *s)
{
	struct question *q = &s->order.question;
	size_t n = ranks_rows(s->R);
	double *square = NULL;
	uint32_t *label = NULL;
	struct mat B = { 0 };
	enum err e;

	if (q->kind == ASK_SPREADS) {
		ALLOC(square, n);
		receive_rows(s, sizeof(*square), square);
	} else if (q->kind == ASK_PRODUCTS) {
		mat_init(&B, n, s->order.dims);
		receive_rows(s, B.cols * sizeof(*B.a), B.a);
	} else if (q->labellings) {
		ALLOC(label, q->labellings * n);
		for (size_t t = 0; t < q->labellings; t++)
			receive_rows(s, sizeof(*label), label + t * n);
	}
	q->square = square;
	q->label = label;
	q->B = &B;
	s->order.dims = question_width(q);
	s->answer = alloc(question_words(q, n), sizeof(*s->answer));
	e = check_plain(s);
	if (e == ERR_OK)
		e = slice_answer(slice_of(s), q, s->answer);
	if (s->slice.slice.is_filtered && s->embedded.memory == 0)
		s->embedded = link_cost();
	mat_release(&B);
	free(label);
	free(square);
	if (e != ERR_OK) {
		free(s->answer);
		s->answer = NULL;
	}
	return e;
}

static void make_answer(struct state *s, size_t first, size_t count, void *to)
{
	size_t width = s->order.dims;

	memcpy(to, s->answer + question_whole(&s->order.question) + first * width,
	       count * width * sizeof(*s->answer));
}

static void send_answer(struct state *s)
{
	size_t row = s->order.dims * sizeof(*s->answer);

	send_told(s, s->answer, question_whole(&s->order.question) * sizeof(*s->answer));
	if (row)
		send_up(s, row, ranks_rows(s->R), rows_of_frame(row), make_answer);
	free(s->answer);
	s->answer = NULL;
}

static enum err find_cells(struct state *s)
{
	const struct question *q = &s->order.question;

	return slice_cluster(slice_of(s), q->order, q->parties, q->dims, &s->order.clusters,
			     s->label);
}

static void send_labels(struct state *s)
{
	send_up(s, sizeof(*s->label), ranks_rows(s->R), RANKS_FRAME_MAX / sizeof(*s->label),
		make_labels);
}

static enum err find_means(struct state *s)
{
	receive_rows(s, sizeof(*s->label), s->label);
	mat_release(&s->c);
	slice_means(&s->slice.slice, s->label, s->order.k, &s->c);
	return ERR_OK;
}

static void send_means(struct state *s)
{
	const struct slice *own = &s->slice.slice;

	send_mat(s, &s->c);
	send_told(s, own->shift, own->columns * sizeof(*own->shift));
	send_told(s, own->weight, own->columns * sizeof(*own->weight));
	send_told(s, own->word, own->columns);
}

/* ---- new rows after landmark ---- */

static enum err weigh_rows(struct state *s)
{
	struct placing *p = &s->place;
	size_t m = features_cols(&s->X), k = s->order.k;
	enum err e;

	placing_release(p);
	p->order = s->order.embed.order;
	ALLOC(p->shift, m);
	ALLOC(p->weight, m);
	ALLOC(p->word, m);
	ALLOC(p->offset, k);
	receive_told(s, p->shift, m * sizeof(*p->shift));
	receive_told(s, p->weight, m * sizeof(*p->weight));
	receive_told(s, p->word, m);
	receive_told(s, p->offset, k * sizeof(*p->offset));
	receive_mat(s, &p->map, m, k);
	s->answer = alloc(ranks_rows(s->R), sizeof(*s->answer));
	e = check_plain(s);
	if (e == ERR_OK)
		e = ranks_place_weigh(s->R, p, &s->X.dense, s->answer);
	if (e != ERR_OK) {
		free(s->answer);
		s->answer = NULL;
	}
	return e;
}

static void make_lengths(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, s->answer + first, count * sizeof(*s->answer));
}

static void send_lengths(struct state *s)
{
	send_up(s, sizeof(*s->answer), ranks_rows(s->R), RANKS_FRAME_MAX / sizeof(*s->answer),
		make_lengths);
	free(s->answer);
	s->answer = NULL;
}

static enum err place_rows(struct state *s)
{
	double *norm = alloc(ranks_rows(s->R), sizeof(*norm));

	receive_rows(s, sizeof(*norm), norm);
	mat_release(&s->Z);
	ranks_place_distances(s->R, &s->rows, &s->place, &s->X.dense, norm, &s->Z);
	free(norm);
	return ERR_OK;
}

static void make_placed(struct state *s, size_t first, size_t count, void *to)
{
	memcpy(to, ROW(&s->Z, first), count * s->Z.cols * sizeof(*s->Z.a));
}

static void send_placed(struct state *s)
{
	size_t row = s->Z.cols * sizeof(*s->Z.a);

	send_up(s, row, s->Z.rows, rows_of_frame(row), make_placed);
}

static enum err nothing(struct state *s)
{
	(void)s;
	return ERR_OK;
}

static const struct {
	enum { ANY, READ, GRAPH_READ, EMBEDDED, SEARCHED, SLICED, FILTERED, WEIGHED, ROWS } needs;
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
	[RANKS_FEATURES] = { READ, nothing, send_features },
	[RANKS_RENAME] = { READ, rename_rows, NULL },
	[RANKS_ROWS] = { READ, begin_rows, NULL },
	[RANKS_ASK_ROWS] = { ROWS, ask_rows, send_sums },
	[RANKS_NEAREST] = { ROWS, nothing, send_nearest },
	[RANKS_EDGES] = { GRAPH_READ, nothing, send_edges },
	[RANKS_INTRA] = { SEARCHED, find_intra, send_intra },
	[RANKS_ASK] = { SLICED, answer, send_answer },
	[RANKS_CELLS] = { SLICED, find_cells, send_labels },
	[RANKS_MEANS] = { FILTERED, find_means, send_means },
	[RANKS_WEIGH] = { GRAPH_READ, weigh_rows, send_lengths },
	[RANKS_PLACE] = { WEIGHED, place_rows, send_placed },
};

static bool has(const struct state *s, int needs)
{
	bool graph = s->rows.start != NULL;

	switch (needs) {
	case READ:
		return s->X.dense.a || s->X.sparse.start;
	case GRAPH_READ:
		return graph;
	case EMBEDDED:
		return s->Z.a != NULL;
	case SEARCHED:
		return graph && (s->order.begins || s->search);
	case SLICED:
		return graph || s->slice.R;
	case FILTERED:
		return s->slice.slice.is_filtered;
	case WEIGHED:
		return graph && s->place.map.a;
	case ROWS:
		return s->party.X.a && (s->order.op != RANKS_NEAREST || s->party.clusters.label);
	default:
		return true;
	}
}

/* Has the question as many numbers as it needs, and is it one for ranks? */
static bool is_answerable(const struct state *s)
{
	const struct ranks_question *q = &s->order.asked;
	size_t m = s->party.X.cols;

	if (s->order.op != RANKS_ASK_ROWS)
		return true;
	if (q->k > ROWS_MAX || q->words > RANKS_WORDS_MAX || q->given > RANKS_WORDS_MAX)
		return false;
	switch (q->kind) {
	case FEDSC_TOTALS:
		return q->words == 1 + m;
	case FEDSC_SPREAD:
		return q->given == m && q->words == (q->columns ? 2 * m : 1);
	case FEDSC_SCALE:
		return q->words == 0 && q->given == (q->has_unit ? m : 0);
	case FEDSC_CLUSTERS:
		return q->given == (q->clusters == FEDKMEANS_COUNTS ? q->k * m : q->k) &&
		       q->words <= q->k * (m + 1);
	default:
		return false;
	}
}

/* An order that cannot be followed is not this party's program's. */
static bool is_possible(const struct state *s)
{
	const struct ranks_order *o = &s->order;

	if (o->op < RANKS_READ || o->op >= sizeof(orders) / sizeof(*orders) || o->k > ROWS_MAX ||
	    o->clusters.k > ROWS_MAX || o->dims > COLS_MAX || o->question.k > ROWS_MAX ||
	    o->question.labellings > LABELLINGS_MAX || o->question.dims > COLS_MAX ||
	    !is_answerable(s))
		return false;
	return has(s, orders[o->op].needs);
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
	drop_data(&s);
}
