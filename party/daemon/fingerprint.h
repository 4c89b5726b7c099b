/* fingerprint.h -- which data it is that a job is about, for what is counted and kept by it. */
#ifndef PARTY_DAEMON_FINGERPRINT_H
#define PARTY_DAEMON_FINGERPRINT_H

#include "common/data/dataset.h"
#include "common/graph/graphs.h"
#include "crypto/hash.h"

/* SHA-256 of features, edges, ids and graphs (NULL: there are none) as they were loaded, before any
 * job has used them up. Stays in this house: it is not the same on hosts of another byte order.
 * O(bytes), about 1 s for 1 GB. */
void data_fingerprint(const struct dataset *d, const struct graphs *graphs,
		      uint8_t hash[static SHA256_LEN]);

#endif
