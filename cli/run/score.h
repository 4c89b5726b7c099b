/* score.h -- labels against the truth, from files. */
#ifndef CLI_RUN_SCORE_H
#define CLI_RUN_SCORE_H

#include "common/base/err.h"
#include "common/base/json.h"
#include "common/data/labels.h"

#include <stdbool.h>
#include <stddef.h>

/* One file, or, of a job in which parties have rows of their own, one of each. */
struct label_files {
	char *const *path;
	size_t n;
	bool common; /* of rows that all parties have: the truth, by id, may have more */
};

/* Puts acc, nmi, ari, f1, rows (that count) and excluded into *result, and "similarity", the one of
 * struct metrics, if asked for. exclude: a file of row numbers of the truth, or NULL. ERR_INPUT if
 * the files are wrong or do not fit each other. */
enum err score_files(const char *truth, struct label_files files, const char *exclude,
		     bool similarity, struct json *result) MUST_CHECK;

/* The truth, and the labels in its order. One file: by id where both have ids, else row by row.
 * Several, joined: by id, all of them having ids; if the truth has none, ids are its row numbers.
 * An id may be in several of them, with one label.
 * ERR_INPUT; both are then empty. */
enum err score_read(const char *truth_path, struct label_files files, struct labels *truth,
		    struct labels *l) MUST_CHECK;

/* As score_files, of n rows in memory; acc, nmi, ari and f1 alone. */
enum err score_rows(const uint32_t *truth, const uint32_t *label, size_t n,
		    struct json *result) MUST_CHECK;

#endif
