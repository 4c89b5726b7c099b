/* report_score.h -- labels against the truth, as run.json keeps it and the report shows it. */
#ifndef CLI_REPORT_REPORT_SCORE_H
#define CLI_REPORT_REPORT_SCORE_H

#include "cli/run/score.h"
#include "common/base/err.h"
#include "common/base/json.h"

#include <stddef.h>
#include <stdint.h>

enum { CONFUSION_MAX = 64 }; /* classes or clusters; with more the matrix is left out */

/* "evaluation": truth (the file's name), rows, acc, nmi, ari, f1, and, up to CONFUSION_MAX,
 * classes, clusters (their labels, in the order in which the best match stands on the diagonal)
 * and confusion, a list of rows, one for each class. ERR_INPUT: the files are wrong or do not fit
 * each other; *evaluation is then NULL. */
enum err evaluation_make(const char *truth, struct label_files labels,
			 struct json **evaluation) MUST_CHECK;

/* The matrix alone, into an evaluation: n rows in memory. */
void evaluation_confusion(struct json *evaluation, const uint32_t *truth, const uint32_t *label,
			  size_t n);

#endif
