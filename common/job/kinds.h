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

/* Names of all kinds, and the words of all their permissions. Each list ends with NULL. */
const char *const *kind_names(void);
const char *const *kind_permissions(void);
/* Returns the accepted words of the parameter at path. At least one kind must have this
 * parameter. */
const char *const *kind_words(const char *path);

#endif
