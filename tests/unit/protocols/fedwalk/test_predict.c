/* Tests the predictor's pools: the number of members of each bin, and the choice of the nearest. */
#include "tests/unit/protocols/fedwalk/fedwalk.h"

#include "protocols/fedwalk/distance.h"
#include "protocols/fedwalk/walk.h"

struct sample {
	size_t n;
	unsigned k;
	float *c;
	uint8_t *bin;
	struct fedwalk_tree tree;
};

static void sample_make(struct sample *s, size_t n, unsigned k)
{
	struct triangle h;

	s->n = n;
	s->k = k;
	s->c = sample_dictionary(n, k, n);
	ALLOC(s->bin, n);
	fedwalk_bins(n, k, 2, s->bin);
	fedwalk_l1(s->c, n, k, 1, &h);
	fedwalk_tree_average(&s->tree, &h);
	triangle_release(&h);
}

static void sample_release(struct sample *s)
{
	fedwalk_tree_release(&s->tree);
	free(s->bin);
	free(s->c);
}

/* Checks the pool of u against all vertices. No vertex is in the pool twice, and none that is left
 * out. Each bin gives as many members as its count asks for, or all that it has. No vertex of the
 * bin that the pool lacks is nearer to u in the tree than a member. */
static void check_pool(const struct sample *s, const struct fedwalk_pools *p, const bool *left_out,
		       uint32_t u)
{
	bool *in;

	ALLOC(in, s->n);
	for (size_t i = p->start[u]; i < p->start[u + 1]; i++) {
		assert_true(!in[p->member[i]] && p->member[i] != u);
		assert_true(!(left_out && left_out[p->member[i]]));
		in[p->member[i]] = true;
	}
	for (unsigned j = 0; j < s->k; j++) {
		float wish = roundf(fmaxf(0, s->c[u * s->k + j]));
		size_t there = 0, taken = 0, farthest = 0, nearest_left = SIZE_MAX;

		for (uint32_t v = 0; v < s->n; v++) {
			size_t leaves = tree_leaves(&s->tree, u, v);

			if (s->bin[v] != j || v == u || (left_out && left_out[v]))
				continue;
			there++;
			taken += in[v];
			if (in[v] && leaves > farthest)
				farthest = leaves;
			if (!in[v] && leaves < nearest_left)
				nearest_left = leaves;
		}
		assert_int_equal(taken, there < (size_t)wish ? there : (size_t)wish);
		assert_true(farthest <= nearest_left);
	}
	free(in);
}

TEST(test_pools)
{
	struct fedwalk_pools p, again;
	bool left_out[200] = { 0 };
	struct sample s;

	sample_make(&s, 200, 5);
	s.c[10 * 5] = 500; /* more vertices than the bin has */
	s.c[11 * 5] = -3;
	fedwalk_pools_init(&p, &s.tree, s.c, s.bin, s.k, NULL, 4, 1);
	assert_true((double)p.start[200] <= fedwalk_pools_members(s.c, s.n, s.k));
	assert_true((double)p.start[200] > 0.9 * fedwalk_pools_members(s.c, s.n, s.k));
	for (uint32_t u = 0; u < s.n; u++)
		check_pool(&s, &p, NULL, u);
	fedwalk_pools_init(&again, &s.tree, s.c, s.bin, s.k, NULL, 4, 3);
	assert_memory_equal(p.start, again.start, 201 * sizeof(*p.start));
	assert_memory_equal(p.member, again.member, p.start[200] * sizeof(*p.member));
	fedwalk_pools_release(&again);
	fedwalk_pools_init(&again, &s.tree, s.c, s.bin, s.k, NULL, 5, 3);
	assert_memory_not_equal(p.member, again.member, p.start[200] * sizeof(*p.member));
	fedwalk_pools_release(&p);
	fedwalk_pools_release(&again);
	for (size_t v = 0; v < 200; v += 3)
		left_out[v] = true;
	fedwalk_pools_init(&p, &s.tree, s.c, s.bin, s.k, left_out, 4, 2);
	for (uint32_t u = 0; u < s.n; u++)
		check_pool(&s, &p, left_out, u);
	fedwalk_pools_release(&p);
	sample_release(&s);
}

/* Checks that vertices at the same distance in the tree are equally likely. The tree has two
 * subtrees: vertex 0, and all others. All vertices are in one bin, so the pool of vertex 0 is a
 * random sample of the others. */
static void check_fair(size_t n, float wish)
{
	enum { SEEDS = 4000 };
	size_t *count;
	uint32_t *child;
	struct fedwalk_tree t;
	uint8_t *bin;
	float *c;

	ALLOC(count, n);
	ALLOC(child, 2 * (n - 1));
	ALLOC(bin, n);
	ALLOC(c, n);
	c[0] = wish;
	for (size_t i = 0; i + 2 < n; i++) { /* joins 1 .. n-1; the last merge adds vertex 0 */
		child[2 * i] = i ? (uint32_t)(n + i - 1) : 1;
		child[2 * i + 1] = (uint32_t)(i + 2);
	}
	child[2 * (n - 2)] = 0;
	child[2 * (n - 2) + 1] = (uint32_t)(2 * n - 3);
	assert_ok(fedwalk_tree_from(&t, n, child));
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct fedwalk_pools p;

		fedwalk_pools_init(&p, &t, c, bin, 1, NULL, seed, 1);
		assert_int_equal(p.start[1], (size_t)wish);
		for (size_t i = p.start[0]; i < p.start[1]; i++)
			count[p.member[i]]++;
		fedwalk_pools_release(&p);
	}
	assert_int_equal(count[0], 0);
	for (size_t v = 1; v < n; v++) {
		double q = (double)wish / (double)(n - 1);

		assert_near((double)count[v], q * SEEDS, 5 * sqrt(q * SEEDS));
	}
	fedwalk_tree_release(&t);
	free(c);
	free(bin);
	free(child);
	free(count);
}

/* The counts come from another party and may have any values: they are rounded and limited to 0 ..
 * n, and NaN counts as 0. */
TEST(test_members)
{
	static const float c[] = { 1.4f, 1.6f, -3, NAN, INFINITY, 1e30f };

	assert_true(fedwalk_pools_members(c, 3, 2) == 1 + 2 + 0 + 0 + 3 + 3);
}

TEST(test_fair)
{
	check_fair(40, 3);  /* the pool gets 3 of the 39 other vertices */
	check_fair(12, 7);  /* the pool gets 7 of the 11 other vertices */
	check_fair(12, 11); /* the pool gets all 11 other vertices */
}
