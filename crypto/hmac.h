/* hmac.h -- HMAC-SHA256, streaming, many with one key. */
#ifndef CRYPTO_HMAC_H
#define CRYPTO_HMAC_H

#include "common/base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum { HMAC_LEN = 32 };

struct hmac;
struct hmac *hmac_new(struct bytes key);
void hmac_add(struct hmac *h, const void *p, size_t n);
/* Of what was added. What is added next begins another, by the same key, whose schedule is kept: a
 * short one takes half a microsecond. */
void hmac_end(struct hmac *h, uint8_t out[static HMAC_LEN]);
void hmac_free(struct hmac *h); /* wipes; accepts NULL */

#endif
