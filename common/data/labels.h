/* labels.h -- the cluster or class of each row, as files.
 *
 * labels.txt: one whole number per line. labels.csv: a heading "id,label" or "id,label,confidence"
 * and one record per row. labels.npy: whole numbers, one dimension. A label is below 2^20. A
 * confidence is 1 - a / b, with a and b the row's distances to the nearest two centres: 0 for a row
 * halfway between two, 1 for a row at its centre.
 */
#ifndef COMMON_DATA_LABELS_H
#define COMMON_DATA_LABELS_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct labels {
	size_t n;
	uint32_t *label;    /* owned */
	char **id;          /* ids of labels.csv, owned; else NULL */
	double *confidence; /* confidences, if labels.csv has them; owned; else NULL */
};

/* Reads a file by its name's ending. ERR_INPUT; *l is then empty. */
enum err labels_read(const char *path, struct labels *l) MUST_CHECK;
enum err labels_parse_txt(struct bytes file, const char *where, struct labels *l) MUST_CHECK;
enum err labels_parse_csv(struct bytes file, const char *where, struct labels *l) MUST_CHECK;
void labels_release(struct labels *l);

/* Writes both files atomically. They must be in one directory; either path may be NULL. id: n texts
 * for the CSV, or NULL: row numbers from 0. confidence: n values, or NULL for none. Errors as
 * file_write(). */
enum err labels_write(const char *csv, const char *npy, char *const *id, const uint32_t *label,
		      const double *confidence, size_t n) MUST_CHECK;
enum err labels_write_txt(const char *path, const uint32_t *label, size_t n) MUST_CHECK;

#endif
