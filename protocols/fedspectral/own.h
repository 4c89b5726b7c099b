/* own.h -- k-means at the coordinator, the last step of all variants of FedSpectral. */
#ifndef PROTOCOLS_FEDSPECTRAL_OWN_H
#define PROTOCOLS_FEDSPECTRAL_OWN_H

#include "protocols/fedspectral/coordinator.h"
#include "common/linalg/mat.h"

/* Clusters the rows of Z, one for each active node, into r->k clusters, and labels all n nodes. If
 * p->unit_rows is set, scales Z to unit rows. active (n): each node's row in Z, or UINT32_MAX. */
void fedspectral_cluster(struct parties *parties, const struct fedspectral_params *p, struct mat *Z,
			 const uint32_t *active, size_t n, struct fedspectral_report *r,
			 uint32_t *label);

/* Sets r->isolated. ERR_JOB: m of n nodes have edges, which is fewer than k or than 2. */
enum err fedspectral_check_nodes(size_t m, size_t n, unsigned k,
				 struct fedspectral_report *r) MUST_CHECK;

/* Replaces V's columns by an orthonormal basis of a space that contains them. */
enum err fedspectral_orthonormal(struct mat *V) MUST_CHECK;
/* Renumbers the labels, all below k, by falling size of the clusters. */
void fedspectral_name_clusters(uint32_t *label, size_t n, size_t k);

void fedspectral_settle(struct fedspectral_report *r, unsigned k);

#endif
