/* kinds.h -- the registry: every kind of job there is. */
#ifndef COMMON_JOB_KINDS_H
#define COMMON_JOB_KINDS_H

#include "common/kind/kind.h"

/* In the order in which messages list them; ends with NULL. */
extern const struct kind *const kinds[];

/* NULL: there is none of this name. */
const struct kind *kind_named(const char *name);

/* The place of a kind in `kinds`, and so in each table that expands protocols/kinds.def. */
size_t kind_index(const struct kind *kind);

/* Their names; and the words of all their permissions. Each list ends with NULL. */
const char *const *kind_names(void);
const char *const *kind_permissions(void);
/* The words of the parameter of this path, which some kind has. */
const char *const *kind_words(const char *path);

#endif
