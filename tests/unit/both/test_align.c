/* Aligns parties with different nodes: both halves agree on rows, and each party learns only its
 * own. */
#include "tests/unit/both/meeting.h"

#include "common/base/rng.h"
#include "crypto/numbering.h"

static void rows_are(struct dataset *d, size_t n, size_t first)
{
	*d = (struct dataset){ .n = n, .first_row = first };
}

static const char *name(const struct dataset *d, size_t i)
{
	static char number[24];

	if (d->has_ids)
		return d->ids.id[i];
	snprintf(number, sizeof(number), "%zu", i + d->first_row);
	return number;
}

/* ---- what must hold ---- */

struct known {
	char name[32];
	uint32_t row;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

static int by_row(const void *a, const void *b)
{
	uint32_t x = ((const struct known *)a)->row, y = ((const struct known *)b)->row;

	return (x > y) - (x < y);
}

/* Requires one row for each id and one id for each row, and that the rows are 0 .. n - 1. */
static void assert_one_row_each(const struct meeting *m)
{
	struct known *k = NULL;
	size_t count = 0, kept = 0;

	for (size_t l = 0; l < m->run.L; l++) {
		const struct slot *s = &m->slot[l];

		assert_int_equal(s->work.n, m->run.n);
		k = alloc_again(k, count + s->d.n + 1, sizeof(*k));
		for (size_t i = 0; i < s->d.n; i++, count++) {
			snprintf(k[count].name, sizeof(k[count].name), "%s", name(&s->d, i));
			k[count].row = s->row[i];
		}
	}
	qsort(k, count, sizeof(*k), by_name);
	for (size_t i = 0; i < count; i++) {
		if (kept && strcmp(k[kept - 1].name, k[i].name) == 0)
			assert_int_equal(k[kept - 1].row, k[i].row);
		else
			k[kept++] = k[i];
	}
	assert_int_equal(kept, m->run.n);
	qsort(k, kept, sizeof(*k), by_row);
	for (size_t i = 0; i < kept; i++)
		assert_int_equal(k[i].row, i);
	free(k);
}

static void assert_told(const struct meeting *m)
{
	for (size_t l = 0; l < m->run.L; l++) {
		const struct slot *s = &m->slot[l];

		assert_int_equal(m->a.nodes[l], s->d.n);
		for (size_t i = 1; i < s->d.n; i++)
			assert_true(m->a.row[l][i - 1] < m->a.row[l][i]);
		for (size_t i = 0; i < s->d.n; i++)
			assert_int_equal(s->label[i], m->label[s->row[i]]);
		/* Everything that masks depend on is equal at all parties. */
		assert_memory_equal(s->transcript, m->slot[0].transcript, SECAGG_HASH_LEN);
	}
}

static const char *const kinds[] = { "hashed", "plain" };

/* Aligns the parties; the union of their nodes must have n nodes. */
static void check(const char *const *lines, size_t L, size_t n)
{
	for (int kind = 0; kind < 2; kind++) {
		struct meeting *m = alloc(1, sizeof(*m));

		for (size_t l = 0; l < L; l++)
			names_are(&m->slot[l].d, lines[l]);
		meet(m, L, kinds[kind]);
		hold(m);
		assert_int_equal(m->run.n, n);
		assert_one_row_each(m);
		assert_told(m);
		leave(m);
	}
}

TEST(overlaps)
{
	check((const char *const[]){ "a\nb\nc\n", "b\nc\nd\n" }, 2, 4);
	check((const char *const[]){ "a\nb\nc\n", "c\na\nb\n", "b\nc\na\n" }, 3, 3);
	check((const char *const[]){ "a\n", "b\n", "c\n" }, 3, 3);
	check((const char *const[]){ "a\nab\nabc\n", "\xc3\xa9\nab\n" }, 2, 4);
	check((const char *const[]){ "a\nb\n" }, 1, 2);
}

TEST(parties_without_nodes)
{
	check((const char *const[]){ "", "b\na\n", "" }, 3, 2);
	check((const char *const[]){ "b\na\n", "" }, 2, 2);
	check((const char *const[]){ "", "" }, 2, 0);
	check((const char *const[]){ "" }, 1, 0);
}

static const struct numbering parties_file = { .kept = true, .key = { 1 } },
			      own_file = { .kept = true, .key = { 2 } },
			      other_file = { .kept = true, .key = { 3 } };

/* Aligns two parties of 40 nodes; returns the rows of party 0's nodes. */
static void numbers_of(const char *kind, const struct numbering *at_parties,
		       const struct numbering *at_coordinator, uint32_t row[40])
{
	struct meeting *m = alloc(1, sizeof(*m));

	rows_are(&m->slot[0].d, 40, 0);
	rows_are(&m->slot[1].d, 40, 20);
	meet(m, 2, kind);
	m->run.numbering = at_coordinator;
	for (size_t l = 0; l < 2; l++)
		m->slot[l].work.numbering = at_parties;
	hold(m);
	assert_int_equal(m->run.n, 60);
	assert_one_row_each(m);
	memcpy(row, m->slot[0].row, 40 * sizeof(*row));
	leave(m);
}

/* Nodes get the same numbers again only if both parties and the coordinator have kept their key
 * files. */
TEST(numbers_that_are_kept)
{
	uint32_t first[40], again[40];

	for (int kind = 0; kind < 2; kind++) {
		numbers_of(kinds[kind], &parties_file, &own_file, first);
		numbers_of(kinds[kind], &parties_file, &own_file, again);
		assert_memory_equal(first, again, sizeof(first));
		numbers_of(kinds[kind], &parties_file, &other_file, again);
		assert_memory_not_equal(first, again, sizeof(first));
		numbers_of(kinds[kind], &parties_file, NULL, again);
		assert_memory_not_equal(first, again, sizeof(first));
	}
	numbers_of("hashed", &other_file, &own_file, again);
	numbers_of("hashed", &parties_file, &own_file, first);
	assert_memory_not_equal(first, again, sizeof(first));
	numbers_of("hashed", NULL, &own_file, again);
	assert_memory_not_equal(first, again, sizeof(first));
}

TEST(files_that_differ)
{
	for (int none = 0; none < 2; none++) {
		struct meeting *m = alloc(1, sizeof(*m));

		rows_are(&m->slot[0].d, 4, 0);
		rows_are(&m->slot[1].d, 4, 0);
		meet(m, 2, "hashed");
		m->slot[0].work.numbering = none ? NULL : &other_file;
		m->slot[1].work.numbering = &parties_file;
		hold_anyhow(m);
		assert_int_equal(m->slot[1].result, ERR_PEER);
		assert_non_null(strstr(m->slot[1].why, "p0 has another numbering_key than p1"));
		leave(m);
	}
}

/* Without ids, the name of a node is its row number, as in edge lists. */
TEST(numbers_are_names)
{
	for (int kind = 0; kind < 2; kind++) {
		struct meeting *m = alloc(1, sizeof(*m));

		rows_are(&m->slot[0].d, 12, 0); /* 0 .. 11 */
		rows_are(&m->slot[1].d, 12, 1); /* 1 .. 12 */
		names_are(&m->slot[2].d, "12\n13\n07\n7\n");
		meet(m, 3, kinds[kind]);
		hold(m);
		assert_int_equal(m->run.n, 15);
		assert_one_row_each(m);
		assert_told(m);
		leave(m);
	}
}

/* Aligns lists of ids that are sent in several chunks, by several parties, in any order. */
TEST(many_chunks_in_any_order)
{
	enum { L = 5, N = 30000 };
	struct rng rng;

	rng_seed(&rng, 8, 0);
	for (int kind = 0; kind < 2; kind++) {
		struct meeting *m = alloc(1, sizeof(*m));
		size_t in_order = 0;

		for (size_t l = 0; l < L; l++) {
			struct buf lines = { 0 };

			for (unsigned i = 0; i < N; i++)
				if (l == 0 || rng_below(&rng, L) > l - 1)
					buf_printf(&lines, "customer-%u\n", i * 7919 % N);
			buf_add(&lines, "", 1);
			names_are(&m->slot[l].d, (const char *)lines.p);
			buf_release(&lines);
		}
		meet(m, L, kinds[kind]);
		hold(m);
		assert_int_equal(m->run.n, N);
		assert_one_row_each(m);
		assert_told(m);
		/* Nodes with neighbouring ids do not get neighbouring rows, so a party's rows do
		 * not show how many ids of others lie between its own. */
		for (size_t i = 1; i < N; i++)
			in_order += m->slot[0].row[i] == m->slot[0].row[i - 1] + 1;
		assert_true(in_order < 20);
		leave(m);
	}
}

static bool contains(const struct buf *b, const char *text)
{
	return b->n && memmem(b->p, b->n, text, strlen(text));
}

/* With hashed ids, the coordinator receives no id. It receives new hashes, and assigns new rows, in
 * each job. */
TEST(the_coordinator_sees_no_id)
{
	struct meeting *m[4];
	struct buf lines = { 0 };
	size_t same = 0;

	for (int i = 0; i < 500; i++)
		buf_printf(&lines, "customer-%d\n", i);
	buf_add(&lines, "", 1);
	for (int k = 0; k < 4; k++) {
		m[k] = alloc(1, sizeof(*m[k]));
		names_are(&m[k]->slot[0].d, (const char *)lines.p);
		names_are(&m[k]->slot[1].d, "customer-7\nstranger\n");
		meet(m[k], 2, kinds[k / 2]);
		hold(m[k]);
		assert_true(contains(&m[k]->heard, "customer-7") == (k >= 2));
	}
	assert_int_equal(m[0]->heard.n, m[1]->heard.n);
	/* Party 0's list has 8000 bytes; `same` would be about 8000 if its hashes were the same in
	 * both jobs. */
	for (size_t i = 0; i + 8 <= m[0]->heard.n; i++)
		same += memcmp(m[0]->heard.p + i, m[1]->heard.p + i, 8) == 0;
	assert_true(same < 100); /* message headers may coincide */
	for (int k = 0; k < 4; k += 2) {
		same = 0;
		for (size_t i = 0; i < 500; i++)
			same += m[k]->slot[0].row[i] == m[k + 1]->slot[0].row[i];
		assert_true(same < 20);
	}
	for (int k = 0; k < 4; k++)
		leave(m[k]);
	buf_release(&lines);
}

/* The transcript depends on the number of nodes that the coordinator sends. If it sends parties
 * different numbers, no later sum succeeds. */
TEST(n_is_in_the_transcript)
{
	struct meeting *m[2];

	for (int k = 0; k < 2; k++) {
		m[k] = alloc(1, sizeof(*m[k]));
		names_are(&m[k]->slot[0].d, "a\nb\n");
		names_are(&m[k]->slot[1].d, k ? "c\n" : "a\n");
		meet(m[k], 2, "plain");
		hold(m[k]);
	}
	assert_memory_not_equal(m[0]->slot[0].transcript, m[1]->slot[0].transcript,
				SECAGG_HASH_LEN);
	for (int k = 0; k < 2; k++)
		leave(m[k]);
}
