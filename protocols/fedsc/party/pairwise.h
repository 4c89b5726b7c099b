/* pairwise.h -- FedSC, Appendix C, at one party p: products of its rows' coefficients with the
 * coefficients of each other party q.
 *
 * C and W = C Kzz become integers in units of 2^-30. The rows of a party form groups of 33; the
 * last group may have fewer. crypto/paillier.h defines numbers and plaintexts.
 *
 * Ciphers: p draws a Paillier key and sends the modulus n to each q. Then it sends enc(c_it) of its
 * rows i, as one ciphertext for each group and each of the d coordinates t.
 *
 * Products: for each of its rows j and each group of p, q sends prod_t enc(c_it)^w_jt times a fresh
 * enc(0), modulo p's n^2. p decrypts this ciphertext and gets K^_ij of all rows i of the group, in
 * units of 2^-60.
 *
 * Bytes of a batch: 256 + 512 d ceil(n_p / 33), and 512 n_q ceil(n_p / 33). The batches travel in
 * boxes of the pair's key, which the coordinator cannot open. */
#ifndef PROTOCOLS_FEDSC_PARTY_PAIRWISE_H
#define PROTOCOLS_FEDSC_PARTY_PAIRWISE_H

#include "party/work/work.h"
#include "protocols/fedsc/party.h"

struct pairwise;
/* Prepares the exchanges. C (n x d) has the coefficients of own rows, within the bounds of
 * protocols/fedsc/pairwise.h. Kzz is the dictionary's kernel matrix. n_all: number of rows of all
 * parties. ERR_INTERNAL: random numbers cannot be drawn, or a coefficient exceeds its bound. */
enum err pairwise_new(struct work *work, const struct mat *C, const struct mat *Kzz, size_t n_all,
		      double lambda, struct pairwise **out) MUST_CHECK;
void pairwise_free(struct pairwise *s); /* wipes keys and frees s; accepts NULL */

/* Run the two exchanges; call in this order. ERR_PEER, with the other party's name: a key, a
 * ciphertext, a plaintext or a length is invalid. ERR_INTERNAL: random numbers cannot be drawn.
 * ERR_CANCELLED: the job was stopped; the calls end after a few more exponentiations. */
enum err pairwise_ciphers(struct pairwise *s) MUST_CHECK;
enum err pairwise_products(struct pairwise *s) MUST_CHECK;
/* Returns own rows of K^ (n x n_all). The columns are in the order of all parties. */
const struct mat *pairwise_rows(const struct pairwise *s);

#endif
