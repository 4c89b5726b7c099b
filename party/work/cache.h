/* cache.h -- keeps what a party computed from its own data alone, for the job's next attempt.
 *
 * state/cache has a file for each such result (piece), named by the kind of piece and its key: the
 * hash of all inputs. The files are as confidential as the data. The party removes them when the
 * job is over.
 */
#ifndef PARTY_WORK_CACHE_H
#define PARTY_WORK_CACHE_H

#include "common/base/buf.h"
#include "crypto/hash.h"

#include <stdbool.h>

enum { CACHE_NAME_MAX = 32 };

char *cache_dir(const char *state); /* returns the path of state/cache; owned by the caller */

/* Reads the piece of this name and key into *file; *piece is the stored piece inside it. Reads at
 * most max bytes. Returns false if the file does not exist or is damaged; *file is then empty.
 * Removes a damaged file, and logs a warning that names it. dir NULL: there is no cache. */
bool cache_find(const char *dir, const char *name, const uint8_t key[static SHA256_LEN], size_t max,
		struct buf *file, struct bytes *piece);

/* Stores a piece. If this fails, only logs a warning, since the next attempt can compute the piece
 * again. Stores nothing after progress_stop(), because a stopped computation has no result. */
void cache_keep(const char *dir, const char *name, const uint8_t key[static SHA256_LEN],
		struct bytes piece);

void cache_forget(const char *dir); /* removes all pieces */

#endif
