/* nearest.h -- "did you mean": the known word nearest to a mistyped one. */
#ifndef COMMON_BASE_NEAREST_H
#define COMMON_BASE_NEAREST_H

#include <argp.h>
#include <stddef.h>

enum { NEAREST_LEN = 32 };

/* The best word so far: the one with the fewest insertions, deletions, substitutions and swaps of
 * neighbours. */
struct nearest {
	const char *word; /* borrowed */
	size_t edits;
	char best[NEAREST_LEN + 1];
};

void nearest_begin(struct nearest *n, const char *word);
/* Compares a known word. Skips it if it is longer than NEAREST_LEN, or if the mistyped word is, or
 * has fewer than 3 bytes. */
void nearest_offer(struct nearest *n, const char *known, size_t length);
/* Writes " (did you mean WORD?)" to text and returns it; writes "" if no word is near. A word of up
 * to 5 letters is near if it is within one edit, a longer word if it is within two. */
const char *nearest_describe(const struct nearest *n, char text[static NEAREST_LEN + 20]);

/* For each unknown long option of argv, prints the nearest known one on stderr, if one is near.
 * Call it before argp refuses that option. */
void nearest_option(const struct argp *argp, int argc, char **argv);

#endif
