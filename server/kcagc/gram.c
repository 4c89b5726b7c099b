#include "server/kcagc/gram.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/linalg/mat.h"
#include "server/run/sum.h"

#include <stdlib.h>

/* The centres of one restart, which are weighted means of items, by their inner products with all
 * items y_i. For that S is kept as items come and go: O(m) for each that moves. */
struct centres {
	uint32_t *label; /* m: of which item S holds what; K: it is in none */
	double *W;       /* K: weight of the cluster's items */
	struct mat S;    /* K x m: sum of w_l <y_l, y_i> over the cluster's items l */
	struct mat P;    /* K x m: <mu_c, y_i>; a cluster without items keeps its own */
	double *square;  /* K: <mu_c, mu_c> */
};

/* Item i, whose products are row g of G, comes into or leaves cluster c. */
static void move(struct centres *s, size_t c, double weight, const double *g)
{
	double *sum = ROW(&s->S, c);

	s->W[c] += weight;
	for (size_t l = 0; l < s->S.cols; l++)
		sum[l] += weight * g[l];
}

/* The centres of the assignment `label`. */
static void centres_update(struct centres *s, const struct joint *j, const struct mat *G,
			   const uint32_t *label)
{
	for (size_t i = 0; i < j->m; i++) {
		if (label[i] == s->label[i])
			continue;
		if (s->label[i] < j->K)
			move(s, s->label[i], -j->weight[i], ROW(G, i));
		if (label[i] < j->K)
			move(s, label[i], j->weight[i], ROW(G, i));
		s->label[i] = label[i];
	}
	for (size_t c = 0; c < j->K; c++) {
		if (s->W[c] <= 0) /* weights are numbers of nodes: exact */
			continue;
		s->square[c] = 0;
		for (size_t i = 0; i < j->m; i++) {
			MAT(&s->P, c, i) = MAT(&s->S, c, i) / s->W[c];
			if (label[i] == c)
				s->square[c] += MAT(&s->P, c, i) * j->weight[i] / s->W[c];
		}
	}
}

/* D_ic = <y_i, y_i> - 2 <y_i, mu_c> + <mu_c, mu_c>. */
static void distances(const struct joint *j, const struct mat *G, const struct centres *s,
		      double *D)
{
	for (size_t i = 0; i < j->m; i++)
		for (size_t c = 0; c < j->K; c++) {
			double d = MAT(G, i, i) - 2 * MAT(&s->P, c, i) + s->square[c];

			D[i * j->K + c] = d > 0 ? d : 0;
		}
}

/* Protocol 2 lines 7-38 with the distances taken from G. */
static size_t lloyd(const struct run *run, struct joint *j, const struct mat *G)
{
	struct centres *centres = alloc(j->R, sizeof(*centres));
	double *D = alloc(j->m * j->K, sizeof(*D));
	uint32_t *kept = alloc(j->R, sizeof(*kept));
	size_t moved = 0;

	for (struct centres *s = centres; s < centres + j->R; s++) {
		ALLOC(s->label, j->m);
		ALLOC(s->W, j->K);
		ALLOC(s->square, j->K);
		mat_init(&s->S, j->K, j->m);
		mat_init(&s->P, j->K, j->m);
		for (size_t i = 0; i < j->m; i++)
			s->label[i] = j->K;
	}
	for (unsigned t = run->job.kcagc.ninth ? 0 : 1; joint_active(j); t++) {
		moved = 0;
		for (unsigned r = 0; r < j->R; r++) {
			if (!j->moving[r])
				continue;
			centres_update(&centres[r], j, G, j->label + r * j->m);
			distances(j, G, &centres[r], D);
			moved += joint_assign(j, r, t == 0, D);
			progress_tick();
		}
		if (joint_iterated(j, t))
			joint_screen(j, kept);
	}
	for (struct centres *s = centres; s < centres + j->R; s++) {
		free(s->label);
		free(s->W);
		free(s->square);
		mat_release(&s->S);
		mat_release(&s->P);
	}
	free(centres);
	free(D);
	free(kept);
	return moved;
}

/* One round for all groups of the level. */
static enum err sum_products(struct run *run, struct joint *groups, size_t count)
{
	struct sum *sums = alloc(count, sizeof(*sums));
	size_t busy = 0;
	enum err e = ERR_OK;

	for (size_t g = 0; g < count && e == ERR_OK; g++) {
		struct joint *j = &groups[g];
		size_t words = j->m * (j->m + 1) / 2;

		if (joint_is_trivial(j))
			continue;
		if (j->m > GRAM_ITEMS_MAX) {
			e = err_set(ERR_JOB,
				    "gram of %zu virtual nodes: at most %d are summed at once; "
				    "take exchange \"distances\" or fewer local_clusters",
				    j->m, GRAM_ITEMS_MAX);
			break;
		}
		j->acc = alloc(words, run->job.modulus_bits / 8);
		sums[busy++] = (struct sum){ .group = j->node->id,
					     .first = j->node->first,
					     .last = j->node->last,
					     .round = j->round,
					     .count = words,
					     .acc = j->acc };
	}
	if (e == ERR_OK && busy)
		e = secure_sums(run, sums, busy);
	free(sums);
	return e;
}

enum err gram_kmeans(struct run *run, struct joint *groups, size_t count)
{
	size_t word = run->job.modulus_bits / 8;

	TRY(sum_products(run, groups, count));
	for (struct joint *j = groups; j < groups + count; j++) {
		joint_begin(j);
		if (!joint_is_trivial(j)) {
			struct fixed f = run_fixed(run, j->node->last - j->node->first);
			const uint8_t *row = j->acc; /* of the triangle */
			struct mat G;

			mat_init(&G, j->m, j->m);
			for (size_t i = 0; i < j->m; i++) {
				fixed_decode(&f, row, i + 1, ROW(&G, i));
				row += (i + 1) * word;
				for (size_t l = 0; l < i; l++)
					MAT(&G, l, i) = MAT(&G, i, l);
			}
			free(j->acc);
			j->acc = NULL;
			run_progress(run, j->iterations, lloyd(run, j, &G));
			mat_release(&G);
		}
		TRY(joint_finish(run, j));
	}
	return ERR_OK;
}
