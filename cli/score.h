/* score.h -- labels against the truth, from files. */
#ifndef CLI_SCORE_H
#define CLI_SCORE_H

#include "common/base/err.h"
#include "common/base/json.h"
#include "common/data/labels.h"

#include <stdbool.h>
#include <stddef.h>

/* What is compared with what. */
struct score_params {
	const char *truth;
	const char *const
	    *labels; /* `count` files; of more than one each has ids, see score_merge() */
	size_t count;
	const char *exclude; /* a file of row numbers of the truth, or NULL */
	bool similarity;     /* the paper's, beside the others */
};

/* Puts acc, nmi, ari, f1, rows (that count) and excluded into *result; similarity if asked for.
 * ERR_INPUT if the files are wrong or do not fit each other. */
enum err score_files(const struct score_params *p, struct json *result) MUST_CHECK;

/* The labels of parties that each know some of the nodes: one label for each id that is in any of
 * the files. ERR_INPUT: a file without ids; an id with two labels. *l is then empty. */
enum err score_merge(const char *const *path, size_t count, struct labels *l) MUST_CHECK;

/* Both files, the labels in the truth's order: by id where both have ids, else row by row.
 * ERR_INPUT; both are then empty. */
enum err score_read(const char *truth_path, const char *path, struct labels *truth,
		    struct labels *l) MUST_CHECK;

/* As score_files, of n rows in memory; acc, nmi, ari and f1 alone. */
enum err score_rows(const uint32_t *truth, const uint32_t *label, size_t n,
		    struct json *result) MUST_CHECK;

#endif
