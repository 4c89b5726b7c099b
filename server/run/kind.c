#include "server/run/kind.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "proto/msg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what ACCEPT says ---- */

enum err server_compare_columns(struct run *run, const struct msg_accept *accept)
{
	for (size_t l = 0; l < run->L; l++) {
		if (accept[l].columns < 1 || accept[l].columns > COLS_MAX)
			return err_set(ERR_PEER, "%s has %u feature columns, expected 1 to %zu",
				       run->name[l], accept[l].columns, (size_t)COLS_MAX);
		if (accept[l].columns != accept[0].columns)
			return err_set(ERR_INPUT,
				       "%s has %u feature columns and %s has %u: rows of different "
				       "parties must have the same columns",
				       run->name[0], accept[0].columns, run->name[l],
				       accept[l].columns);
	}
	run->columns = accept[0].columns;
	return ERR_OK;
}

static void hex8(const uint8_t *hash, char text[static 17]) /* enough of it to tell two apart */
{
	for (int i = 0; i < 8; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
}

static enum err same_hash(const struct run *run, const char *what, size_t a, const uint8_t *ha,
			  size_t b, const uint8_t *hb)
{
	char ta[17], tb[17];

	if (memcmp(ha, hb, HASH_LEN) == 0)
		return ERR_OK;
	hex8(ha, ta);
	hex8(hb, tb);
	return err_set(ERR_PEER, "%s and %s have different %s (fingerprints %s and %s of this job)",
		       run->name[a], run->name[b], what, ta, tb);
}

enum err server_compare_nodes(struct run *run, const struct msg_accept *accept)
{
	for (size_t l = 0; l < run->L; l++) {
		const struct msg_accept *a = &accept[0], *b = &accept[l];

		if (a->rows != b->rows)
			return err_set(ERR_PEER, "%s has %" PRIu64 " nodes and %s has %" PRIu64,
				       run->name[0], a->rows, run->name[l], b->rows);
		TRY(same_hash(run, "sets of ids", 0, a->ids_hash, l, b->ids_hash));
		TRY(same_hash(run, "graphs (set graphs to \"own\" in the job if that is meant)", 0,
			      a->edges_hash, l, b->edges_hash));
	}
	if (accept[0].rows > MSG_ITEMS_MAX || accept[0].rows < run->job.clusters)
		return err_set(ERR_JOB, "%" PRIu64 " nodes cannot be put into %u clusters",
			       accept[0].rows, run->job.clusters);
	run->n = (size_t)accept[0].rows;
	return ERR_OK;
}

enum err server_compare_nothing(struct run *run, const struct msg_accept *accept)
{
	(void)run;
	(void)accept;
	return ERR_OK;
}

/* ---- what is kept ---- */

/* Rows are numbered as the parties' sorted ids are. */
enum err server_keep_labels(struct run *run, const uint32_t *label, const char *output)
{
	char *csv, *npy;
	enum err e;

	if (!label || job_is_plan_only(&run->job))
		return ERR_OK;
	record_result(run->record, label, run->n, run->job.clusters);
	csv = file_join(output, "labels.csv");
	npy = file_join(output, "labels.npy");
	e = labels_write_csv(csv, NULL, label, run->n);
	if (e == ERR_OK)
		e = labels_write_npy(npy, label, run->n);
	free(csv);
	free(npy);
	return e;
}
