/* choice.h -- kinds of CHOICE: single numbers that the coordinator tells all parties. */
#ifndef COMMON_PARTIES_CHOICE_H
#define COMMON_PARTIES_CHOICE_H

/* On the wire: a number is never used for anything else; 20, 21 and 40 were, up to version 3,
 * 3 and 4 up to release 0.2.0. */
enum choice {
	CHOICE_WORDS = 1,    /* enum choice_words: whose features are 0/1 */
	CHOICE_ORDER = 2,    /* psi or p, the order of the filter */
	CHOICE_WIDTH = 5,    /* columns of the BLOCK that follows; fedspectral: 0, no more */
	CHOICE_MORE = 6,     /* 1: another sum over the clusters of an ASSIGNMENT; 0: RESULT */
	CHOICE_CLUSTERS = 7, /* clusters of the labels that follow */
	CHOICE_DEGREES = 8,  /* 1: degrees are all that counts; 0: they do not */
	CHOICE_BOUND = 9,    /* common/privacy/bound.h: squared lengths are 2^(value - 200) at most */
};
enum choice_words { WORDS_NONE = 0, WORDS_ALL = 1, WORDS_SOME = 2 };

#endif
