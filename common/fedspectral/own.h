/* own.h -- what the variants of FedSpectral share: the end of each, k-means at the
 * coordinator, and its names. Not for others. */
#ifndef COMMON_FEDSPECTRAL_OWN_H
#define COMMON_FEDSPECTRAL_OWN_H

#include "common/fedspectral/coordinator.h"
#include "common/linalg/mat.h"

void fedspectral_phase(const struct fedspectral_pool *pool, const char *name);

/* Z's rows are those of active nodes alone (active: n, the row or UINT32_MAX); k-means on them, and
 * all n labels. */
void fedspectral_cluster(const struct fedspectral_pool *pool, const struct fedspectral_params *p,
			 const struct mat *Z, const uint32_t *active, struct fedspectral_report *r,
			 uint32_t *label);

/* ERR_JOB if m active nodes of n cannot be put into k clusters. */
enum err fedspectral_check_nodes(size_t m, size_t n, unsigned k,
				 struct fedspectral_report *r) MUST_CHECK;

void fedspectral_settle(struct fedspectral_report *r, unsigned k);

#endif
