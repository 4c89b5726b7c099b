/* local.h -- the expensive part of kCAGC that a party does alone, and finds again in its cache when
 * the job's attempt was cut short (party/work/cache.h). Protocol 1: filter, project, k-means.
 */
#ifndef PARTY_KCAGC_LOCAL_H
#define PARTY_KCAGC_LOCAL_H

#include "common/cluster/kmeans.h"
#include "party/work/work.h"

/* embed_keep() of work's features, which are used up. hash: of all that it was made from. */
enum err local_embed(struct work *work, const struct embed_params *p, struct mat *Z,
		     struct embedding *how, uint8_t hash[static SECAGG_HASH_LEN]) MUST_CHECK;

/* kmeans() of Z: label has Z->rows entries, centre is initialised here. hash: of what Z was made
 * from, as local_embed() says; NULL: of something else, too. */
void local_clusters(struct work *work, const struct mat *Z, const struct kmeans_params *p,
		    const uint8_t *hash, uint32_t *label, struct mat *centre);

#endif
