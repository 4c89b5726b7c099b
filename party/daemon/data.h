/* data.h -- what a party's configuration says its data are, read for a job. */
#ifndef PARTY_DAEMON_DATA_H
#define PARTY_DAEMON_DATA_H

#include "common/data/dataset.h"
#include "common/data/tu.h"
#include "common/job/daemon.h"
#include "common/job/record.h"
#include "crypto/hash.h"

#include <sys/stat.h>

struct workers;

/* A file as it was when it was read. */
struct data_file {
	const char *key; /* of the configuration: "features", ...; or "columns": columns.json, if it lies beside these */
	char *path;      /* owned */
	struct stat stat;
	uint8_t sha256[SHA256_LEN];
};

/* Zero-initialised is empty. */
struct party_data {
	bool loaded; /* a job uses the dataset up */
	struct dataset dataset;
	struct tu tu;                  /* many graphs, if the configuration has any */
	uint8_t data_hash[SHA256_LEN]; /* of both as loaded, or cut by the job: data_fingerprint() */
	struct data_file file[RECORD_FILES_MAX];
	size_t files;
	struct workers *workers; /* who have features and edges, of which dataset then has the shape alone; or NULL */
};

/* Reads the files, unless they were read and are the same since (size, times, inode).
 * Says in the log what was read, and hashes each file. ERR_INPUT: a file is wrong, or changes while it is
 * read; then nothing is held. */
enum err party_data_bring(struct party_data *d, const struct party_config *config) MUST_CHECK;
/* The features as they were loaded, of the rows that `of` has, by its ids where there are any, once more, a job having
 * used them up; without edges. ERR_INPUT: a file has changed since. */
enum err party_data_features(const struct party_data *d, const struct party_config *config,
			     const struct dataset *of, struct features *X) MUST_CHECK;
/* Whether that takes no more memory than the features do: their file is read by panels. */
bool party_data_comes_again(const struct party_data *d);
/* Into run.json: which files, of which time, with which digest. */
void party_data_record(const struct party_data *d, struct record *r);
/* Of what was read: n, columns, entries and edges, for a job of this kind; the rest is 0. */
struct kind_sizes party_data_sizes(const struct party_data *d, const struct kind *kind);
/* Used up, or not needed until the next job. */
void party_data_release(struct party_data *d);

/* SHA-256 of features, edges, ids and graphs (NULL: there are none) as they were loaded, before any
 * job has used them up. Never sent: it is not the same on hosts of another byte order. O(bytes),
 * about 1 s for 1 GB. */
void data_fingerprint(const struct dataset *d, const struct graphs *graphs,
		      uint8_t hash[static SHA256_LEN]);

/* Its first words, which are its version. */
#define DATA_FINGERPRINT "coterie data v1"

/* ranks.c: what is read of a dataset that lies on ranks, which are started for it: dataset, workers and data_hash, the same
 * as data_fingerprint() would make it. */
enum err party_data_on_ranks(struct party_data *d, const struct party_config *config) MUST_CHECK;

#endif
