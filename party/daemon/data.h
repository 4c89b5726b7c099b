/* data.h -- reads the data of a party's configuration for a job. */
#ifndef PARTY_DAEMON_DATA_H
#define PARTY_DAEMON_DATA_H

#include "common/data/dataset.h"
#include "common/data/tu.h"
#include "common/job/daemon.h"
#include "common/job/record.h"
#include "crypto/hash.h"

#include <sys/stat.h>

struct workers;

struct data_file {
	/* Key in the configuration, such as "features". For a columns.json next to the features:
	 * "columns". */
	const char *key;
	char *path; /* owned */
	struct stat stat;
	uint8_t sha256[SHA256_LEN];
};

/* Data of a party. A zero-initialised object is empty. */
struct party_data {
	bool loaded; /* the data were read; a job uses them up */
	struct dataset dataset;
	struct tu tu;
	/* data_fingerprint() of dataset and graphs, as loaded or as reduced by the job. */
	uint8_t data_hash[SHA256_LEN];
	struct data_file file[RECORD_FILES_MAX];
	size_t files;
	/* Ranks that hold features and edges; `dataset` then has only their sizes. NULL: no
	 * ranks. */
	struct workers *workers;
};

/* Reads the files, unless they are unchanged since the last reading (size, times, inode). Logs
 * sizes, and hashes each file. ERR_INPUT: a file is invalid, or changes while it is read; *d then
 * holds no data. */
enum err party_data_bring(struct party_data *d, const struct party_config *config) MUST_CHECK;
/* Reads the features again, as loaded, after a job has used them up. Reads no edges. Takes the
 * rows of `of`; if `of` has ids, matches rows by them. ERR_INPUT: a file has changed since data
 * were loaded. */
enum err party_data_features(const struct party_data *d, const struct party_config *config,
			     const struct dataset *of, struct features *X) MUST_CHECK;
/* Returns true if party_data_features() reads its file some rows at a time, so that it needs no
 * more memory than the features. */
bool party_data_comes_again(const struct party_data *d);
/* Records files, times and digests in run.json. */
void party_data_record(const struct party_data *d, struct record *r);
/* Returns the sizes of the data for a job of this kind. `parties` is 0, and `coordinator` false. */
struct kind_sizes party_data_sizes(const struct party_data *d, const struct kind *kind);
void party_data_release(struct party_data *d);

/* Computes the SHA-256 of features, edges, ids, hosted vertices and graphs (NULL: none). Call after
 * loading, before a job uses them up. The hash is never sent, because it depends on the host's byte
 * order. O(bytes), about 1 s for 1 GB. */
void data_fingerprint(const struct dataset *d, const struct graphs *graphs,
		      uint8_t hash[static SHA256_LEN]);

/* Prefix of the hashed bytes. It contains the version of the format. */
#define DATA_FINGERPRINT "coterie data v1"

/* Starts the ranks and loads a distributed dataset (in ranks.c). Sets dataset, workers and
 * data_hash, which equals data_fingerprint(). */
enum err party_data_on_ranks(struct party_data *d, const struct party_config *config) MUST_CHECK;

#endif
