/* rows.h -- what a command that labels a dataset's rows does with the labels. */
#ifndef CLI_RUN_ROWS_H
#define CLI_RUN_ROWS_H

#include "common/base/json.h"
#include "common/data/dataset.h"

/* Scores them by the file `truth`, unless that is NULL; writes them to `out` (results_write()), unless that is NULL; and
 * prints result, which gets the scores. label, confidence (or NULL): row by row of d->X; scores and files have
 * the rows in the party's own order. ERR_INPUT: the truth cannot be read or has not as many rows. */
enum err rows_finish(const struct dataset *d, const char *truth, const uint32_t *label,
		     const double *confidence, const char *out, struct json *result) MUST_CHECK;

#endif
