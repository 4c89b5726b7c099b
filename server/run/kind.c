#include "server/run/kind.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "proto/codec.h"
#include "proto/msg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -- comparison of ACCEPT ------------------------------------------------------------------- */

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

/* Compares two fingerprints. The error shows only eight bytes of each. */
static enum err same_hash(const struct run *run, size_t l, const char *what, const uint8_t *first,
			  const uint8_t *own)
{
	if (memcmp(first, own, HASH_LEN) == 0)
		return ERR_OK;
	return err_set(ERR_PEER,
		       "%s and %s have different %s (fingerprints %016" PRIx64 " and %016" PRIx64
		       " of this job)",
		       run->name[0], run->name[l], what, get_u64(first), get_u64(own));
}

#define MATCH_ROWS "(set align to \"intersect\" in the job to use the rows that all parties have)"

enum err server_compare_rows(struct run *run, const struct msg_accept *accept)
{
	for (size_t l = 0; l < run->L; l++) {
		const struct msg_accept *a = &accept[0], *b = &accept[l];

		if (a->rows != b->rows)
			return err_set(
			    ERR_PEER, "%s has %" PRIu64 " nodes and %s has %" PRIu64 " " MATCH_ROWS,
			    run->name[0], a->rows, run->name[l], b->rows);
		TRY(same_hash(run, l, "sets of ids " MATCH_ROWS, a->ids_hash, b->ids_hash));
		TRY(same_hash(run, l, "graphs (set graphs to \"own\" in the job if that is meant)",
			      a->edges_hash, b->edges_hash));
	}
	if (accept[0].rows > MSG_ITEMS_MAX || accept[0].rows < 1)
		return err_set(ERR_JOB, "%" PRIu64 " nodes, expected 1 to %zu", accept[0].rows,
			       (size_t)MSG_ITEMS_MAX);
	run->n = (size_t)accept[0].rows;
	return ERR_OK;
}

enum err server_compare_nodes(struct run *run, const struct msg_accept *accept)
{
	TRY(server_compare_rows(run, accept));
	if (accept[0].rows < run->job.clusters)
		return err_set(ERR_JOB, "%" PRIu64 " nodes cannot be put into %u clusters",
			       accept[0].rows, run->job.clusters);
	return ERR_OK;
}

/* -- results -------------------------------------------------------------------------------- */

enum err server_keep_labels(struct run *run, const uint32_t *label, const char *output)
{
	char *csv, *npy;
	enum err e;

	if (!label)
		return ERR_OK;
	record_result(run->record, label, run->n, run->job.clusters);
	if (run->confidence)
		record_confidence(run->record, run->confidence, run->n);
	csv = file_join(output, "labels.csv");
	npy = file_join(output, "labels.npy");
	e = labels_write(csv, npy, NULL, label, run->confidence, run->n);
	free(csv);
	free(npy);
	return e;
}
