/* score.h -- compares labels with the truth, from files. */
#ifndef CLI_RUN_SCORE_H
#define CLI_RUN_SCORE_H

#include "common/base/err.h"
#include "common/base/json.h"
#include "common/data/labels.h"

#include <stdbool.h>
#include <stddef.h>

/* Paths of labels: one file, or one per party if parties have rows of their own. */
struct label_files {
	char *const *path;
	size_t n;
	bool common; /* rows were matched by id, so the truth may have more rows */
};

/* Adds acc, nmi, ari and f1 to *result, and the numbers of counted and excluded rows as rows and
 * excluded. If `similarity` is true, adds the similarity of struct metrics. exclude: a file of row
 * numbers of the truth, or NULL. ERR_INPUT: files are invalid or do not match. */
enum err score_files(const char *truth, struct label_files files, const char *exclude,
		     bool similarity, struct json *result) MUST_CHECK;

/* Reads the truth, and the labels in the order of the truth. One file is matched by id if both have
 * ids, otherwise row by row. Several files are joined, and need ids; if the truth has none, ids are
 * its row numbers. An id may occur in several files with the same label. ERR_INPUT: files are
 * invalid or do not match; both results are then empty. */
enum err score_read(struct label_files classes, struct label_files files, struct labels *truth,
		    struct labels *l) MUST_CHECK;

/* Does the same as score_files() for n rows in memory, but adds only acc, nmi, ari and f1. */
enum err score_rows(const uint32_t *truth, const uint32_t *label, size_t n,
		    struct json *result) MUST_CHECK;

#endif
