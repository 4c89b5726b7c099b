/* own.h -- private to slice.c, facts.c and slice_degrees.c: a slice's terms before the filter. */
#ifndef PROTOCOLS_KCAGC_OWN_H
#define PROTOCOLS_KCAGC_OWN_H

#include "protocols/kcagc/slice.h"

void slice_facts(struct slice *s, double *x);
void slice_norms(struct slice *s, bool idf, double *x);
void slice_put_degrees(struct slice *s);
/* *scale: the factor of all rows; 1 if all nodes have the same degree, which is ERR_INPUT with
 * DEGREES_ALONE. */
enum err slice_degrees_scale(const struct slice *s, double *scale) MUST_CHECK;
enum err slice_spreads(struct slice *s, const struct question *q, double *x) MUST_CHECK;

#endif
