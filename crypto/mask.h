/* mask.h -- the inside of a mask: one stream per peer, with its sign. secagg.c makes them.
 *
 * mask_add() and mask_close() are in crypto/secagg.h. Masks of a secagg form a list; a closed one
 * serves again, with the cipher contexts that it has.
 */
#ifndef CRYPTO_MASK_H
#define CRYPTO_MASK_H

#include "crypto/prg.h"
#include "crypto/secagg.h"

#include <stdbool.h>
#include <stdint.h>

enum mask_sign { MASK_PLUS, MASK_MINUS }; /* alpha of Protocol 4, line 12 */

struct mask *mask_new(unsigned modulus_bits, struct mask *after); /* idle; heads the list */
struct mask *mask_after(const struct mask *m);
bool mask_idle(const struct mask *m);
void mask_begin(struct mask *m); /* no longer idle; no peers yet */
void mask_peer(struct mask *m, const uint8_t key[static PRG_KEY_LEN], enum mask_sign sign);
void mask_free(struct mask *m); /* wipes, open or not */

#endif
