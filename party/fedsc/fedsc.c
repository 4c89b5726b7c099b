/* A party's half of FedSC, in the paper's order. What each line receives and sends stands in
 * rows.c. */
#include "party/fedsc/fedsc.h"
#include "common/fedsc/coordinator.h"
#include "party/fedsc/rows.h"

/* Algorithm 1: similarity reconstruction. Z^0 are landmarks, of which there are d. */
static enum err learn(struct rows *rows)
{
	bool more = true;

	TRY(rows_cluster(rows, "landmarks"));
	TRY(rows_width(rows));
	if (rows->p.dims == 0) {
		TRY(rows_spectrum(rows));
		TRY(rows_cluster(rows, "landmarks"));
	}
	work_phase(rows->work, "stage-1");
	for (unsigned s = 1; more; s++) /* for s = 1, ..., S: omega_p Z_p after Q inner steps */
		TRY(rows_learn(rows, s, &more));
	return ERR_OK;
}

static enum err take_part(struct rows *rows, uint32_t *label)
{
	struct work *work = rows->work;
	enum fedsc_variant variant = rows->p.variant;

	TRY(rows_agree(rows));
	if (fedsc_learns(variant))
		TRY(learn(rows));
	switch (variant) {
	case FEDSC_BY_PAPER: /* C goes up, labels come back, to each party those of its own rows */
		TRY(rows_upload(rows));
		work_phase(work, "result");
		work->told.apart = true;
		return work_recv_clusters(work, MSG_RESULT, rows->root, work->job.clusters, label,
					  work->n);
	case FEDSC_BY_ANCHORS: /* by landmarks alone: there is no dictionary to learn */
		TRY(rows_cluster(rows, "landmarks"));
		TRY(rows_anchor(rows));
		TRY(rows_embed(rows));
		break;
	case FEDSC_BY_DENSE: /* on the whole of K^ = C' Kzz C, which nobody forms */
		TRY(rows_dense(rows));
		TRY(rows_embed(rows));
		break;
	case FEDSC_BY_KMEANS:
		break;
	}
	TRY(rows_cluster(rows, "kmeans"));
	return rows_labels(rows, label);
}

enum err party_fedsc(struct work *work, uint32_t *label)
{
	struct rows rows;
	enum err e = rows_open(&rows, work);

	if (e == ERR_OK)
		e = take_part(&rows, label);
	rows_close(&rows);
	return e;
}
