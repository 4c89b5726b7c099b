/* own.h -- what a slice (slice.h) adds to sums before it is filtered (facts.c), for slice.c; and sums over the rows of
 * all, wherever these are. */
#ifndef COMMON_KCAGC_OWN_H
#define COMMON_KCAGC_OWN_H

#include "common/kcagc/slice.h"

size_t slice_all_rows(const struct slice *s);
/* A sum to which this slice's blocks of rows are added; total (width) is of all rows, and s is released. */
void slice_sum_begin(const struct slice *s, struct rowsum *sum, size_t width, rowsum_join *join, void *ctx);
void slice_sum_end(const struct slice *s, struct rowsum *sum, double *total);

/* Answers to ASK_FACTS, ASK_NORMS (idf: of weighted columns) and ASK_SPREADS. */
void slice_facts(struct slice *s, double *x);
void slice_norms(struct slice *s, bool idf, double *x);
/* Of filtered features, once they are: their last column, as slice.h has it. */
void slice_put_degrees(struct slice *s);
/* What they multiply rows by. It is 1 if there is nothing beside, all being of the same degree; of degrees alone ERR_INPUT then. */
enum err slice_degrees_scale(const struct slice *s, double *scale) MUST_CHECK;
enum err slice_spreads(struct slice *s, const struct question *q, double *x) MUST_CHECK;

#endif
