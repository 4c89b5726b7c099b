/* numbering.h -- keys by which two jobs of one seed give the same nodes the same numbers.
 *
 * Nodes that several parties know are numbered at random (server/run/align.h), and what is random in an
 * algorithm goes by these numbers: so two runs of one seed may put unclear nodes into other clusters.
 * Where the parties have the same secret file, and the coordinator one of its own, they do not: hashes
 * and numbers then come from these files and the seed. The price is in SECURITY.md: the coordinator can
 * tell which hashed ids of two such jobs are the same.
 */
#ifndef CRYPTO_NUMBERING_H
#define CRYPTO_NUMBERING_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { NUMBERING_KEY_LEN = 32, NUMBERING_FILE_MIN = 16, NUMBERING_FILE_MAX = 4096 };

struct numbering {
	bool kept; /* there is a file; otherwise each job draws */
	uint8_t key[NUMBERING_KEY_LEN];
};

/* From the bytes of a file, NUMBERING_FILE_MIN to _MAX, whatever they are; path NULL: none. ERR_INPUT,
 * naming the file: it cannot be read, has too few or too many, or others than its owner may read it. */
enum err numbering_read(struct numbering *n, const char *path) MUST_CHECK;

/* The key of a job of this seed, for what `purpose` says; drawn where n is NULL or nothing is kept.
 * ERR_INTERNAL: no entropy. Wipe it. */
enum err numbering_key(const struct numbering *n, const char *purpose, uint64_t seed,
		       uint8_t key[static NUMBERING_KEY_LEN]) MUST_CHECK;

/* *same: key is numbering_key() of these, where n is kept. CT. */
enum err numbering_is(const struct numbering *n, const char *purpose, uint64_t seed,
		      const uint8_t key[static NUMBERING_KEY_LEN], bool *same) MUST_CHECK;

#endif
