#include "common/base/alloc.h"
#include "common/linalg/distance.h"
#include "worker/link.h"
#include "worker/state.h"

#include <stdlib.h>

/* ---- filter.order "auto" ---- */

void command_terms(struct state *s)
{
	const struct ranks_command *o = &s->command;
	double terms[ORDER_WORDS];
	enum err e = ERR_OK;

	if (o->begins) {
		order_end(&s->search);
		e = order_begin(&s->search, &s->X, &s->g, &o->embed, &o->clusters);
	}
	if (e == ERR_OK)
		e = order_next(&s->search, terms);
	if (state_reply(s, e))
		state_send_common(s, terms, sizeof(terms));
}

/* ---- the embedding ---- */

void command_embed(struct state *s)
{
	struct embedding how;
	enum err e;

	order_end(&s->search);
	mat_release(&s->Z);
	e = embed_keep(&s->X, &s->g, &s->command.embed, &s->Z, &how);
	graph_release(&s->g);
	s->embedded = link_cost();
	s->reply.how = how;
	if (state_reply(s, e)) {
		state_send_mat(s, &how.map);
		if (how.idf)
			state_send_common(s, how.idf, how.map.rows * sizeof(*how.idf));
	}
	embedding_release(&how);
}

void command_again(struct state *s)
{
	struct embedding how = s->command.how;
	size_t cols = features_cols(&s->X);
	enum err e;

	state_receive_mat(s, &how.map, cols, how.map.cols);
	if (how.idf) {
		ALLOC(how.idf, cols);
		state_receive_common(s, how.idf, cols * sizeof(*how.idf));
	}
	mat_release(&s->Z);
	e = embed_again(&s->X, &s->g, &how, 1, &s->Z);
	graph_release(&s->g);
	s->embedded = link_cost();
	embedding_release(&how);
	(void)state_reply(s, e);
}

void command_norms(struct state *s)
{
	double *norm = alloc(s->Z.rows, sizeof(*norm));

	embed_norms(&s->Z, norm);
	if (state_reply(s, ERR_OK))
		state_send_items(s, sizeof(*norm), s->Z.rows, norm);
	free(norm);
}

void command_scale(struct state *s)
{
	double *norm = alloc(s->Z.rows, sizeof(*norm));

	state_receive_rows(s, sizeof(*norm), norm);
	embed_scale(&s->Z, norm, s->command.how.mean_norm, s->command.how.row_power);
	free(norm);
	(void)state_reply(s, ERR_OK);
}

/* ---- k-means ---- */

void command_clusters(struct state *s)
{
	uint32_t *label = alloc(s->Z.rows, sizeof(*label));
	struct mat c;

	kmeans(&s->Z, NULL, &s->command.clusters, label, &c, NULL);
	if (state_reply(s, ERR_OK)) {
		state_send_items(s, sizeof(*label), s->Z.rows, label);
		state_send_mat(s, &c);
	}
	mat_release(&c);
	free(label);
}

void command_centres(struct state *s)
{
	uint32_t *label = alloc(s->Z.rows, sizeof(*label));
	struct mat c;

	state_receive_mat(s, &c, s->command.k, s->Z.cols);
	state_receive_rows(s, sizeof(*label), label);
	kmeans_centres_of(s->R, &s->Z, NULL, label, &c);
	if (state_reply(s, ERR_OK))
		state_send_mat(s, &c);
	mat_release(&c);
	free(label);
}

struct measured {
	const struct mat *Z, *c;
};

static void make_distances(void *arg, size_t first, size_t count, void *to)
{
	const struct measured *m = arg;
	struct mat part = { count, m->Z->cols, ROW(m->Z, first) };

	kmeans_distances(&part, m->c, to);
}

/* Passes multiples of DISTANCE_ROWS rows to kmeans_distances(), so that its blocks begin at the
 * same rows as without pieces. A block may be larger than a frame. */
void command_distances(struct state *s)
{
	size_t row = s->command.k * sizeof(double), most = RANKS_FRAME_MAX / row;
	struct mat c;
	struct measured m = { &s->Z, &c };

	most = most > DISTANCE_ROWS ? most / DISTANCE_ROWS * DISTANCE_ROWS : DISTANCE_ROWS;
	state_receive_mat(s, &c, s->command.k, s->Z.cols);
	if (state_reply(s, ERR_OK))
		state_send_made(s, row, s->Z.rows, most, make_distances, &m);
	mat_release(&c);
}
