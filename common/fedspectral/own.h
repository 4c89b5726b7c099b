/* own.h -- what the variants of FedSpectral share: the end of each, k-means at the coordinator. */
#ifndef COMMON_FEDSPECTRAL_OWN_H
#define COMMON_FEDSPECTRAL_OWN_H

#include "common/fedspectral/coordinator.h"
#include "common/linalg/mat.h"

/* Z's rows are those of active nodes alone (active: n, the row or UINT32_MAX); they become unit rows if
 * p says so, k-means on them makes r->k clusters, and all n nodes get their labels. */
void fedspectral_cluster(struct parties *parties, const struct fedspectral_params *p, struct mat *Z,
			 const uint32_t *active, size_t n, struct fedspectral_report *r,
			 uint32_t *label);

/* ERR_JOB if m active nodes of n cannot be put into k clusters. */
enum err fedspectral_check_nodes(size_t m, size_t n, unsigned k,
				 struct fedspectral_report *r) MUST_CHECK;

/* V's columns become an orthonormal basis of a space that has them. */
enum err fedspectral_orthonormal(struct mat *V) MUST_CHECK;
/* Labels below k become others below k, by falling size. */
void fedspectral_name_clusters(uint32_t *label, size_t n, size_t k);

void fedspectral_settle(struct fedspectral_report *r, unsigned k);

#endif
