/* embed.h -- kCAGC's embedding (common/kcagc/embed.h) of rows that lie on several ranks, to the same bits. */
#ifndef COMMON_RANKS_EMBED_H
#define COMMON_RANKS_EMBED_H

#include "common/base/err.h"
#include "common/kcagc/embed.h"
#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

/* embed_keep() of features X over the graph whose rows these are (this rank's of both, used up): this rank's rows of
 * Z (initialised here, empty on errors); kept, the same at each. ERR_INPUT, at each rank, also for what ranks do not
 * do: another filter than the half one, more columns than rows or than SVD_EXACT_MAX, and what embed() would project by
 * products alone. */
enum err ranks_embed(const struct ranks *R, struct csr *rows, const struct embed_params *p, struct features *X,
		     struct mat *Z, struct embedding *kept) MUST_CHECK;

/* embed_again(); the same are used up. */
enum err ranks_embed_again(const struct ranks *R, struct csr *rows, const struct embedding *e, struct features *X,
			   struct mat *Z) MUST_CHECK;

/* What decides whether ranks do that: of all rows, the same at each rank. */
struct ranks_embed_sizes {
	size_t cols, neighbours, entries;
};
struct ranks_embed_sizes ranks_embed_sizes(const struct ranks *R, const struct csr *rows,
					   const struct features *X);
enum err ranks_embed_check(const struct ranks *R, const struct ranks_embed_sizes *s,
			   const struct embed_params *p) MUST_CHECK;
/* embed_weighed(): F is initialised here. */
void ranks_weighed(const struct ranks *R, const struct features *X, const struct embed_params *p, struct mat *F);

/* embed_project() of the rows X, which stay: this rank's rows of Z (initialised here, empty on errors). */
enum err ranks_project(const struct ranks *R, const struct mat *X, const struct embed_params *p,
		       struct mat *Z) MUST_CHECK;

#endif
