/* rows.h -- scores and writes the results of commands that label the rows of a dataset. */
#ifndef CLI_RUN_ROWS_H
#define CLI_RUN_ROWS_H

#include "common/base/json.h"
#include "common/data/dataset.h"

/* Scores the labels by the file `truth` (may be NULL), writes them to `out` (may be NULL) by
 * results_write(), adds the scores to result and prints it. label, confidence (may be NULL): in the
 * order of d->X; scores and files use the party's own row order. ERR_INPUT: the truth is unreadable
 * or has another number of rows. ERR_JOB: a file cannot be written. */
enum err rows_finish(const struct dataset *d, const char *truth, const uint32_t *label,
		     const double *confidence, const char *out, struct json *result) MUST_CHECK;

#endif
