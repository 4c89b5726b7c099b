/* pairwise.h -- FedSC, Appendix C, at one party p: products of its rows' coefficients with those of
 * each other party q.
 *
 * C and W = C Kzz become integers in units of 2^-30. A group has 33 rows of a party, the last
 * fewer; crypto/paillier.h has numbers and plaintexts.
 *
 * Ciphers: p draws a Paillier key and sends n to each q, then enc(c_it) of its rows i: one
 * ciphertext for each group, and in it for each of the d coordinates t.
 *
 * Products: q sends for each of its rows j, and for each group of p, prod_t enc(c_it)^w_jt times a
 * fresh enc(0), by p's n. p decrypts this to K^_ij of the group's rows i at once, in units of
 * 2^-60.
 *
 * Bytes of a batch: 256 + 512 d ceil(n_p / 33), and 512 n_q ceil(n_p / 33). The batches travel in
 * boxes of the pair's key, which the coordinator cannot open. */
#ifndef PROTOCOLS_FEDSC_PARTY_PAIRWISE_H
#define PROTOCOLS_FEDSC_PARTY_PAIRWISE_H

#include "party/work/work.h"
#include "protocols/fedsc/party.h"

struct pairwise;
/* Prepares the exchanges for C (n x d) of own rows, within the bounds of
 * protocols/fedsc/pairwise.h, and Kzz. All parties have n_all rows together. ERR_INTERNAL: no
 * random numbers, or a coefficient beyond its bound. */
enum err pairwise_new(struct work *work, const struct mat *C, const struct mat *Kzz, size_t n_all,
		      double lambda, struct pairwise **out) MUST_CHECK;
void pairwise_free(struct pairwise *s); /* wipes keys; accepts NULL */

/* The two exchanges, in this order. ERR_PEER, with the other party's name: a key, a ciphertext, a
 * plaintext or a length that cannot be. ERR_CANCELLED if the job is stopped, after a few more
 * powers.
 */
enum err pairwise_ciphers(struct pairwise *s) MUST_CHECK;
enum err pairwise_products(struct pairwise *s) MUST_CHECK;
/* Own rows of K^ (n x n_all), in the order of all parties. */
const struct mat *pairwise_rows(const struct pairwise *s);

#endif
