/* kinds.h -- the registry of all kinds of job. */
#ifndef COMMON_JOB_KINDS_H
#define COMMON_JOB_KINDS_H

#include "common/kind/kind.h"

/* All kinds, in the order in which messages list them; ends with NULL. */
extern const struct kind *const kinds[];

/* Returns the kind of this name, or NULL. */
const struct kind *kind_named(const char *name);

/* Returns the index of a kind in `kinds`, and so in each table that expands protocols/kinds.def. */
size_t kind_index(const struct kind *kind);

/* Names of all kinds, and all words that policy.jobs accepts. Each list ends with NULL. */
const char *const *kind_names(void);
const char *const *kind_permissions(void);
/* Returns the accepted words of the parameter at path, by the first kind whose parameter has words;
 * an empty list if no kind has such a parameter. */
const char *const *kind_words(const char *path);

#endif
