#include "tests/test.h"
#include "common/base/alloc.h"
#include "protocols/kcagc/settle.h"

#include <stdlib.h>
#include <string.h>

enum { N = 6, K = 3, L = 4 };

/* Replaces the parties: records what settle_order() broadcasts, and answers with given modularities
 * (`fit`) of two clusterings. */
struct scene {
	struct parties parties;
	struct sums_basis basis;
	double fit[2];
	unsigned told[8], choices, clusterings, order_of[2];
	double square_of[2];
	size_t labels;
	enum err fails; /* result of the second clustering */
};

static enum err hear_choice(void *ctx, enum choice what, uint64_t value)
{
	struct scene *s = ctx;

	assert_int_equal(what, CHOICE_ORDER);
	s->told[s->choices++] = (unsigned)value;
	return ERR_OK;
}

/* Checks that the labels of both clusterings are broadcast, first the labels of the lower order. */
static enum err hear_labels(void *ctx, enum parties_labels as, size_t values, const uint32_t *label,
			    size_t n)
{
	struct scene *s = ctx;

	assert_int_equal(as, PARTIES_ASSIGNMENT);
	assert_int_equal(values, K);
	assert_int_equal(n, 2 * N);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(label[i], i / N);
	s->labels += n;
	return ERR_OK;
}

static enum err weigh(void *ctx, const void *question, enum parties_how how, double most, double *x,
		      size_t n)
{
	const struct question *q = question;
	struct scene *s = ctx;

	assert_int_equal(how, PARTIES_BOUND);
	assert_true(most == 1 && n == 2 && q->kind == ASK_QUALITY && !q->means);
	assert_true(q->labellings == 2 && q->k == K && q->parties == L);
	memcpy(x, s->fit, sizeof(s->fit));
	return ERR_OK;
}

static const struct parties_backend backend = { .broadcast_choice = hear_choice,
						.broadcast_labels = hear_labels,
						.sum = weigh };

/* Puts all nodes in cluster t, with confidence t + .5. */
static enum err cluster(void *method, unsigned t, uint32_t *label, double *confidence, unsigned *k)
{
	struct scene *s = method;

	assert_int_equal(t, s->clusterings++);
	s->order_of[t] = s->basis.order;
	s->square_of[t] = s->basis.square;
	for (uint32_t i = 0; i < N; i++)
		label[i] = t;
	for (size_t i = 0; confidence && i < N; i++)
		confidence[i] = t + 0.5;
	*k = K;
	return t == 1 ? s->fails : ERR_OK;
}

/* Starts a scene in which the sums give order 5, and order 1 is tried, too. lower, higher: the
 * modularities of the two orders' clusterings. */
static void begin(struct scene *s, double lower, double higher)
{
	*s = (struct scene){ .fit = { lower, higher } };
	s->parties = (struct parties){ .count = L, .backend = &backend, .ctx = s, .phase = "" };
	s->basis = (struct sums_basis){
		.order = 5, .rule = 7, .first = 1, .square = 25, .first_square = 81
	};
}

static enum err settle(struct scene *s, unsigned k_from, uint32_t *label, double *confidence,
		       unsigned *taken)
{
	struct settle how = { .parties = &s->parties,
			      .n = N,
			      .k_from = k_from,
			      .basis = &s->basis,
			      .method = s,
			      .cluster = cluster };

	return settle_order(&how, label, confidence, taken);
}

static void assert_settled(const struct scene *s, unsigned t, const uint32_t *label,
			   const double *confidence)
{
	assert_int_equal(s->basis.order, t ? 5 : 1);
	assert_true(s->basis.square == (t ? 25 : 81));
	for (size_t i = 0; i < N; i++)
		assert_true(label[i] == t && confidence[i] == t + 0.5);
}

/* The higher order wins only if its modularity is higher by more than the margin. The parties get
 * both orders and then the chosen one. */
TEST(by_modularity)
{
	static const struct {
		double lower, higher;
		unsigned taken;
	} of[] = { { .1, .13, 1 },    { .1, .1199, 0 }, { .1, .1201, 1 }, { .1, .098, 0 },
		   { -.05, -.02, 1 }, { 0, 0, 0 },      { .7, .2, 0 } };

	for (size_t c = 0; c < sizeof(of) / sizeof(*of); c++) {
		double confidence[N];
		uint32_t label[N];
		unsigned taken;
		struct scene s;

		begin(&s, of[c].lower, of[c].higher);
		assert_ok(settle(&s, 0, label, confidence, &taken));
		assert_int_equal(taken, of[c].taken);
		assert_settled(&s, taken, label, confidence);
		assert_true(s.order_of[0] == 1 && s.order_of[1] == 5 && s.labels == 2 * N);
		assert_true(s.square_of[0] == 81 && s.square_of[1] == 25);
		assert_int_equal(s.choices, 3);
		assert_true(s.told[0] == 1 && s.told[1] == 5 && s.told[2] == (taken ? 5 : 1));
		assert_int_equal(s.basis.tried, 5);
		assert_true(s.basis.fit[0] == of[c].lower && s.basis.fit[1] == of[c].higher);
	}
}

/* If no second order is tried (none is proposed, or the job has a range of k), the method clusters
 * once. The filter's order is broadcast before that clustering and again after it. */
TEST(without_doubt)
{
	double confidence[N];
	uint32_t label[N];
	unsigned taken;
	struct scene s;

	for (unsigned k_from = 0; k_from < 3; k_from += 2) {
		begin(&s, 0, 0);
		if (!k_from)
			s.basis.first = 0;
		assert_ok(settle(&s, k_from, label, confidence, &taken));
		assert_true(taken == 0 && s.clusterings == 1 && s.order_of[0] == 5);
		assert_true(s.basis.order == 5 && s.basis.first == 0 && s.labels == 0);
		assert_true(s.choices == 2 && s.told[0] == 5 && s.told[1] == 5);
	}
}

/* An order that the job gives is not broadcast. */
TEST(given)
{
	uint32_t label[N];
	unsigned taken;
	struct scene s;

	begin(&s, 0, 0);
	s.basis = (struct sums_basis){ .order = 3, .square = 9 };
	assert_ok(settle(&s, 0, label, NULL, &taken));
	assert_true(s.choices == 0 && s.clusterings == 1 && s.order_of[0] == 3);
}

/* If the second clustering fails, the basis still has the first order, for the report. */
TEST(second_fails)
{
	uint32_t label[N];
	unsigned taken;
	struct scene s;

	begin(&s, 0, 1);
	s.fails = err_set(ERR_PEER, "gone");
	assert_err(settle(&s, 0, label, NULL, &taken), ERR_PEER, "gone");
	assert_true(taken == 0 && s.labels == 0 && s.choices == 2);
	assert_true(s.basis.order == 1 && s.basis.tried == 0);
}
