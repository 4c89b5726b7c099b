/* Weights of words before an embedding: which slices hold words, and their idf. */
#include "protocols/kcagc/own.h"
#include "protocols/kcagc/seen.h"
#include "protocols/kcagc/words.h"

#include <math.h>
#include <stdlib.h>

static bool embed_is_whole(const struct ranks *R, const struct features *X)
{
	size_t rows = features_rows(X), broken = 0;
	size_t count = X->is_sparse ? X->sparse.start[rows] : rows * X->dense.cols;
	const double *x = X->is_sparse ? X->sparse.value : X->dense.a;

	for (size_t i = 0; i < count && x && !broken; i++)
		broken = x[i] != trunc(x[i]);
	return !ranks_total(R, broken);
}

/* Returns true if the slice holds counts of words of which only the presence should be used
 * (counts.h). */
static bool embed_has_counts(struct features *X, const struct graph *g, unsigned threads,
			     bool tells)
{
	struct slice slice;
	bool counts;

	if (!embed_is_whole(g->ranks, X))
		return false;
	slice_begin(&slice, X, g, threads);
	counts = slice_has_counts(&slice, tells, X);
	slice_release(&slice);
	return counts;
}

void embed_weigh_words(struct features *X, const struct graph *g, unsigned threads, bool tells,
		       struct embedding *kept)
{
	const struct ranks *R = g->ranks;
	struct words w = { 0 };

	words_see(&w, R, X);
	if (w.differ &&
	    (seen_rows_are_even(R, X, NULL) || embed_has_counts(X, g, threads, tells))) {
		words_mark(X);
		free(w.count);
		w = (struct words){ 0 };
		words_see(&w, R, X);
		w.value = WORD_OF_ROWS;
	}
	kept->idf = words_weights(&w, features_cols(X), ranks_n(R, features_rows(X)));
	if (kept->idf) {
		kept->word = w.value;
		words_weigh(X, kept->idf);
	}
	free(w.count);
}
