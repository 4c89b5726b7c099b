/* data.h -- what a party's configuration says its data are, read for a job. */
#ifndef PARTY_DAEMON_DATA_H
#define PARTY_DAEMON_DATA_H

#include "common/data/dataset.h"
#include "common/data/tu.h"
#include "common/job/daemon.h"
#include "crypto/hash.h"

/* Zero-initialised is empty. */
struct party_data {
	struct dataset dataset;
	bool loaded;                   /* a job uses the dataset up */
	struct tu tu;                  /* many graphs, if the configuration has any: no job uses them up */
	uint8_t data_hash[SHA256_LEN]; /* of both as loaded: data_fingerprint() */
};

/* Reads the dataset anew and says in the log what it is. ERR_INPUT: a file is wrong. */
enum err party_data_load(struct party_data *d, const struct party_config *config) MUST_CHECK;
/* The dataset alone: it is used up, or not needed until the next job. */
void party_data_drop(struct party_data *d);
void party_data_release(struct party_data *d);

/* SHA-256 of features, edges, ids and graphs (NULL: there are none) as they were loaded, before any
 * job has used them up. Never sent: it is not the same on hosts of another byte order. O(bytes),
 * about 1 s for 1 GB. */
void data_fingerprint(const struct dataset *d, const struct graphs *graphs,
		      uint8_t hash[static SHA256_LEN]);

#endif
