/* agree.h -- checks that two parties have the same row for the same node. The coordinator sends
 * each party its own rows (align.h). If it gave a node a different row at each party, a sum over
 * rows would disclose the parties' terms separately.
 *
 * Each pair of parties i, j compares rows under a key that no other process has. For each own id it
 * computes
 *
 *     K = HKDF-Expand(K_ij; "coterie rows v2"; 32 bytes)    K_ij: the pair's key (crypto/secagg.h)
 *     HKDF-Expand(K; id; 32 bytes) = pseudonym (16 bytes)
 *                                    || draw, lower to higher (8) || higher to lower (8)
 *
 * Each party seals a batch to the other. The batch contains the party's number of nodes (u64), and
 * pseudonym and row (u32) of a sample of its ids. The sample is the AGREE_SAMPLE ids with the
 * lowest draws in this direction, compared as bytes; or all ids if there are fewer. Numbers are
 * little-endian. The same id must have the same row, and the same row the same id.
 *
 * Let parties i and j be honest, with n_i and n_j nodes, and let s of their common nodes have
 * unequal rows. The difference remains undetected with probability
 *
 *     P <= (1 - s / n_i)^144 (1 - s / n_j)^144
 *
 * in each attempt (keys are new in each), for any coordinator and other parties: they know neither
 * sample. If s is 5 % of n_i and of n_j, P <= 0.95^288 = 4e-7. For m honest pairs the bounds
 * multiply. Disclosure: party j can test guesses of ids against the 144 pseudonyms that i sent it,
 * and c colluders against 144 c at most.
 */
#ifndef PARTY_WORK_AGREE_H
#define PARTY_WORK_AGREE_H

#include "common/data/dataset.h"
#include "party/work/work.h"

enum { AGREE_SAMPLE = 144 };

/* Compares rows with all other parties. Call after party_align(), with the same d and row.
 * disjoint: the parties may have no node in common. ERR_PEER, naming the coordinator: rows differ,
 * or the number of rows is impossible. It is also an error if the number of rows is the sum of all
 * parties' numbers of nodes, unless disjoint. ERR_PEER, naming a party: it sent an invalid batch.
 * O(L own), 0.4 us per node and party. */
enum err party_agree_rows(struct work *work, const struct dataset *d, const uint32_t *row,
			  bool disjoint) MUST_CHECK;

#endif
