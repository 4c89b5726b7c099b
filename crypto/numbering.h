/* numbering.h -- keys by which the same nodes get the same numbers in all jobs with one seed.
 *
 * A job gives random numbers to the nodes that several parties have (server/run/align.h). Random
 * choices of an algorithm depend on these numbers, so two runs with one seed may put ambiguous
 * nodes into different clusters. To make the runs agree, the parties share a secret file, and the
 * coordinator has another one. Hashes and numbers are then derived from these files and the seed.
 * The disadvantage, described in docs/security, is that the coordinator can link the hashed ids of
 * two such jobs.
 */
#ifndef CRYPTO_NUMBERING_H
#define CRYPTO_NUMBERING_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { NUMBERING_KEY_LEN = 32, NUMBERING_FILE_MIN = 16, NUMBERING_FILE_MAX = 4096 };

struct numbering {
	bool kept; /* true if there is a file; otherwise each job draws a random key */
	uint8_t key[NUMBERING_KEY_LEN];
};

/* Hashes a file of NUMBERING_FILE_MIN to NUMBERING_FILE_MAX arbitrary bytes. path NULL: no file.
 * ERR_INPUT, naming the file, if it is unreadable, has another length, or can be read by users
 * other than its owner. The caller wipes n->key. */
enum err numbering_read(struct numbering *n, const char *path) MUST_CHECK;

/* Derives the key for seed and purpose. If n is NULL or has no file, draws a random key.
 * ERR_INTERNAL if there is no entropy. The caller wipes the key. */
enum err numbering_key(const struct numbering *n, const char *purpose, uint64_t seed,
		       uint8_t key[static NUMBERING_KEY_LEN]) MUST_CHECK;

/* *same becomes true if n has a file and key equals the key that numbering_key() derives from the
 * same arguments. CT. */
enum err numbering_is(const struct numbering *n, const char *purpose, uint64_t seed,
		      const uint8_t key[static NUMBERING_KEY_LEN], bool *same) MUST_CHECK;

#endif
