/* Tests the coordinator's view: single vectors look random, and sums are right. */
#include "crypto/fixed.h"
#include "proto/labels.h"
#include "tests/unit/both/pooled.h"
#include "tests/unit/both/wire.h"
#include "tests/unit/server/run/chi.h"

enum { BYTES_LEAST = 2048 }; /* least length for a test of bytes: 8 of each value */

/* ---- recorded vectors ---- */

/* A party's vector of one sum. */
struct vector {
	size_t l;
	uint32_t group;
	uint64_t round, count;
	struct buf words;
};

struct sight {
	struct vector *vector;
	size_t count;
	size_t word; /* bytes of a word */
};

static struct vector *sight_find(const struct sight *s, size_t l, uint32_t group, uint64_t round)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->vector[i].l == l && s->vector[i].group == group &&
		    s->vector[i].round == round)
			return &s->vector[i];
	return NULL;
}

static void sight_note(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct sight *s = arg;
	struct vector *v;
	struct msg m;

	if (type != MSG_MASKED)
		return;
	assert_ok(msg_decode(&m, MSG_MASKED, body));
	v = sight_find(s, l, m.masked.group, m.masked.round);
	if (!v) {
		s->vector = alloc_again(s->vector, s->count + 1, sizeof(*v));
		v = &s->vector[s->count++];
		*v = (struct vector){ .l = l,
				      .group = m.masked.group,
				      .round = m.masked.round,
				      .count = m.masked.count };
	}
	buf_add(&v->words, m.masked.words.p, m.masked.words.n);
}

static void sight_release(struct sight *s)
{
	for (size_t i = 0; i < s->count; i++)
		buf_release(&s->vector[i].words);
	free(s->vector);
}

/* Runs a federation and records all masked vectors that reach the coordinator. */
static void look(struct sight *s, const struct planted *p, size_t L, const struct job *job)
{
	struct federation *f = alloc(1, sizeof(*f));

	*s = (struct sight){ .word = job->modulus_bits / 8 };
	federation_init(f, p, L, job);
	f->server.saw = sight_note;
	f->server.saw_arg = s;
	federation_run(f);
	federation_succeeded(f);
	federation_release(f);
	free(f);
}

/* Adds b to a, or subtracts it, word by word. */
static void words_combine(uint8_t *a, const uint8_t *b, size_t bytes, size_t word, bool minus)
{
	for (size_t i = 0; i < bytes; i += word) {
		uint64_t x = 0, y = 0;

		memcpy(&x, a + i, word);
		memcpy(&y, b + i, word);
		x = minus ? x - y : x + y;
		memcpy(a + i, &x, word);
	}
}

/* Adds up the members' vectors; false if one is missing or incomplete. */
static bool sight_sum(const struct sight *s, const struct tree_node *node, uint64_t round,
		      struct buf *sum)
{
	sum->n = 0;
	for (size_t l = node->first; l < node->last; l++) {
		const struct vector *v = sight_find(s, l, node->id, round);

		if (!v || v->words.n != v->count * s->word || (sum->n && sum->n != v->words.n))
			return false;
		if (!sum->n)
			buf_add(sum, v->words.p, v->words.n);
		else
			words_combine(sum->p, v->words.p, sum->n, s->word, false);
	}
	return true;
}

/* ---- tests of uniformity ---- */

/* Returns whether bytes pass a chi-square test over their 256 values. */
static bool is_uniform(const uint8_t *p, size_t n)
{
	size_t seen[256] = { 0 };
	double expected[256];

	for (size_t i = 0; i < n; i++)
		seen[p[i]]++;
	for (size_t i = 0; i < 256; i++)
		expected[i] = (double)n / 256;
	return chi_square(seen, expected, 256) < chi_limit(255);
}

static void assert_vectors_uniform(const struct sight *s, size_t least)
{
	size_t judged = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct vector *v = &s->vector[i];

		if (v->words.n < BYTES_LEAST)
			continue;
		judged++;
		if (!is_uniform(v->words.p, v->words.n))
			fail_msg("party %zu, group %u, round %ju: the words are not uniform", v->l,
				 v->group, (uintmax_t)v->round);
	}
	assert_true(judged >= least);
}

/* Checks that two vectors have different masks. With one mask their difference would consist of
 * small numbers. */
static bool assert_masks_differ(const struct vector *a, const struct vector *b, size_t word)
{
	size_t n = a->words.n < b->words.n ? a->words.n : b->words.n;
	struct buf gap = { 0 };

	if (n < BYTES_LEAST)
		return false;
	buf_add(&gap, a->words.p, n);
	words_combine(gap.p, b->words.p, n, word, true);
	if (!is_uniform(gap.p, n))
		fail_msg("party %zu: group %u, round %ju and group %u, round %ju share a mask",
			 a->l, a->group, (uintmax_t)a->round, b->group, (uintmax_t)b->round);
	buf_release(&gap);
	return true;
}

/* ---- honest federations ---- */

static const struct plan plan = { .n = 240, .m = 36, .seed = 1, .noise = 2 };

static const struct {
	size_t L;
	const char *settings;
} federations[] = {
	{ 2, "method=basic starts=8 restarts=3" },
	{ 5, "method=tree starts=8 restarts=3" },
	{ 3, "method=flat starts=8 restarts=3" },
	{ 3, "method=tree starts=8 restarts=3 secure_sum.modulus_bits=32 "
	     "secure_sum.fraction_bits=14" },
	{ 4, "preset=paper" },
};
enum { FEDERATIONS = sizeof(federations) / sizeof(*federations) };

TEST(test_vectors_are_uniform)
{
	struct planted p;

	planted_make(&p, &plan);
	for (size_t i = 0; i < FEDERATIONS; i++) {
		struct job job = planted_job(federations[i].settings);
		struct sight s;
		size_t pairs = 0;

		look(&s, &p, federations[i].L, &job);
		assert_vectors_uniform(&s, 2 * federations[i].L);
		for (size_t a = 0; a < s.count; a++)
			for (size_t b = 0; b < a; b++)
				if (s.vector[a].l == s.vector[b].l)
					pairs +=
					    assert_masks_differ(&s.vector[a], &s.vector[b], s.word);
		assert_true(pairs >= federations[i].L);
		sight_release(&s);
	}
	planted_release(&p);
}

/* Two runs with the same data and seed have equal plain vectors, but other keys. */
TEST(test_equal_vectors_twice)
{
	struct job job = planted_job("method=tree starts=8 restarts=3");
	struct sight once, again;
	struct planted p;
	size_t pairs = 0;

	planted_make(&p, &plan);
	look(&once, &p, 4, &job);
	look(&again, &p, 4, &job);
	assert_int_equal(once.count, again.count);
	for (size_t i = 0; i < once.count; i++) {
		const struct vector *a = &once.vector[i];
		const struct vector *b = sight_find(&again, a->l, a->group, a->round);

		assert_non_null(b);
		assert_int_equal(a->count, b->count);
		pairs += assert_masks_differ(a, b, once.word);
	}
	assert_true(pairs > 4);
	sight_release(&once);
	sight_release(&again);
	planted_release(&p);
}

/* Compares each sum with the pooled distances. The sum equals that of rounded distances, and
 * differs from that of unrounded distances by at most half a unit for each term. */
static void check_sums(const struct planted *p, size_t L, const char *settings)
{
	struct pooled *pool = alloc(1, sizeof(*pool));
	struct job job = planted_job(settings);
	struct buf words = { 0 };
	struct sight s;
	size_t vectors = 0;

	look(&s, p, L, &job);
	pooled_run(pool, p, L, &job, true);
	for (size_t i = 0; i < pool->sums; i++) {
		const struct pooled_sum *sum = &pool->sum[i];
		const struct tree_node *node = &pool->tree.node[sum->group];
		struct fixed fixed = { job.modulus_bits, job.fraction_bits,
				       node->last - node->first };
		double half = ldexp((double)fixed.parties, -1 - (int)job.fraction_bits);
		double *D = alloc(sum->count, sizeof(*D));

		assert_true(sight_sum(&s, node, sum->round, &words));
		assert_int_equal(words.n, (sum->count + 1) * s.word);
		assert_true(words.p[sum->count * s.word] == fixed.parties); /* the canary */
		assert_false(is_uniform(words.p, words.n)); /* small numbers are not uniform */
		fixed_decode(&fixed, words.p, sum->count, D);
		for (size_t e = 0; e < sum->count; e++) {
			assert_true(D[e] == sum->D[e]);
			assert_true(fabs(D[e] - sum->plain[e]) <= half * (1 + 1e-9));
		}
		vectors += fixed.parties;
		free(D);
	}
	assert_int_equal(vectors, s.count); /* no other vector was sent */
	buf_release(&words);
	sight_release(&s);
	pooled_release(pool);
	free(pool);
}

TEST(test_sums_are_right)
{
	struct planted p;

	planted_make(&p, &plan);
	for (size_t i = 0; i < FEDERATIONS; i++)
		check_sums(&p, federations[i].L, federations[i].settings);
	planted_release(&p);
}

/* ---- a coordinator that sends two parties different messages ---- */

/* Changes the nth message of this type to party l in the root's group. */
struct lie {
	enum msg_type type;
	unsigned nth;
	size_t l;
	uint32_t root;
	/* results of a run: */
	unsigned seen;
	bool told;
	uint64_t rounds; /* rounds of the root's group before the change */
};

/* Changes labels to another valid message: swaps two different entries or, in CELLS, the names of
 * two cells. */
static void lie_swap(uint32_t *label, size_t count, enum msg_type type)
{
	uint32_t one = label[0], other;
	size_t i = 0;

	while (label[i] == one)
		assert_true(++i < count);
	other = label[i];
	for (size_t k = 0; k < count; k++)
		if (type == MSG_CELLS || k == 0 || k == i)
			label[k] = label[k] == one ? other : label[k] == other ? one : label[k];
}

static void lie_tell(struct buf *body, enum msg_type type)
{
	struct msg m;
	uint32_t *label;
	uint8_t *packed;
	size_t bad;

	assert_ok(msg_decode(&m, (uint16_t)type, (struct bytes){ body->p, body->n }));
	ALLOC(label, m.labels.count);
	assert_true(labels_unpack(label, m.labels.values, m.labels.packed, m.labels.count, &bad));
	lie_swap(label, m.labels.count, type);
	packed = alloc(m.labels.packed.n, 1);
	labels_pack(packed, m.labels.values, label, m.labels.count);
	m.labels.packed.p = packed;
	body->n = 0;
	msg_encode(body, &m);
	free(packed);
	free(label);
}

static void lie_pass(void *arg, size_t l, enum msg_type type, struct buf *body)
{
	struct lie *lie = arg;
	struct msg m;

	if (l != lie->l || (type != MSG_MASKED && type != lie->type))
		return;
	assert_ok(msg_decode(&m, (uint16_t)type, (struct bytes){ body->p, body->n }));
	if (type == MSG_MASKED) {
		lie->rounds += !lie->told && m.masked.group == lie->root && m.masked.offset == 0;
		return;
	}
	if (m.labels.group != lie->root || lie->seen++ != lie->nth)
		return;
	lie_tell(body, type);
	lie->told = true;
}

static void check_lie(const struct planted *p, size_t L, const char *settings, struct lie lie)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct job job = planted_job(settings);
	struct sight s = { .word = job.modulus_bits / 8 };
	struct wire w = { .pass = lie_pass, .arg = &lie };
	struct buf sum = { 0 };
	struct tree tree;
	size_t after = 0;

	tree_build(&tree, L, job_is_flat(&job));
	lie.root = (uint32_t)tree.count - 1;
	federation_open(f, p, L, &job);
	f->server.saw = sight_note;
	f->server.saw_arg = &s;
	wire_federation_run(&w, f);
	assert_true(lie.told);
	for (uint64_t round = 0; sight_sum(&s, &tree.node[lie.root], round, &sum); round++) {
		bool late = round >= lie.rounds;

		if (sum.n < BYTES_LEAST)
			continue;
		after += late;
		if (is_uniform(sum.p, sum.n) != late)
			fail_msg("L=%zu, %s: %s to party %zu was changed after %ju sums, and sum "
				 "%ju is %s",
				 L, settings, msg_name(lie.type), lie.l, (uintmax_t)lie.rounds,
				 (uintmax_t)round, late ? "readable" : "not");
	}
	if (!after)
		fail_msg("L=%zu, %s: no sum came after the changed %s: %s", L, settings,
			 msg_name(lie.type), f->server.why);
	buf_release(&sum);
	sight_release(&s);
	federation_release(f);
	free(f);
}

TEST(test_lies_leave_the_masks_on)
{
	static const char basic[] = "method=basic starts=8 restarts=3",
			  tree[] = "method=tree starts=8 restarts=3",
			  flat[] = "method=flat starts=8 restarts=3";
	struct planted p;

	planted_make(&p, &plan);
	check_lie(&p, 2, basic, (struct lie){ .type = MSG_STARTS, .l = 0 });
	check_lie(&p, 3, basic, (struct lie){ .type = MSG_STARTS, .l = 2 });
	check_lie(&p, 3, basic, (struct lie){ .type = MSG_ASSIGNMENT, .l = 1 });
	check_lie(&p, 2, basic, (struct lie){ .type = MSG_ASSIGNMENT, .nth = 2, .l = 1 });
	/* Screens so early that all starts still move. Otherwise the number of words would reveal
	 * the change. */
	check_lie(&p, 2, "method=basic starts=8 restarts=3 screen=1",
		  (struct lie){ .type = MSG_KEPT, .l = 1 });
	check_lie(&p, 5, tree, (struct lie){ .type = MSG_CELLS, .l = 3 });
	check_lie(&p, 4, tree, (struct lie){ .type = MSG_STARTS, .l = 0 });
	check_lie(&p, 3, flat, (struct lie){ .type = MSG_ASSIGNMENT, .nth = 1, .l = 2 });
	/* Changes the clusters that start the polish, before its first and later sums. */
	check_lie(&p, 4, tree, (struct lie){ .type = MSG_CLUSTERS, .l = 1 });
	planted_release(&p);
}
