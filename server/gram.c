#include "server/gram.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/math/la.h"
#include "server/sum.h"

#include <stdlib.h>

/* A centre is a weighted mean of items: column c of A (m x K) says of which, mu_c = sum_i A_ic y_i.
 * Columns of a (partial) assignment; a cluster without items keeps its own. */
static void update(const struct joint *j, const uint32_t *label, struct mat *A)
{
	double *W = alloc(j->K, sizeof(*W));

	for (size_t i = 0; i < j->m; i++)
		if (label[i] < j->K)
			W[label[i]] += j->weight[i];
	for (size_t i = 0; i < j->m; i++)
		for (size_t c = 0; c < j->K; c++)
			if (W[c] > 0)
				MAT(A, i, c) = label[i] == c ? j->weight[i] / W[c] : 0;
	free(W);
}

/* D_ic = <y_i, y_i> - 2 <y_i, mu_c> + <mu_c, mu_c>, from G (m x m) and P = G A. O(m^2 K). */
static void distances(const struct joint *j, const struct mat *G, const struct mat *A, double *D)
{
	double *square = alloc(j->K, sizeof(*square));
	struct mat P;

	la_mul_nn(G, A, 1, &P);
	for (size_t i = 0; i < j->m; i++)
		for (size_t c = 0; c < j->K; c++)
			square[c] += MAT(A, i, c) * MAT(&P, i, c);
	for (size_t i = 0; i < j->m; i++)
		for (size_t c = 0; c < j->K; c++) {
			double d = MAT(G, i, i) - 2 * MAT(&P, i, c) + square[c];

			D[i * j->K + c] = d > 0 ? d : 0;
		}
	mat_release(&P);
	free(square);
}

/* Protocol 2 lines 7-38 with the distances taken from G. */
static size_t lloyd(const struct run *run, struct joint *j, const struct mat *G)
{
	struct mat *A = alloc(j->R, sizeof(*A));
	double *D = alloc(j->m * j->K, sizeof(*D));
	uint32_t *kept = alloc(j->R, sizeof(*kept));
	size_t moved = 0;

	for (unsigned r = 0; r < j->R; r++)
		mat_init(&A[r], j->m, j->K);
	for (unsigned t = run->job.ninth ? 0 : 1; joint_active(j); t++) {
		moved = 0;
		for (unsigned r = 0; r < j->R; r++) {
			if (!j->moving[r])
				continue;
			update(j, j->label + r * j->m, &A[r]);
			distances(j, G, &A[r], D);
			moved += joint_assign(j, r, t == 0, D);
			progress_tick();
		}
		if (joint_iterated(j, t))
			joint_screen(j, kept);
	}
	for (unsigned r = 0; r < j->R; r++)
		mat_release(&A[r]);
	free(A);
	free(D);
	free(kept);
	return moved;
}

/* The decoded triangle, by rows, as a whole symmetric matrix. */
static void whole(const struct run *run, const struct joint *j, struct mat *G)
{
	struct fixed f = run_fixed(run, j->node->last - j->node->first);
	size_t m = j->m, word = run->job.modulus_bits / 8, at = 0;

	mat_init(G, m, m);
	for (size_t i = 0; i < m; i++) {
		fixed_decode(&f, (uint8_t *)j->acc + at * word, i + 1, ROW(G, i));
		at += i + 1;
		for (size_t l = 0; l < i; l++)
			MAT(G, l, i) = MAT(G, i, l);
	}
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
	TRY(sum_products(run, groups, count));
	for (size_t g = 0; g < count; g++) {
		struct joint *j = &groups[g];

		joint_begin(j);
		if (!joint_is_trivial(j)) {
			struct mat G;

			whole(run, j, &G);
			run_progress(run, j->iterations, lloyd(run, j, &G));
			mat_release(&G);
		}
		TRY(joint_finish(run, j));
	}
	return ERR_OK;
}
