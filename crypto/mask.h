/* mask.h -- internals of a mask: a key and a sign per peer. secagg.c makes them.
 *
 * mask_add() and mask_close() are declared in crypto/secagg.h. The masks of a secagg form a list;
 * closed ones are reused, with their memory and cipher context.
 */
#ifndef CRYPTO_MASK_H
#define CRYPTO_MASK_H

#include "crypto/prg.h"
#include "crypto/secagg.h"

#include <stdint.h>

enum mask_sign { MASK_PLUS, MASK_MINUS }; /* sign of a peer's mask: alpha in Protocol 4, line 12 */

/* Returns an open mask without peers: a closed one of the list, or a new one at its head. */
struct mask *mask_take(struct mask **list, unsigned modulus_bits);
void mask_peer(struct mask *m, const uint8_t key[static PRG_KEY_LEN], enum mask_sign sign);
void mask_free(struct mask *list); /* frees the whole list, and wipes open masks too */

#endif
