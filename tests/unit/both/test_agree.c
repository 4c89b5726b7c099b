/* A coordinator can number a node differently at each party; each entry of a "sum" is then one
 * party's term alone. The parties detect this by a sample of ids, which neither the coordinator nor
 * a third party can predict. */
#include "tests/unit/both/meeting.h"
#include "common/base/rng.h"
#include "party/work/agree.h"
#include "party/work/exchange.h"

enum { ALL = 400 };

/* ---- nodes ---- */

/* Makes a meeting in which each party has `own` nodes. All parties share the first `shared` of
 * them. Rows are numbered in some order, as an honest coordinator does. */
static struct meeting *parties_with(size_t L, size_t own, size_t shared, struct rng *rng)
{
	struct meeting *m = alloc(1, sizeof(*m));
	size_t n = shared + L * (own - shared);
	uint32_t *order = alloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	rng_shuffle(rng, order, n);
	for (size_t l = 0; l < L; l++) {
		struct buf lines = { 0 };

		for (size_t i = 0; i < own; i++)
			if (i < shared)
				buf_printf(&lines, "all%zu\n", i);
			else
				buf_printf(&lines, "of%zu-%zu\n", l, i);
		names_are(&m->slot[l].d, (char *)lines.p);
		buf_release(&lines);
	}
	meet(m, L, "hashed");
	for (size_t l = 0; l < L; l++) {
		struct slot *s = &m->slot[l];

		s->work.n = n;
		for (size_t i = 0; i < own; i++) {
			const char *id = s->d.ids.id[i];
			size_t number =
			    strtoul(id[0] == 'a' ? id + 3 : strchr(id, '-') + 1, NULL, 10);

			s->row[i] =
			    order[id[0] == 'a' ? number
					       : shared + l * (own - shared) + number - shared];
		}
	}
	free(order);
	return m;
}

/* ---- the check ---- */

static void *hub(void *arg)
{
	struct meeting *m = arg;

	run_phase(&m->run, "align");
	m->result = server_agree_rows(&m->run);
	return NULL;
}

static void *agrees(void *arg)
{
	struct msg abort = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };
	struct slot *s = arg;

	work_phase(&s->work, "align");
	s->result = party_agree_rows(&s->work, &s->d, s->row, false);
	snprintf(s->why, sizeof(s->why), "%s", s->result ? err_detail() : "");
	if (s->result != ERR_OK)
		(void)!channel_send(s->work.channel, &abort);
	return NULL;
}

static void compare_rows(struct meeting *m)
{
	for (size_t l = 0; l < m->run.L; l++)
		channel_pair(m->run.channel[l], m->slot[l].work.channel);
	pthread_create(&m->thread, NULL, hub, m);
	for (size_t l = 0; l < m->run.L; l++)
		pthread_create(&m->slot[l].thread, NULL,
			       m->slot[l].attend ? m->slot[l].attend : agrees, &m->slot[l]);
	pthread_join(m->thread, NULL);
	for (size_t l = 0; l < m->run.L; l++)
		pthread_join(m->slot[l].thread, NULL);
}

/* Returns the number of parties that failed. The error of each must name the coordinator and
 * contain `words`. */
static size_t found_by(const struct meeting *m, const char *words)
{
	size_t found = 0;

	for (size_t l = 0; l < m->run.L; l++) {
		const struct slot *s = &m->slot[l];

		if (s->result == ERR_OK)
			continue;
		assert_int_equal(s->result, ERR_PEER);
		if (!strstr(s->why, "hub ") || !strstr(s->why, words))
			fail_msg("\"%s\", expected \"%s\"", s->why, words);
		found++;
	}
	return found;
}

TEST(test_honest)
{
	static const struct {
		size_t L, own, shared;
	} cases[] = { { 1, 5, 5 }, { 2, 3, 1 }, { 3, 145, 144 }, { 5, ALL, 7 }, { 4, 30, 30 } };
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct meeting *m = parties_with(cases[c].L, cases[c].own, cases[c].shared, &rng);

		compare_rows(m);
		assert_int_equal(m->result, ERR_OK);
		assert_int_equal(found_by(m, ""), 0);
		leave(m);
	}
}

/* The parties detect a coordinator that gives no two parties a common row, although they share
 * nodes. With `merged` parties 0 and 1 have one common row, in which they have different nodes. */
TEST(test_rows_apart)
{
	struct rng rng;

	rng_seed(&rng, 2, 0);
	for (size_t merged = 0; merged <= 1; merged++)
		for (size_t L = 2; L <= 3; L++)
			for (int again = 0; again < 20; again++) {
				struct meeting *m = parties_with(L, ALL, ALL / 20, &rng);

				for (size_t l = 0; l < L; l++) {
					m->slot[l].work.n = L * ALL - merged;
					for (size_t i = 0; i < ALL; i++)
						m->slot[l].row[i] =
						    (uint32_t)(l * ALL + i - (l ? merged : 0));
				}
				compare_rows(m);
				assert_true(
				    found_by(m, merged ? "numbers nodes differently" : "") >= 1);
				leave(m);
			}
}

/* The parties detect a coordinator that numbers the shared nodes differently at one party and alike
 * at all others. */
TEST(test_one_victim)
{
	struct rng rng;

	rng_seed(&rng, 3, 0);
	for (int again = 0; again < 20; again++) {
		struct meeting *m = parties_with(4, ALL, ALL / 20, &rng);
		size_t n = m->slot[0].work.n;

		for (size_t l = 0; l < 4; l++)
			m->slot[l].work.n = n + ALL / 20;
		/* The victim's shared nodes get rows that no other party has. */
		for (size_t i = 0; i < ALL; i++)
			if (m->slot[1].d.ids.id[i][0] == 'a')
				m->slot[1].row[i] =
				    (uint32_t)(n + strtoul(m->slot[1].d.ids.id[i] + 3, NULL, 10));
		compare_rows(m);
		assert_true(found_by(m, "a node of both has two rows") >= 1);
		leave(m);
	}
}

/* If there are few nodes, the parties compare all of them. They detect a single node that has a new
 * row or the row of another node. */
TEST(test_few_nodes)
{
	struct rng rng;

	rng_seed(&rng, 4, 0);
	for (int other = 0; other <= 1; other++) {
		struct meeting *m = parties_with(2, AGREE_SAMPLE, 10, &rng);
		struct slot *s = &m->slot[1];
		size_t i = 0;

		while (s->d.ids.id[i][0] != (other ? 'o' : 'a'))
			i++;
		m->slot[0].work.n++;
		s->row[i] = other ? m->slot[0].row[AGREE_SAMPLE - 1] : (uint32_t)s->work.n;
		s->work.n++;
		compare_rows(m);
		assert_int_equal(
		    found_by(m, other ? "two nodes have one row" : "a node of both has two rows"),
		    2);
		leave(m);
	}
}

/* Does party `from` compare its node i with party `to`? Computed as agree.h specifies, with the
 * keys of party `at`. */
static bool compares(const struct meeting *m, size_t at, size_t from, size_t to, size_t i)
{
	const char label[] = "coterie rows v2";
	const struct ids *ids = &m->slot[from].d.ids;
	uint8_t key[KDF_KEY_LEN], name[ALL][KDF_KEY_LEN];
	size_t draw = from < to ? 16 : 24, lower = 0;

	secagg_pair_expand(m->slot[at].work.secagg, at == from ? to : from,
			   (struct bytes){ (const uint8_t *)label, sizeof(label) - 1 }, key);
	for (size_t k = 0; k < ids->n; k++)
		kdf_expand(key, (struct bytes){ (const uint8_t *)ids->id[k], strlen(ids->id[k]) },
			   name[k], KDF_KEY_LEN);
	for (size_t k = 0; k < ids->n; k++)
		lower += memcmp(name[k] + draw, name[i] + draw, 8) < 0;
	return lower < AGREE_SAMPLE;
}

/* Party 2 helps the coordinator, which gives party 1 another row for one node. They choose a node
 * that none of the comparisons of 0 with 2, of 1 with 2 and of 2 with 1 includes. That choice must
 * not predict whether parties 0 and 1 compare the node. Each of their two samples has 144 of 400
 * nodes, so both miss it with probability 0.64^2 = 0.41. */
TEST(test_foreseen_by_a_third)
{
	enum { TIMES = 60 };
	size_t unseen = 0;
	struct rng rng;

	rng_seed(&rng, 5, 0);
	for (int again = 0; again < TIMES; again++) {
		struct meeting *m = parties_with(3, ALL, ALL, &rng);
		bool found[2];
		size_t i = 0;

		while (compares(m, 2, 0, 2, i) || compares(m, 2, 1, 2, i) ||
		       compares(m, 2, 2, 1, i))
			i++;
		for (size_t l = 0; l < 3; l++)
			m->slot[l].work.n++;
		m->slot[1].row[i] = ALL;
		found[0] = compares(m, 0, 1, 0, i);
		found[1] = compares(m, 0, 0, 1, i);
		compare_rows(m);
		for (size_t l = 0; l < 2; l++)
			if (strstr(m->slot[l].why, "a node of both has two rows"))
				assert_true(found[l]);
		assert_int_equal(found[0] || found[1], m->slot[0].result || m->slot[1].result);
		unseen += !found[0] && !found[1];
		leave(m);
	}
	assert_in_range(unseen, 10, 40); /* mean 24.6, standard deviation 3.8 */
}

/* Runs a party that sends s->row[1] equal entries of 20 bytes, and claims that they describe
 * s->row[0] nodes. */
static void *repeats(void *arg)
{
	struct slot *s = arg;
	struct buf out[2] = { 0 }, in[2] = { 0 };
	uint64_t count = s->row[0];

	work_phase(&s->work, "align");
	buf_add(&out[0], &count, sizeof(count));
	memset(buf_extend(&out[0], 20 * s->row[1]), 1, 20 * s->row[1]);
	s->result = party_exchange(&s->work, SEALED_ROWS, out, in, 4000);
	buf_release(&in[0]);
	return NULL;
}

TEST(test_wrong_batches)
{
	static const struct {
		uint32_t nodes, entries;
		const char *says;
	} cases[] = {
		{ 2, 2, "p1 sent the row of one node twice (during align)" },
		{ 3, 2, "p1 sent rows of its nodes in 48 bytes" },
		{ 2, 3, "p1 sent rows of its nodes in 68 bytes" },
		{ UINT32_MAX, AGREE_SAMPLE, "p1 sent rows of its nodes in 2888 bytes" },
	};
	struct rng rng;

	rng_seed(&rng, 6, 0);
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct meeting *m = parties_with(2, 3, 3, &rng);

		m->slot[1].row[0] = cases[c].nodes;
		m->slot[1].row[1] = cases[c].entries;
		m->slot[1].attend = repeats;
		compare_rows(m);
		assert_int_equal(m->slot[0].result, ERR_PEER);
		if (!strstr(m->slot[0].why, cases[c].says))
			fail_msg("\"%s\", expected \"%s\"", m->slot[0].why, cases[c].says);
		leave(m);
	}
}
