/* choice.h -- kinds of CHOICE: single numbers that the coordinator broadcasts. */
#ifndef COMMON_PARTIES_CHOICE_H
#define COMMON_PARTIES_CHOICE_H

/* Wire values, never reused. 20, 21 and 40 were used up to version 3, 3 and 4 up to release
 * 0.2.0. */
enum choice {
	CHOICE_WORDS = 1,    /* enum choice_words: parties with 0/1 features */
	CHOICE_ORDER = 2,    /* psi or p, the order of the filter */
	CHOICE_WIDTH = 5,    /* columns of the next BLOCK; fedspectral: 0 ends the blocks */
	CHOICE_MORE = 6,     /* 1: another sum over the clusters of an ASSIGNMENT; 0: RESULT */
	CHOICE_CLUSTERS = 7, /* number of clusters in the labels that follow */
	CHOICE_DEGREES = 8,  /* 1: only degrees count; 0: they do not */
	CHOICE_BOUND = 9, /* common/privacy/bound.h: squared lengths are at most 2^(value - 200) */
};
enum choice_words { WORDS_NONE = 0, WORDS_ALL = 1, WORDS_SOME = 2 };

#endif
