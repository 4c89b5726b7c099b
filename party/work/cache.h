/* cache.h -- values computed before the exchange, kept for the job's next attempt.
 *
 * A file per piece in state/cache. Its name has the kind of piece and its key: the hash of all
 * inputs. The files are as secret as the data, and are removed when the job is over.
 */
#ifndef PARTY_WORK_CACHE_H
#define PARTY_WORK_CACHE_H

#include "common/base/buf.h"
#include "crypto/hash.h"

#include <stdbool.h>

enum { CACHE_NAME_MAX = 32 };

char *cache_dir(const char *state); /* owned by the caller */

/* The piece of this name and key into *file; *piece is its part that was kept, inside it. At most
 * max bytes are read. False: there is none, or it is damaged, which is a warning that names the
 * file; it is then removed, and *file is empty. dir NULL: there never is one. */
bool cache_find(const char *dir, const char *name, const uint8_t key[static SHA256_LEN], size_t max,
		struct buf *file, struct bytes *piece);

/* Failing to is a warning: then the next attempt computes it again. Keeps nothing after
 * progress_stop(): a computation that was stopped has no result. */
void cache_keep(const char *dir, const char *name, const uint8_t key[static SHA256_LEN],
		struct bytes piece);

void cache_forget(const char *dir); /* all pieces */

#endif
