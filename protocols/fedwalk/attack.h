/* attack.h -- Edge attack on the walks. It runs at the end of each job of mode "walks" and uses
 * only the coordinator's knowledge. It guesses that the m pairs of vertices that are adjacent most
 * often in walks are ties (edges). m is half the sum of the estimated degrees. */
#ifndef PROTOCOLS_FEDWALK_ATTACK_H
#define PROTOCOLS_FEDWALK_ATTACK_H

#include "common/graph/walks.h"

#include <stddef.h>
#include <stdint.h>

struct fedwalk_guess {
	size_t count;
	uint32_t *u, *v; /* pairs u < v, ordered by u, then v */
};

/* Fills g with about `most` pairs: those that have the largest counts. g gets fewer pairs if fewer
 * are adjacent in walks. Of the pairs with the lowest count, g gets all or none, whichever brings
 * the number closer to `most`. The caller owns g. n: number of vertices. O(tokens) time; memory of
 * 4 bytes a token and 4 n bytes a thread. */
void fedwalk_attack(const struct walks *w, size_t n, size_t most, unsigned threads,
		    struct fedwalk_guess *g);
void fedwalk_guess_release(struct fedwalk_guess *g);

/* Returns m: half the sum of the dictionary's positive estimated degrees, rounded. c is n x k. */
size_t fedwalk_attack_size(const float *c, size_t n, unsigned k);

/* Score of a guess. Each party scores the pairs whose lower vertex is its own, so scores add up
 * over parties. */
struct fedwalk_attack_score {
	double guessed, right; /* guessed pairs; guessed pairs that are ties */
	double ties;
};
/* Adds to *s the score of the guesses about pairs (u, v), v > u. neighbour lists u's neighbours in
 * rising order; neighbours below u are ignored. */
void fedwalk_attack_judge(const struct fedwalk_guess *g, uint32_t u, const uint32_t *neighbour,
			  size_t degree, struct fedwalk_attack_score *s);
/* Returns part / of, or 0 if `of` is 0. The precision is right / guessed, the recall right /
 * ties. */
double fedwalk_share(double part, double of);

#endif
