#include "protocols/kcagc/settle.h"
#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void note_orders(const struct settle *s)
{
	const struct sums_basis *b = s->basis;

	if (b->first)
		parties_note(s->parties,
			     "filter.order \"auto\": sums say %u, by which degrees alone make up "
			     "%.3f of all features; %u is tried, too",
			     b->order, b->share[b->order], b->first);
	else if (b->order < b->rule)
		parties_note(s->parties,
			     "filter.order \"auto\" is %u: GCC's rule says %u, by which degrees "
			     "alone make up %.3f of all features",
			     b->order, b->rule, b->share[b->rule]);
	else
		parties_note(s->parties, "filter.order \"auto\" is %u", b->order);
}

static enum err broadcast_order(const struct settle *s)
{
	return s->basis->rule ? parties_broadcast_choice(s->parties, CHOICE_ORDER, s->basis->order)
			      : ERR_OK;
}

static enum err settle_cluster(const struct settle *s, unsigned t, uint32_t *label,
			       double *confidence, unsigned *k)
{
	TRY(broadcast_order(s));
	return s->cluster(s->method, t, label, confidence, k);
}

/* Sums the modularity of two clusterings into basis->fit. both (2 n): the clusters of the lower
 * order, then those of the higher one. */
static enum err settle_compare(const struct settle *s, const uint32_t *both, unsigned k)
{
	struct question ask = { .kind = ASK_QUALITY,
				.label = both,
				.k = k,
				.labellings = 2,
				.parties = s->parties->count };

	parties_phase(s->parties, "settle");
	TRY(parties_broadcast_labels(s->parties, PARTIES_ASSIGNMENT, k, both, 2 * s->n));
	return parties_sum_bound(s->parties, &ask, question_most(&ask, s->n), s->basis->fit, 2);
}

/* Runs the second clustering and chooses one. On entry, the first n entries of `both`, and
 * confidence (n), are those of the lower order. On return they are those of the order that was
 * taken. */
static enum err settle_two(const struct settle *s, uint32_t *both, double *confidence,
			   unsigned highest, double square, unsigned *taken)
{
	struct sums_basis *b = s->basis;
	double *second = confidence ? alloc(s->n, sizeof(*second)) : NULL;
	unsigned k = 0;
	enum err err;

	b->order = highest;
	b->square = square;
	err = settle_cluster(s, 1, both + s->n, second, &k);
	if (!err)
		err = settle_compare(s, both, k);
	b->tried = err ? 0 : highest;
	*taken = !err && b->fit[1] > b->fit[0] + SETTLE_MARGIN;
	if (*taken) {
		memcpy(both, both + s->n, s->n * sizeof(*both));
		if (second)
			memcpy(confidence, second, s->n * sizeof(*second));
	} else {
		b->order = b->first;
		b->square = b->first_square;
	}
	if (!err)
		parties_note(s->parties,
			     "filter.order \"auto\" is %u: modularity of the clusters is %.3f by "
			     "%u and %.3f by %u",
			     b->order, b->fit[0], b->first, b->fit[1], highest);
	free(second);
	return err;
}

enum err settle_order(const struct settle *s, uint32_t *label, double *confidence, unsigned *taken)
{
	struct sums_basis *b = s->basis;
	unsigned highest = b->order, k;
	double square = b->square;
	uint32_t *both = NULL;
	enum err err;

	*taken = 0;
	if (s->k_from)
		b->first = 0;
	if (b->rule)
		note_orders(s);
	if (!b->first) {
		TRY(settle_cluster(s, 0, label, confidence, &k));
		return broadcast_order(s);
	}
	b->order = b->first;
	b->square = b->first_square;
	ALLOC(both, 2 * s->n);
	err = settle_cluster(s, 0, both, confidence, &k);
	if (!err)
		err = settle_two(s, both, confidence, highest, square, taken);
	memcpy(label, both, s->n * sizeof(*label));
	free(both);
	return err ? err : broadcast_order(s);
}
