/* choice.h -- kinds of the message CHOICE, by which the coordinator broadcasts a single number. */
#ifndef COMMON_PARTIES_CHOICE_H
#define COMMON_PARTIES_CHOICE_H

/* Values on the wire, never reused. Protocol versions up to 3 also used 20, 21 and 40; releases up
 * to 0.2.0 also used 3 and 4. */
enum choice {
	CHOICE_WORDS = 1,    /* parties with only binary features: 0: none, 1: all, 2: some */
	CHOICE_ORDER = 2,    /* order of the filter; 0 while the search continues */
	CHOICE_WIDTH = 5,    /* columns of the next BLOCK; fedspectral: 0 if none follows */
	CHOICE_MORE = 6,     /* 1: ASSIGNMENT and a sum over its clusters follow; 0: RESULT */
	CHOICE_CLUSTERS = 7, /* k of the next ASSIGNMENT or RESULT, if the job has no fixed k */
	CHOICE_DEGREES = 8,  /* 1: features are the degrees alone; 0: features without degrees */
	CHOICE_BOUND = 9,    /* e + 200 for e from -160 to 209: squared lengths are at most 2^e */
};
enum choice_words { WORDS_NONE = 0, WORDS_ALL = 1, WORDS_SOME = 2 };

#endif
