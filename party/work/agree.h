/* agree.h -- are nodes numbered alike for all parties? The coordinator tells each its own rows (align.h), and
 * could give one node another row at each party: a sum over rows would then be the parties' terms side by
 * side.
 *
 * Each party tells each other, sealed, how many nodes it has, and of AGREE_SAMPLE of its ids, drawn by a key
 * that the coordinator does not have, a pseudonym by that key and the row. Who has the same id must have
 * the same row, and who has the row the same id. Of two parties that share 5 % of their nodes a lie
 * about all of these goes unnoticed with probability 0.95^288 = 4e-7; of three with 10^-19. What it shows: who
 * holds the key can test guesses of so many ids of each other party.
 */
#ifndef PARTY_WORK_AGREE_H
#define PARTY_WORK_AGREE_H

#include "common/data/dataset.h"
#include "party/work/work.h"

enum { AGREE_SAMPLE = 144 };

/* After party_align(), whose d and row these are; shares the group key. disjoint: no two parties need have
 * a node in common. ERR_PEER, naming the coordinator: rows that differ; as many rows as the parties have
 * nodes, unless disjoint; numbers of nodes that cannot be. Or naming a party that sent something else.
 * O(own log own). */
enum err party_agree_rows(struct work *work, const struct dataset *d, const uint32_t *row,
			  bool disjoint) MUST_CHECK;

#endif
