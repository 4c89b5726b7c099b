/* The joint k-means at a party: kCAGC, Protocol 2 after line 6. */
#include "protocols/kcagc/party/joint.h"
#include "common/base/alloc.h"
#include "protocols/kcagc/job.h"
#include "common/linalg/la.h"
#include "party/work/secure.h"

#include <stdlib.h>
#include <string.h>

static size_t active(const struct joint *j)
{
	size_t n = 0;

	for (unsigned r = 0; j->moving && r < j->R; r++)
		n += j->moving[r];
	return n;
}

/* Protocol 2 line 6: the starts are partial assignments that all members share, so that a centre
 * consists of the same nodes at every party. */
static enum err party_joint_begin(struct work *work, struct joint *j)
{
	size_t m = j->Y->here.rows;

	ALLOC(j->mu, j->R);
	ALLOC(j->before, j->R);
	ALLOC(j->label, j->R * m);
	ALLOC(j->moving, j->R);
	TRY(channel_recv_labels(work->channel, MSG_STARTS, j->node->id, j->K, j->label, j->R * m));
	for (unsigned r = 0; r < j->R; r++) {
		j->moving[r] = true;
		mat_init(&j->mu[r], j->K, j->Y->here.cols);
		TRY(points_centres(j->Y, j->weight, j->label + r * m, &j->mu[r]));
	}
	return ERR_OK;
}

enum err party_joint_send_distances(struct work *work, const struct joint *j)
{
	size_t words = j->Y->here.rows * j->K;
	struct secure *s = NULL;
	enum err e = secure_begin(work, j->node, active(j) * words, false, &s);

	for (unsigned r = 0; r < j->R && e == ERR_OK; r++)
		if (j->moving[r])
			e = points_add_distances(j->Y, &j->mu[r], s);
	if (e == ERR_OK)
		e = secure_end(s);
	secure_free(s);
	return e;
}

enum err party_joint_update_centres(struct work *work, struct joint *j, unsigned t, size_t *moved)
{
	size_t m = j->Y->here.rows, n = active(j), a = 0;
	uint32_t *received = alloc(n * m, sizeof(*received));
	enum err e = t == 0
			 ? channel_recv_labels(work->channel, MSG_ASSIGNMENT, j->node->id, j->K,
					       received, n * m)
			 : work_recv_clusters(work, MSG_ASSIGNMENT, j->node, j->K, received, n * m);

	*moved = 0;
	for (unsigned r = 0; r < j->R && e == ERR_OK; r++) {
		size_t changed = 0;
		uint32_t *label = j->label + r * m;

		if (!j->moving[r])
			continue;
		for (size_t i = 0; i < m; i++)
			changed += label[i] != received[a * m + i];
		memcpy(label, received + a++ * m, m * sizeof(*label));
		mat_release(&j->before[r]);
		mat_copy(&j->before[r], &j->mu[r]);
		e = points_centres(j->Y, j->weight, label, &j->mu[r]);
		j->moving[r] = t == 0 || changed > 0;
		*moved += t == 0 ? 0 : changed;
	}
	free(received);
	return e;
}

static enum err screen(struct work *work, struct joint *j)
{
	uint32_t *kept = alloc(j->R, sizeof(*kept));
	enum err e = channel_recv_labels(work->channel, MSG_KEPT, j->node->id, 1, kept, j->R);

	for (unsigned r = 0; r < j->R && e == ERR_OK; r++)
		j->moving[r] = j->moving[r] && kept[r] == 1;
	free(kept);
	return e;
}

enum err party_joint_send_products(struct work *work, const struct joint *j, const double *within)
{
	const struct mat *Y = &j->Y->here;
	size_t m = Y->rows, d = Y->cols;
	double *row = alloc(m, sizeof(*row));
	struct secure *s = NULL;
	enum err e = secure_begin(work, j->node, m * (m + 1) / 2 + (within ? m : 0), false, &s);

	for (size_t i = 0; i < m && e == ERR_OK; i++) {
		la_block_nt(1, i + 1, d, ROW(Y, i), Y->a, row, m);
		e = secure_add(s, row, i + 1);
	}
	if (e == ERR_OK && within)
		e = secure_add(s, within, m);
	if (e == ERR_OK)
		e = secure_end(s);
	secure_free(s);
	free(row);
	return e;
}

enum err party_joint_kmeans(struct work *work, struct joint *j, uint32_t *best)
{
	bool gram = kcagc_job(&work->job)->exchange == EXCHANGE_GRAM &&
		    kcagc_job(&work->job)->method != METHOD_BASIC;

	if (j->Y->here.rows > j->K && gram)
		TRY(party_joint_send_products(work, j, NULL));
	else if (j->Y->here.rows > j->K)
		TRY(party_joint_begin(work, j));
	for (unsigned t = 0; t <= j->Q && active(j); t++) {
		size_t moved;

		TRY(party_joint_send_distances(work, j));
		TRY(party_joint_update_centres(work, j, t, &moved));
		if (t > 0 && t == j->screen)
			TRY(screen(work, j));
		work_progress(work, t, moved);
	}
	return work_recv_clusters(work, MSG_CLUSTERS, j->node, j->K, best, j->Y->here.rows);
}

enum err party_joint_keep_centres(const struct joint *j, const uint32_t *best, struct mat *last)
{
	size_t m = j->Y->here.rows;
	unsigned r = 0;

	while (j->label && r < j->R && memcmp(j->label + r * m, best, m * sizeof(*best)) != 0)
		r++;
	mat_release(last);
	if (j->label && r < j->R) {
		mat_copy(last, &j->before[r]);
		return ERR_OK;
	}
	mat_init(last, j->K, j->Y->here.cols);
	return points_centres(j->Y, j->weight, best, last);
}

void party_joint_release(struct joint *j)
{
	for (unsigned r = 0; j->mu && r < j->R; r++) {
		mat_release(&j->mu[r]);
		mat_release(&j->before[r]);
	}
	free(j->mu);
	free(j->before);
	free(j->label);
	free(j->moving);
}
