/* must.h -- libcrypto calls that fail only when memory is out or the library is broken.
 *
 * Hashes, ciphers and MACs with our own fixed parameters have no other way to fail. Like running
 * out of memory (common/base/alloc.h) that ends the process: nobody above could do better than to
 * go on with a wrong hash or an empty mask.
 */
#ifndef CRYPTO_MUST_H
#define CRYPTO_MUST_H

#include <stdbool.h>

void must(bool ok, const char *what); /* if not ok: one line on stderr and exit status 5 */

/* libcrypto's reason for its last failure on this thread, and its queue is emptied. Static text. */
const char *must_reason(void);

#endif
