/* own.h -- terms of a slice before the filter, and weights of words before an embedding; private to
 * this folder. */
#ifndef PROTOCOLS_KCAGC_OWN_H
#define PROTOCOLS_KCAGC_OWN_H

#include "protocols/kcagc/slice.h"

void slice_facts(struct slice *s, double *x);
void slice_norms(struct slice *s, bool idf, double *x);
void slice_put_degrees(struct slice *s);
/* Sets *scale to the factor by which all rows are multiplied. If all nodes have the same degree,
 * *scale is 1; with DEGREES_ALONE this is ERR_INPUT. */
enum err slice_degrees_scale(const struct slice *s, double *scale) MUST_CHECK;
enum err slice_spreads(struct slice *s, const struct question *q, double *x) MUST_CHECK;
/* Weights X as embed_params.idf says. Sets kept->idf and kept->word if X holds words. tells: logs
 * that counts become presence. */
void embed_weigh_words(struct features *X, const struct graph *g, unsigned threads, bool tells,
		       struct embedding *kept);

#endif
