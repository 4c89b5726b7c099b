/* attack.h -- what the walks give away: the edge attack that runs after every job, with nothing but what
 * the coordinator has. The m pairs that stand side by side in walks most often are said to be the ties, m
 * being half of all estimated degrees. */
#ifndef COMMON_FEDWALK_ATTACK_H
#define COMMON_FEDWALK_ATTACK_H

#include "common/graph/walks.h"

#include <stddef.h>
#include <stdint.h>

struct fedwalk_guess {
	size_t count;
	uint32_t *u, *v; /* pairs u < v, by u, then v */
};

/* The `most` pairs with the largest counts, fewer if fewer ever stood side by side; all pairs of the
 * last count or none of them, whichever comes nearer to `most`. n vertices. O(tokens); 4
 * bytes a token besides, and 4 n a thread. */
void fedwalk_attack(const struct walks *w, size_t n, size_t most, unsigned threads,
		    struct fedwalk_guess *g);
void fedwalk_guess_release(struct fedwalk_guess *g);

/* m: half the sum of the dictionary's positive degrees, rounded. */
size_t fedwalk_attack_size(const float *c, size_t n, unsigned k);

/* How a guess fares, in numbers that add up over parties: each looks at the pairs whose lower vertex
 * is its own. */
struct fedwalk_attack_score {
	double guessed, right; /* pairs guessed; and those of them that are ties */
	double ties;           /* that there are */
};
/* Adds to *s what vertex u's neighbours (rising; lower ones are not looked at) say about the guess. */
void fedwalk_attack_judge(const struct fedwalk_guess *g, uint32_t u, const uint32_t *neighbour,
			  size_t degree, struct fedwalk_attack_score *s);
/* part / of, 0 if there is none: right of guessed is the precision, right of ties the recall. */
double fedwalk_share(double part, double of);

#endif
