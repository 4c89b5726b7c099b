/* own.h -- what a slice (slice.h) adds to sums before it is filtered (facts.c), for slice.c. */
#ifndef PROTOCOLS_KCAGC_OWN_H
#define PROTOCOLS_KCAGC_OWN_H

#include "protocols/kcagc/slice.h"

/* Answers to ASK_FACTS, ASK_NORMS (idf: of weighted columns) and ASK_SPREADS. */
void slice_facts(struct slice *s, double *x);
void slice_norms(struct slice *s, bool idf, double *x);
/* Of filtered features, once they are: their last column, as slice.h has it. */
void slice_put_degrees(struct slice *s);
/* What they multiply rows by. It is 1 if there is nothing beside, all being of the same degree; of degrees alone ERR_INPUT then. */
enum err slice_degrees_scale(const struct slice *s, double *scale) MUST_CHECK;
enum err slice_spreads(struct slice *s, const struct question *q, double *x) MUST_CHECK;

#endif
