/* evaluation.h -- compares labels with known classes, or with labels of another run. */
#ifndef CLI_REPORT_EVALUATION_H
#define CLI_REPORT_EVALUATION_H

#include "cli/run/score.h"

/* Makes the member "evaluation" of run.json: truth (its first file's name), rows, acc, nmi, ari,
 * f1. With at most CONFUSION_MAX classes and clusters, adds classes, clusters (labels, ordered so
 * that the best match is on the diagonal) and confusion (a list of rows, one per class). ERR_INPUT:
 * files are invalid or do not match. *evaluation is then NULL. */
enum { CONFUSION_MAX = 64 }; /* maximum number of classes, and of clusters */
enum err evaluation_make(struct label_files truth, struct label_files labels,
			 struct json **evaluation) MUST_CHECK;
/* Adds classes, clusters and confusion to an evaluation, for n rows in memory. */
void evaluation_confusion(struct json *evaluation, const uint32_t *truth, const uint32_t *label,
			  size_t n);

#endif
