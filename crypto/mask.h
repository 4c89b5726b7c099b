/* mask.h -- the inside of a mask: a key per peer, with its sign. secagg.c makes them.
 *
 * mask_add() and mask_close() are in crypto/secagg.h. Masks of a secagg form a list; a closed one
 * serves again, with the room and the one cipher context that it has.
 */
#ifndef CRYPTO_MASK_H
#define CRYPTO_MASK_H

#include "crypto/prg.h"
#include "crypto/secagg.h"

#include <stdint.h>

enum mask_sign { MASK_PLUS, MASK_MINUS }; /* alpha of Protocol 4, line 12 */

/* An open mask without peers: an idle one of the list, or a new one that heads it. */
struct mask *mask_take(struct mask **list, unsigned modulus_bits);
void mask_peer(struct mask *m, const uint8_t key[static PRG_KEY_LEN], enum mask_sign sign);
void mask_free(struct mask *list); /* all of them: wipes, open or not */

#endif
