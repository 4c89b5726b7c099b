/* score.h -- labels against the truth, from files. */
#ifndef CLI_SCORE_H
#define CLI_SCORE_H

#include "common/base/err.h"
#include "common/base/json.h"
#include "common/data/labels.h"

/* Puts acc, nmi, ari, f1, rows (that count) and excluded into *result. exclude: a file of row
 * numbers of the truth, or NULL. ERR_INPUT if the files are wrong or do not fit each other. */
enum err score_files(const char *truth, const char *labels, const char *exclude,
		     struct json *result) MUST_CHECK;

/* Both files, the labels in the truth's order: by id where both have ids, else row by row.
 * ERR_INPUT; both are then empty. */
enum err score_read(const char *truth_path, const char *path, struct labels *truth,
		    struct labels *l) MUST_CHECK;

/* As score_files, of n rows in memory; acc, nmi, ari and f1 alone. */
enum err score_rows(const uint32_t *truth, const uint32_t *label, size_t n,
		    struct json *result) MUST_CHECK;

#endif
