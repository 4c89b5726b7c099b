/* memory.h -- parties in memory: for tests, pooled data (one party that has all), and what a run is
 * compared with. */
#ifndef COMMON_PARTIES_MEMORY_H
#define COMMON_PARTIES_MEMORY_H

#include "common/parties/parties.h"

/* How a protocol's parties answer; each protocol has one. Those may be NULL that its questions do not
 * need. A question is one that its coordinator's half asks. */
struct memory_kind {
	size_t size; /* of the struct of a party */
	enum err (*answer)(void *party, size_t l, const void *question, double *x); /* party l */
	enum err (*labels)(void *party, const void *question, uint32_t *label);
	enum err (*upload)(void *party, const void *question, double *x);
	enum err (*rows)(void *party, const void *question, struct mat *C); /* C: initialised there */
	/* The party takes as many of the n labels as it has rows: *taken. */
	enum err (*take)(void *party, const uint32_t *label, size_t n, size_t *taken);
};

struct memory {
	const struct memory_kind *kind;
	void *party; /* an array of the kind's structs, borrowed */
	size_t count;
	double step;            /* answers are rounded to its multiples, as by fixed point; 0: not */
	unsigned fraction_bits; /* if not 0: sums are in a job's wide fixed point, the same bits */
	/* An observer, or NULL: called after each sum with its result, which it may change. */
	enum err (*watch)(void *watcher, const void *question, double *x, size_t n);
	void *watcher;
};

/* m must outlive the parties. Sums are taken in the order of the parties; errors of their answers name
 * the party by its number. With fraction_bits ERR_JOB besides: an answer is beyond the fixed point. */
void parties_in_memory(struct parties *p, struct memory *m);

#endif
