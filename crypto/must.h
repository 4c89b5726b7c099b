/* must.h -- libcrypto calls that fail only if memory is exhausted or the library is broken.
 *
 * Hashes, ciphers and MACs with our own fixed parameters cannot fail for other reasons. On failure
 * the process ends, as on exhausted memory (common/base/alloc.h). Otherwise it would continue with
 * a wrong hash or an empty mask.
 */
#ifndef CRYPTO_MUST_H
#define CRYPTO_MUST_H

#include <stdbool.h>

/* If !ok: prints one line on stderr and exits with status 5. */
void must(bool ok, const char *what);

/* Returns libcrypto's reason for its last failure on this thread as static text, and empties its
 * queue. */
const char *must_reason(void);

#endif
