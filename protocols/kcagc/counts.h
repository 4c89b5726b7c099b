/* counts.h -- decides whether a slice uses the presence of words in place of their counts.
 *
 * In a row of counts, a word that is repeated in a text outweighs all others. If repetitions carry
 * no information, rows of one class are less similar by counts than by presence. The graph shows
 * which coding is better: linked rows should be more similar than random rows. The coding with the
 * clearer difference is taken. */
#ifndef PROTOCOLS_KCAGC_COUNTS_H
#define PROTOCOLS_KCAGC_COUNTS_H

#include "protocols/kcagc/seen.h"

/* Returns true if the columns that are not foreign (seen.h) hold counts (whole numbers, mostly 0)
 * of which only the presence should be used. Compares unit rows by d' = (mean similarity of linked
 * pairs - that of random pairs) / (root mean square of both deviations). In linked pairs, one row
 * is in a sample of COUNTS_SAMPLE rows; in random pairs, both rows are in it. Returns the same at
 * each rank. Returns true only once, because a slice of presence has no counts. O(nnz + sample rows
 * x their neighbours x non-zeros of a row). */
bool counts_are_words(struct slice *s, const struct seen *seen);

enum { COUNTS_SAMPLE = 512 };

#endif
