/* Intersects ids: both halves find the same common rows for any sets. A party refuses a coordinator
 * that omits, invents or repeats a row. */
#include "tests/unit/both/meeting.h"
#include "tests/unit/both/wire.h"

#include "common/kind/align.h"

/* ---- sets ---- */

/* The ids of a party: `common` ids that all parties have, and `own` further ids. With `shared`,
 * each further id is also at one neighbouring party, otherwise at no other party. Each party has
 * its own order. With `wide`, ids have 1 to 255 bytes and are not only ASCII. */
struct sets {
	size_t L, common, own;
	bool shared, wide;
};

static size_t write_id(char *to, bool wide, const char *kind, size_t number)
{
	size_t n = (size_t)sprintf(to, "%s%zu", kind, number);

	if (wide && number % 3 == 0) { /* up to 255 bytes */
		size_t more = number * 7 % (256 - n);

		memset(to + n, 'x', more);
		n += more;
	} else if (wide && number % 3 == 1) {
		n += (size_t)sprintf(to + n, "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x8c\x8d");
	}
	return n;
}

static void make_set(const struct sets *p, size_t l, struct dataset *d)
{
	size_t next = (l + 1) % p->L, all = p->common + p->own;
	struct buf text = { 0 };
	char id[512], kind[48];

	for (size_t k = 0; k < all; k++) {
		/* 7919 is prime and does not divide `all`, so i takes each value once. */
		size_t i = (k * 7919 + l) % all, n;

		if (i < p->common)
			snprintf(kind, sizeof(kind), "%s", p->wide && i > 0 ? "c" : "");
		else if (p->shared && i % 2)
			snprintf(kind, sizeof(kind), "with%zu-", next);
		else
			snprintf(kind, sizeof(kind), p->shared ? "with%zu-" : "only%zu-", l);
		n = write_id(id, p->wide, kind, i < p->common ? i : i / (p->shared ? 2 : 1));
		buf_add(&text, id, n);
		buf_add(&text, "\n", 1);
	}
	buf_add(&text, "", 1);
	names_are(d, (const char *)text.p);
	assert_int_equal(d->n, all);
	buf_release(&text);
}

static struct meeting *meeting_of(const struct sets *p, unsigned bound, unsigned min_common)
{
	struct meeting *m = alloc(1, sizeof(*m));

	m->align = ALIGN_INTERSECT;
	m->align_bound = bound;
	m->min_common = min_common;
	for (size_t l = 0; l < p->L; l++)
		make_set(p, l, &m->slot[l].d);
	meet(m, p->L, "hashed");
	return m;
}

static const char *id_of(const struct slot *s, size_t r)
{
	return s->d.ids.id[s->row[r]];
}

/* Requires n common ids: the same ids in the same order at all parties, each once. All parties
 * received the same messages. */
static void assert_common(const struct meeting *m, size_t n)
{
	const struct slot *first = &m->slot[0];

	assert_int_equal(m->run.n, n);
	for (size_t l = 0; l < m->run.L; l++) {
		const struct slot *s = &m->slot[l];
		bool *seen = alloc(s->d.n, sizeof(*seen));

		assert_int_equal(s->common, n);
		for (size_t r = 0; r < n; r++) {
			assert_string_equal(id_of(s, r), id_of(first, r));
			assert_false(seen[s->row[r]]);
			seen[s->row[r]] = true;
			for (size_t k = 0; l == 0 && k < m->run.L; k++)
				assert_true(
				    ids_find(&m->slot[k].d.ids,
					     (struct word){ id_of(s, r), strlen(id_of(s, r)) }) !=
				    SIZE_MAX);
		}
		assert_memory_equal(s->transcript, first->transcript, SECAGG_HASH_LEN);
		free(seen);
	}
}

static void finds(const struct sets *p)
{
	struct meeting *m = meeting_of(p, 0, 1);

	hold(m);
	assert_common(m, p->common);
	leave(m);
}

/* ---- what is found ---- */

TEST(overlaps)
{
	finds(&(struct sets){ 2, 1, 0, false, false });
	finds(&(struct sets){ 2, 1, 99, false, false });
	finds(&(struct sets){ 2, 7, 700, false, false });
	finds(&(struct sets){ 3, 700, 300, false, false });
	/* two of three parties share each further id */
	finds(&(struct sets){ 3, 700, 300, true, false });
	finds(&(struct sets){ 4, 5000, 0, false, false });
	finds(&(struct sets){ 5, 400, 100, true, true });
	finds(&(struct sets){ 16, 60, 40, true, true });
	finds(&(struct sets){ 1, 10, 0, false, false });
}

/* Intersects sets of different sizes, with and without a bound on their size. */
TEST(sizes)
{
	static const unsigned bounds[] = { 0, 3000 };

	for (size_t b = 0; b < 2; b++) {
		struct meeting *m = alloc(1, sizeof(*m));

		m->align = ALIGN_INTERSECT;
		m->align_bound = bounds[b];
		m->min_common = 1;
		make_set(&(struct sets){ 3, 50, 2000, false, false }, 0, &m->slot[0].d);
		make_set(&(struct sets){ 3, 50, 10, false, false }, 1, &m->slot[1].d);
		make_set(&(struct sets){ 3, 50, 300, false, false }, 2, &m->slot[2].d);
		meet(m, 3, "hashed");
		hold(m);
		assert_common(m, 50);
		leave(m);
	}
}

static void assert_all_end(const struct meeting *m, const char *why)
{
	assert_int_equal(m->result, ERR_JOB);
	assert_string_equal(m->why, why);
	for (size_t l = 0; l < m->run.L; l++) {
		assert_int_not_equal(m->slot[l].result, ERR_OK);
		assert_null(m->slot[l].row);
	}
}

/* The intersection fails if the parties have no common ids, or fewer than min_common. No party then
 * learns the ids or their number. */
TEST(too_few)
{
	struct meeting *m = meeting_of(&(struct sets){ 3, 0, 200, true, false }, 0, 1);

	hold_anyhow(m);
	assert_all_end(m, "the parties have fewer than 1 ids in common (job.min_common)");
	leave(m);
	m = meeting_of(&(struct sets){ 3, 99, 200, true, false }, 0, 100);
	hold_anyhow(m);
	assert_all_end(m, "the parties have fewer than 100 ids in common (job.min_common)");
	leave(m);
	m = meeting_of(&(struct sets){ 3, 100, 200, true, false }, 0, 100);
	hold(m);
	assert_common(m, 100);
	leave(m);
}

TEST(more_than_the_bound)
{
	struct meeting *m = meeting_of(&(struct sets){ 2, 50, 51, false, false }, 100, 1);

	hold_anyhow(m);
	assert_int_equal(m->slot[0].result, ERR_JOB);
	assert_string_equal(m->slot[0].why,
			    "p0 has 101 ids, and by job.align_bound 100 are the most");
	leave(m);
}

TEST(without_ids)
{
	struct meeting *m = meeting_of(&(struct sets){ 2, 50, 50, false, false }, 0, 1);

	m->slot[1].d.has_ids = false;
	hold_anyhow(m);
	assert_int_equal(m->slot[1].result, ERR_INPUT);
	assert_non_null(strstr(m->slot[1].why, "p1 has no data.ids"));
	m->slot[1].d.has_ids = true;
	leave(m);
}

/* No seed gives a table that holds a repeated id. All parties try again together, then all fail. */
TEST(no_table)
{
	struct meeting *m = meeting_of(&(struct sets){ 3, 50, 50, false, false }, 0, 1);
	struct ids *ids = &m->slot[1].d.ids;

	free(ids->id[7]);
	ids->id[7] = alloc_copy(ids->id[8]);
	hold_anyhow(m);
	assert_all_end(m, "the parties' ids fit into no table in 8 tries");
	for (size_t l = 0; l < 3; l++)
		assert_string_equal(m->slot[l].why,
				    "the parties' ids fit into no table in 8 tries");
	leave(m);
}

/* ---- the order of rows ---- */

static void order_of(const struct numbering *at_parties, const struct numbering *at_last,
		     char first[64], const char *why)
{
	struct meeting *m = meeting_of(&(struct sets){ 3, 200, 10, false, false }, 0, 1);

	for (size_t l = 0; l < 3; l++)
		m->slot[l].work.numbering = l == 2 ? at_last : at_parties;
	hold_anyhow(m);
	if (why) {
		assert_int_equal(m->slot[2].result, ERR_PEER);
		assert_non_null(strstr(m->slot[2].why, why));
	} else {
		assert_common(m, 200);
		snprintf(first, 64, "%s %s %s", id_of(m->slot, 0), id_of(m->slot, 1),
			 id_of(m->slot, 2));
	}
	leave(m);
}

/* Each job draws a new order of rows. If all parties have the same key file, the order is kept. If
 * one party has another file, the job fails. */
TEST(order)
{
	static const struct numbering file = { .kept = true, .key = { 1 } },
				      other = { .kept = true, .key = { 2 } };
	char one[64], two[64];

	order_of(NULL, NULL, one, NULL);
	order_of(NULL, NULL, two, NULL);
	assert_string_not_equal(one, two);
	order_of(&file, &file, one, NULL);
	order_of(&file, &file, two, NULL);
	assert_string_equal(one, two);
	order_of(&file, &other, one, "p0 has another numbering_key than p2, or none");
	order_of(NULL, &file, one, "p0 has another numbering_key than p2, or none");
}

/* ---- what the coordinator has, and what it can do with a party ---- */

static bool heard(const struct meeting *m, const void *p, size_t n)
{
	return memmem(m->heard.p, m->heard.n, p, n) != NULL;
}

/* No id reaches the coordinator. Party 0 lists the pseudonyms (meeting.h) of its ids. With one
 * party's key the coordinator can test guesses of ids against all of these, but not against ids
 * that only another party has. */
TEST(guesses)
{
	struct meeting *m = meeting_of(&(struct sets){ 3, 150, 60, false, false }, 0, 1);
	uint8_t name[HMAC_LEN];

	hold(m);
	for (size_t l = 0; l < 3; l++)
		for (size_t i = 0; i < m->slot[l].d.n; i++) {
			const char *id = m->slot[l].d.ids.id[i];

			if (strlen(id) > 5) /* shorter ids may occur by chance */
				assert_false(heard(m, id, strlen(id)));
			pseudonym(m, id, name);
			assert_int_equal(heard(m, name, MSG_ID_HASH_LEN),
					 l == 0 || i >= m->slot[l].d.n || !strstr(id, "only"));
		}
	leave(m);
}

/* ---- a malicious coordinator ---- */

enum lie { NONE, DROPS, INVENTS, REPEATS, SWAPS, CUTS, OTHER_COUNT, OTHER_OFFSET, FEW };
static enum lie lie;

static void change(struct buf *common, size_t *count, size_t *offset)
{
	uint8_t *p = common->p, aside[MSG_ID_HASH_LEN];
	size_t n = common->n / MSG_ID_HASH_LEN, kept = 0;

	switch (lie) {
	case NONE:
		break;
	case DROPS: /* drops every fourth pseudonym */
		for (size_t i = 0; i < n; i++)
			if (i % 4)
				memmove(p + kept++ * MSG_ID_HASH_LEN, p + i * MSG_ID_HASH_LEN,
					MSG_ID_HASH_LEN);
		common->n = kept * MSG_ID_HASH_LEN;
		*count = kept;
		break;
	case INVENTS:
		p[20 * MSG_ID_HASH_LEN + 15] ^= 1;
		break;
	case REPEATS:
		memcpy(p + 21 * MSG_ID_HASH_LEN, p + 20 * MSG_ID_HASH_LEN, MSG_ID_HASH_LEN);
		break;
	case SWAPS:
		memcpy(aside, p + 20 * MSG_ID_HASH_LEN, MSG_ID_HASH_LEN);
		memcpy(p + 20 * MSG_ID_HASH_LEN, p + 21 * MSG_ID_HASH_LEN, MSG_ID_HASH_LEN);
		memcpy(p + 21 * MSG_ID_HASH_LEN, aside, MSG_ID_HASH_LEN);
		break;
	case CUTS:
		common->n--;
		break;
	case OTHER_COUNT:
		*count = n - 1;
		break;
	case OTHER_OFFSET:
		*offset = 1;
		break;
	case FEW:
		*count = ALIGN_CANARIES + 9;
		common->n = *count * MSG_ID_HASH_LEN;
		break;
	}
}

/* Changes the COMMON message from the coordinator to party 0. */
static void lie_to_party(void *arg, size_t l, enum msg_type type, struct buf *body)
{
	struct buf common = { 0 };
	size_t count, offset;
	struct msg m;

	(void)arg;
	(void)l;
	if (type != MSG_COMMON)
		return;
	assert_ok(msg_decode(&m, type, (struct bytes){ body->p, body->n }));
	buf_add(&common, m.ids.packed.p, m.ids.packed.n);
	count = (size_t)m.ids.count;
	offset = (size_t)m.ids.offset;
	change(&common, &count, &offset);
	m.ids = (struct msg_ids){ count, offset, { common.p, common.n } };
	body->n = 0;
	msg_encode(body, &m);
	buf_release(&common);
}

static void finds_lie(enum lie what, const char *why)
{
	struct meeting *m = meeting_of(&(struct sets){ 2, 300, 50, false, false }, 0, 10);
	struct wire w = { .n = 1,
			  .hub = { m->run.channel[0] },
			  .party = { m->slot[0].work.channel },
			  .pass = lie_to_party };

	lie = what;
	m->wired = 1;
	wire_start(&w);
	hold_anyhow(m);
	wire_stop(&w);
	assert_int_equal(m->slot[1].result, ERR_OK);
	if (why) {
		if (m->slot[0].result != ERR_PEER || !strstr(m->slot[0].why, why))
			fail_msg("\"%s\", expected \"%s\"", m->slot[0].why, why);
		assert_non_null(strstr(m->slot[0].why, "hub sent COMMON"));
		assert_null(m->slot[0].row);
	} else {
		assert_int_equal(m->slot[0].result, ERR_OK);
		assert_int_equal(m->slot[0].common, 300);
	}
	/* If the two parties received different lists, their transcripts differ, so their later
	 * masks do not cancel. */
	assert_int_equal(memcmp(m->slot[0].transcript, m->slot[1].transcript, SECAGG_HASH_LEN) == 0,
			 what == NONE);
	leave(m);
}

TEST(lies)
{
	finds_lie(NONE, NULL);
	finds_lie(DROPS, "of 128 pseudonyms that all parties have: it leaves some out");
	finds_lie(INVENTS, "pseudonym 20 is of no id that is here");
	finds_lie(REPEATS, "pseudonym 21 is of no id that is here, or does not rise");
	finds_lie(SWAPS, "pseudonym 21 is of no id that is here, or does not rise");
	finds_lie(CUTS, "with 6847 bytes");
	finds_lie(OTHER_COUNT, "of count 427, offset 0 with 6848 bytes");
	finds_lie(OTHER_OFFSET, "offset 1");
	finds_lie(FEW, "of 137 pseudonyms; expected 128 and from job.min_common, 10");
}

/* ---- a party that deviates from the protocol ---- */

/* Party 1 uses another align_bound, so its vectors have another length. */
TEST(other_lengths)
{
	struct meeting *m = meeting_of(&(struct sets){ 2, 300, 50, false, false }, 0, 10);

	m->slot[1].work.job.align_bound = 400;
	hold_anyhow(m);
	assert_int_equal(m->result, ERR_PEER);
	assert_non_null(strstr(m->why, "p1 sent MASKED with words from 0 of 2 "));
	leave(m);
}
