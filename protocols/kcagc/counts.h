/* counts.h -- decides whether a slice uses the presence of words in place of their counts.
 *
 * A word that is repeated in a text outweighs all others in a row of counts. If repetitions carry
 * no information, counts make rows of one class less similar than presence does. The graph shows
 * this: linked rows must be more similar than random rows, and the coding with the clearer
 * difference is taken. */
#ifndef PROTOCOLS_KCAGC_COUNTS_H
#define PROTOCOLS_KCAGC_COUNTS_H

#include "protocols/kcagc/seen.h"

/* Returns true if the columns that are not foreign hold counts (whole numbers, mostly 0) of which
 * only the presence should be used. Compares unit rows by d' = (mean of linked pairs - mean of
 * random pairs) / (root mean square of both deviations). Linked pairs have one row in a sample of
 * COUNTS_SAMPLE rows, random pairs both. Returns the same at each rank, and true only once: a slice
 * of presence holds no counts. O(nnz + sample rows x their neighbours x non-zeros of a row). */
bool counts_are_words(struct slice *s, const struct seen *seen);

enum { COUNTS_SAMPLE = 512 };

#endif
