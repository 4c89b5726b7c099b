/* Compares several filter steps in one call, and steps of columns that a run holds, with single
 * steps. */
#include "tests/unit/linalg/sample.h"
#include "common/graph/filter.h"

enum { STEPS = 5, COLS = 35, HELD = 20 };

/* after[t]: X after t + 1 single steps. seen[t]: count of values that the callback got in step
 * t. */
struct expected {
	struct mat after[STEPS];
	size_t seen[STEPS];
	bool wrong;
};

static void see(void *ctx, size_t step, const struct filter_view *view)
{
	struct expected *x = ctx;
	bool wrong = false;

	for (size_t i = 0; i < view->n; i++)
		for (size_t u = 0; u < view->stride; u++) {
			double value = view->leave[i] * view->y[i * view->stride + u];
			double is = u < view->width
					? MAT(&x->after[step], view->order[i], view->column + u)
					: 0;

			wrong |= !(fabs(value - is) <= 1e-12);
		}
	__atomic_fetch_add(&x->seen[step], view->n * view->width, __ATOMIC_RELAXED);
	if (wrong)
		__atomic_store_n(&x->wrong, true, __ATOMIC_RELAXED);
}

static void check(const struct graph *g, size_t n, unsigned threads)
{
	struct expected x = { 0 };
	struct filter_run *r;
	struct mat X, all;

	sample_normal(&X, n, COLS, 1);
	mat_copy(&all, &X);
	assert_ok(filter_run_begin(g, FILTER_HALF, &r));
	for (size_t t = 0; t < STEPS; t++) {
		filter_run_step(r, threads, &X);
		mat_copy(&x.after[t], &X);
	}
	filter_run_steps(r, STEPS, threads, &all, see, &x);
	assert_false(x.wrong);
	assert_mat_near(&all, &X, 1e-12);
	filter_run_step(r, threads, &all); /* later steps do not call see() */
	filter_run_step(r, threads, &X);
	assert_mat_near(&all, &X, 1e-12);
	for (size_t t = 0; t < STEPS; t++) {
		assert_int_equal(x.seen[t], n * COLS);
		mat_release(&x.after[t]);
	}
	filter_run_end(r);
	mat_release(&all);
	mat_release(&X);
}

/* Compares a run that holds few columns with single steps. */
static void check_held(const struct graph *g, size_t n, unsigned threads)
{
	struct filter_run *single, *held;
	struct expected x = { 0 };
	struct mat X;

	sample_normal(&X, n, HELD, 1);
	assert_ok(filter_run_begin(g, FILTER_HALF, &single));
	assert_ok(filter_run_begin(g, FILTER_HALF, &held));
	filter_run_hold(held, threads, &X);
	for (size_t t = 0; t < STEPS; t++) {
		struct filter_view view;

		filter_run_step(single, threads, &X);
		filter_run_step_held(held, threads);
		view = filter_run_held(held);
		mat_copy(&x.after[t], &X);
		see(&x, t, &view);
		assert_int_equal(x.seen[t], n * HELD);
		mat_release(&x.after[t]);
	}
	assert_false(x.wrong);
	filter_run_end(held);
	filter_run_end(single);
	mat_release(&X);
}

TEST(each_step_is_seen)
{
	struct graph g;

	sample_graph(&g, 300, 700, 5, false, 4);
	check(&g, 300, 1);
	check(&g, 300, 3);
	check_held(&g, 300, 1);
	graph_release(&g);
}

/* The graph has 2^17 nodes or more, so all threads share one panel of columns. */
TEST(each_step_of_a_large_graph)
{
	enum { NODES = (1 << 17) + 5 };
	struct triple *t;
	struct graph g;
	struct csr a;

	ALLOC(t, 2 * NODES);
	for (uint32_t i = 0; i < NODES; i++) {
		uint32_t to = (i + 1) % NODES;

		t[2 * i] = (struct triple){ i, to, 1 };
		t[2 * i + 1] = (struct triple){ to, i, 1 };
	}
	csr_from_triples(&a, NODES, NODES, t, 2 * (size_t)NODES);
	graph_init(&g, &a);
	free(t);
	check(&g, NODES, 2);
	check_held(&g, NODES, 2);
	graph_release(&g);
}
