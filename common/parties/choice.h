/* choice.h -- kinds of CHOICE: single numbers that the coordinator broadcasts. */
#ifndef COMMON_PARTIES_CHOICE_H
#define COMMON_PARTIES_CHOICE_H

/* Wire values, never reused. 20, 21 and 40 were used up to version 3, 3 and 4 up to release
 * 0.2.0. */
enum choice {
	CHOICE_WORDS = 1,    /* binary features only: 0: at no party, 1: at all, 2: at some */
	CHOICE_ORDER = 2,    /* order of the filter; 0 while the search continues */
	CHOICE_WIDTH = 5,    /* columns of the next BLOCK; fedspectral: 0 if none follows */
	CHOICE_MORE = 6,     /* next: 1: an ASSIGNMENT and a sum over its clusters; 0: RESULT */
	CHOICE_CLUSTERS = 7, /* k of the next ASSIGNMENT or RESULT, if the job has no fixed k */
	CHOICE_DEGREES = 8,  /* features: 1: degrees alone; 0: no degrees */
	CHOICE_BOUND = 9,    /* e + 200, e from -160 to 209: squared lengths are at most 2^e */
};
enum choice_words { WORDS_NONE = 0, WORDS_ALL = 1, WORDS_SOME = 2 };

#endif
