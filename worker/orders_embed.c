#include "worker/state.h"
#include "common/base/alloc.h"
#include "common/linalg/distance.h"
#include "worker/link.h"

#include <stdlib.h>
#include <string.h>

enum err order_embed_rows(struct state *s)
{
	enum err e;

	order_end(&s->search);
	mat_release(&s->Z);
	embedding_release(&s->how);
	e = embed_keep(&s->X, &s->g, &s->order.embed, &s->Z, &s->how);
	graph_release(&s->g);
	s->embedded = link_cost();
	s->reply.dims = s->how.map.cols;
	s->reply.word = s->how.word;
	s->reply.mean_norm = s->how.mean_norm;
	s->reply.has_idf = s->how.idf != NULL;
	return e;
}

void order_send_embedding(struct state *s)
{
	state_send_mat(s, &s->how.map);
	if (s->how.idf)
		state_send_told(s, s->how.idf, s->how.map.rows * sizeof(*s->how.idf));
	embedding_release(&s->how);
}

enum err order_embed_again_rows(struct state *s)
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

	state_receive_mat(s, &how.map, cols, o->dims);
	if (o->has_idf) {
		ALLOC(how.idf, cols);
		state_receive_told(s, how.idf, cols * sizeof(*how.idf));
	}
	mat_release(&s->Z);
	e = embed_again(&s->X, &s->g, &how, 1, &s->Z);
	graph_release(&s->g);
	s->embedded = link_cost();
	embedding_release(&how);
	return e;
}

static void make_norms(struct state *s, size_t first, size_t count, void *to)
{
	struct mat part = { count, s->Z.cols, ROW(&s->Z, first) };

	embed_norms(&part, to);
}

void order_send_norms(struct state *s)
{
	state_send_up(s, sizeof(double), s->Z.rows, RANKS_FRAME_MAX / sizeof(double), make_norms);
}

enum err order_scale_rows(struct state *s)
{
	double *norm = alloc(s->Z.rows, sizeof(*norm));

	state_receive_rows(s, sizeof(*norm), norm);
	embed_scale(&s->Z, norm, s->order.mean_norm, s->order.embed.row_power);
	free(norm);
	return ERR_OK;
}

enum err order_find_clusters(struct state *s)
{
	mat_release(&s->c);
	kmeans(&s->Z, NULL, &s->order.clusters, s->label, &s->c, NULL);
	return ERR_OK;
}

void order_send_clusters(struct state *s)
{
	state_send_up(s, sizeof(*s->label), s->Z.rows, RANKS_FRAME_MAX / sizeof(*s->label),
		      state_make_labels);
	state_send_mat(s, &s->c);
}

enum err order_find_centres(struct state *s)
{
	state_receive_mat(s, &s->c, s->order.k, s->Z.cols);
	state_receive_rows(s, sizeof(*s->label), s->label);
	kmeans_centres_of(s->R, &s->Z, NULL, s->label, &s->c);
	return ERR_OK;
}

void order_send_centres(struct state *s)
{
	state_send_mat(s, &s->c);
}

enum err order_take_centres(struct state *s)
{
	state_receive_mat(s, &s->c, s->order.k, s->Z.cols);
	return ERR_OK;
}

static void make_distances(struct state *s, size_t first, size_t count, void *to)
{
	struct mat part = { count, s->Z.cols, ROW(&s->Z, first) };

	kmeans_distances(&part, &s->c, to);
}

/* Blocks are cut from row 0, as distance_block() wants them; one may be larger than a piece. */
void order_send_distances(struct state *s)
{
	size_t row = s->c.rows * sizeof(double), most = RANKS_FRAME_MAX / row;

	most = most > DISTANCE_ROWS ? most / DISTANCE_ROWS * DISTANCE_ROWS : DISTANCE_ROWS;
	state_send_up(s, row, s->Z.rows, most, make_distances);
}
