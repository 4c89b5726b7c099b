#include "common/ranks/order.h"
#include "common/base/alloc.h"
#include "common/ranks/embed.h"
#include "common/ranks/filter.h"
#include "common/ranks/modularity.h"
#include "common/ranks/slice.h"

#include <stdlib.h>
#include <string.h>

struct ranks_order_search {
	const struct ranks *R;
	const struct csr *rows; /* of the adjacency */
	struct ranks_steps *steps;
	struct embed_params how; /* order: that of F */
	struct kmeans_params clusters;
	struct ranks_embed_sizes sizes;
	bool beside;
	struct mat F;
};

/* That of order.c over ranks. */
static void weigh_beside(struct ranks_order_search *s)
{
	struct features own = { .dense = s->F };
	struct ranks_slice slice;

	ranks_slice_begin(&slice, s->R, &own);
	s->beside = slice_weigh_beside(&slice.slice, &own);
	s->F = own.dense;
	ranks_slice_release(&slice);
}

struct ranks_order_search *ranks_order_begin(const struct ranks *R, const struct csr *rows,
					     const struct features *X,
					     const struct embed_params *how,
					     const struct kmeans_params *clusters)
{
	struct ranks_order_search *s = alloc(1, sizeof(*s));
	struct features weighed = { 0 };

	s->R = R;
	s->rows = rows;
	s->how = *how;
	s->how.order = 0;
	s->clusters = *clusters;
	s->clusters.ranks = R;
	ranks_weighed(R, X, how, &weighed.dense);
	s->sizes = ranks_embed_sizes(R, rows, &weighed);
	s->F = weighed.dense;
	if (how->idf)
		weigh_beside(s);
	s->steps = ranks_steps_new(R, rows, how->filter);
	return s;
}

void ranks_order_end(struct ranks_order_search *s)
{
	if (!s)
		return;
	ranks_steps_free(s->steps);
	mat_release(&s->F);
	free(s);
}

/* psi_intra() over ranks. */
static double intra_of(const struct ranks_order_search *s, const uint32_t *label)
{
	size_t k = s->clusters.k;
	double *apart = alloc(2 * k, sizeof(*apart)), intra;
	struct rowsum sum;
	struct mat mean;

	mat_init(&mean, k, s->F.cols);
	kmeans_centres_of(s->R, &s->F, NULL, label, &mean);
	rowsum_init(&sum, 2 * k, NULL, NULL);
	rowsum_begin_at(&sum, s->R->cut[s->R->own] / ROWSUM_ROWS);
	for (size_t b = 0; b < rowsum_blocks(s->F.rows); b++) {
		size_t first = b * ROWSUM_ROWS;
		struct mat block = { rowsum_rows(s->F.rows, b), s->F.cols, ROW(&s->F, first) };

		psi_apart(&block, label + first, &mean, rowsum_open(&sum));
		rowsum_close(&sum);
	}
	ranks_sum(s->R, &sum, apart);
	intra = psi_of_apart(apart, k);
	rowsum_release(&sum);
	mat_release(&mean);
	free(apart);
	return intra;
}

enum err ranks_order_next(struct ranks_order_search *s, double *term)
{
	uint32_t *label = alloc(s->F.rows, sizeof(*label));
	enum err e = ERR_OK;

	for (int t = 0; t < ORDER_BLOCK && e == ERR_OK; t++) {
		struct mat Z;

		s->how.order++;
		ranks_steps_once(s->steps, &s->F);
		e = s->beside ? ERR_OK : ranks_embed_check(s->R, &s->sizes, &s->how);
		if (e == ERR_OK)
			e = ranks_project(s->R, &s->F, &s->how, &Z);
		if (e != ERR_OK)
			break;
		kmeans(&Z, NULL, &s->clusters, label, NULL, NULL);
		term[t] = intra_of(s, label);
		term[ORDER_BLOCK + t] = ranks_modularity(s->R, s->rows, label, s->clusters.k);
		mat_release(&Z);
	}
	free(label);
	return e;
}
