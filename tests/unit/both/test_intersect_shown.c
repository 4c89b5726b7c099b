/* Checks that the intersection of ids reveals what docs/alignment.md states, and no more. The tests
 * combine all that the coordinator received with one party's own knowledge. */
#include "tests/unit/both/meeting.h"

#include "common/kind/align.h"
#include "common/kind/tree.h"
#include "crypto/okvs.h"
#include "party/work/secure.h"

#include <endian.h>

/* Three parties. All have 40 ids, each pair shares 60 ids, and each party has 50 ids alone. The
 * last party also guesses 10 ids that the other two share, and 10 of party 1 alone. */
enum {
	L = 3,
	ALL = 40,
	TWO = 60,
	ONE = 50,
	GUESSED = 10,
	LARGEST = ALL + 2 * TWO + ONE + 2 * GUESSED
};

static void add(struct buf *lines, const char *kind, size_t first, size_t end)
{
	char line[32];

	for (size_t i = first; i < end; i++)
		buf_add(lines, line, (size_t)sprintf(line, "%s-%zu\n", kind, i));
}

static void make_set(size_t l, struct dataset *d)
{
	static const char *const with_next[] = { "0and1", "1and2", "2and0" }, *const alone[] = {
		"0", "1", "2"
	};
	struct buf lines = { 0 };

	add(&lines, "all", 0, ALL);
	add(&lines, with_next[l], 0, TWO);
	add(&lines, with_next[(l + 2) % L], 0, TWO);
	add(&lines, alone[l], 0, ONE);
	if (l == 2) {
		add(&lines, "0and1", 0, GUESSED);
		add(&lines, "1", 0, GUESSED);
	}
	buf_add(&lines, "", 1);
	names_are(d, (const char *)lines.p);
	buf_release(&lines);
}

/* The coordinator's view: the sum of all parties' tables (crypto/okvs.h), and the list of
 * pseudonyms that each party sends. */
struct view {
	struct meeting *m;
	size_t words;
	uint64_t *table;
	struct ear {
		struct view *view;
		struct buf list;
	} ear[L];
};

static void listen_in(void *arg, enum msg_type type, struct bytes body)
{
	struct ear *ear = arg;
	struct view *v = ear->view;
	uint64_t word;
	struct msg m;

	if ((type != MSG_MASKED && type != MSG_IDS) || msg_decode(&m, type, body) != ERR_OK)
		return;
	if (type == MSG_IDS) {
		buf_add(&ear->list, m.ids.packed.p, m.ids.packed.n);
		return;
	}
	/* Skips sums of sizes, which have other lengths than sums of tables. The last word of a sum
	 * is its canary. */
	for (size_t at = m.masked.offset; m.masked.count == v->words + 1 && at < v->words; at++) {
		size_t i = (at - m.masked.offset) * sizeof(word);

		if (i == m.masked.words.n)
			break;
		memcpy(&word, m.masked.words.p + i, sizeof(word));
		v->table[at] += le64toh(word);
	}
}

static void listens(struct view *v, unsigned min_common)
{
	uint32_t step[ALIGN_STEPS_MAX];
	size_t k = 0;

	*v = (struct view){ .m = alloc(1, sizeof(*v->m)) };
	v->m->align = ALIGN_INTERSECT;
	v->m->min_common = min_common;
	for (size_t l = 0; l < L; l++)
		make_set(l, &v->m->slot[l].d);
	meet(v->m, L, "hashed");
	align_scale(0, step);
	while (step[k] < v->m->slot[2].d.n)
		k++;
	v->words = okvs_words(step[k] + ALIGN_CANARIES);
	ALLOC(v->table, v->words);
	for (size_t l = 0; l < L; l++) {
		v->ear[l].view = v;
		channel_observe(v->m->run.channel[l], listen_in, &v->ear[l]);
	}
}

static void see(struct view *v, unsigned min_common)
{
	listens(v, min_common);
	hold_anyhow(v->m);
}

static void *attend_with_zeros(void *arg);

/* Runs the job with the tables of the `given` parties only. No listed pseudonym has the value 0 in
 * the sum of these tables, so the coordinator ends the job. */
static void see_some(struct view *v, const bool given[static L])
{
	listens(v, 1);
	for (size_t l = 0; l < L; l++)
		v->m->slot[l].attend = given[l] ? NULL : attend_with_zeros;
	hold_anyhow(v->m);
	assert_int_equal(v->m->result, ERR_PEER);
	assert_non_null(strstr(v->m->why, "0 ids in common"));
}

static void look_away(struct view *v)
{
	for (size_t l = 0; l < L; l++)
		buf_release(&v->ear[l].list);
	free(v->table);
	leave(v->m);
}

static bool has(const struct view *v, size_t l, const char *id)
{
	return ids_find(&v->m->slot[l].d.ids, (struct word){ id, strlen(id) }) != SIZE_MAX;
}

static bool listed(const struct view *v, size_t l, const uint8_t name[static MSG_ID_HASH_LEN])
{
	for (size_t at = 0; at < v->ear[l].list.n; at += MSG_ID_HASH_LEN)
		if (!memcmp(v->ear[l].list.p + at, name, MSG_ID_HASH_LEN))
			return true;
	return false;
}

static bool reads_0(const struct view *v, const uint8_t *name)
{
	return okvs_read(v->table, v->words, name) == 0;
}

/* ---- intersect ---- */

/* The coordinator's data show two facts of each id: whether all parties have it, and whether it is
 * in the first party's list. They do not show which other parties have it. */
static void assert_tables_say(const struct view *v)
{
	uint8_t name[HMAC_LEN];
	size_t common = 0;

	for (size_t l = 0; l < L; l++)
		for (size_t i = 0; i < v->m->slot[l].d.n; i++) {
			const char *id = v->m->slot[l].d.ids.id[i];
			bool of_all = has(v, 0, id) && has(v, 1, id) && has(v, 2, id);

			pseudonym(v->m, id, name);
			assert_int_equal(reads_0(v, name), of_all);
			assert_int_equal(listed(v, 0, name), has(v, 0, id));
			common += l == 0 && of_all;
		}
	assert_int_equal(common, ALL + GUESSED);
	assert_int_equal(v->ear[1].list.n + v->ear[2].list.n, 0);
}

/* The coordinator works together with the last party, which has guesses and the key. They learn
 * what assert_tables_say() states, although the job ends because too few ids are common. */
TEST(with_a_party)
{
	struct view v;

	see(&v, ALL + GUESSED + 1);
	assert_int_equal(v.m->result, ERR_JOB);
	for (size_t l = 0; l < L; l++)
		assert_null(v.m->slot[l].row);
	assert_tables_say(&v);
	look_away(&v);
}

/* A party alone learns which of its guesses all others have. Its result has none of the guesses
 * that only one other party has. */
TEST(a_party_alone)
{
	struct view v;
	size_t guessed = 0;

	see(&v, ALL + GUESSED);
	assert_int_equal(v.m->result, ERR_OK);
	assert_int_equal(v.m->slot[2].common, ALL + GUESSED);
	for (size_t r = 0; r < ALL + GUESSED; r++)
		guessed += !strncmp(v.m->slot[2].d.ids.id[v.m->slot[2].row[r]], "0and1-", 6);
	assert_int_equal(guessed, GUESSED);
	assert_tables_say(&v);
	look_away(&v);
}

/* The coordinator alone finds that the value in the sum is 0 for the common pseudonyms and for the
 * canaries (docs/alignment.md), and for nothing else in the list. The list consists of the padded
 * number of pseudonyms and the canaries. */
TEST(the_coordinator_alone)
{
	uint32_t step[ALIGN_STEPS_MAX];
	size_t k = 0, zeros = 0;
	struct view v;

	see(&v, 1);
	align_scale(0, step);
	while (step[k] < v.m->slot[0].d.n)
		k++;
	assert_int_equal(v.ear[0].list.n / MSG_ID_HASH_LEN, step[k] + ALIGN_CANARIES);
	assert_int_not_equal(step[k], v.m->slot[0].d.n);
	for (size_t at = 0; at < v.ear[0].list.n; at += MSG_ID_HASH_LEN)
		zeros += reads_0(&v, v.ear[0].list.p + at);
	assert_int_equal(zeros, ALL + GUESSED + ALIGN_CANARIES);
	look_away(&v);
}

/* ---- a table by itself ---- */

/* Runs a party that follows the protocol, but with a table of zeros, so the coordinator's sum has
 * the other parties' tables alone. The party reports the size of the largest set, and is never the
 * party that lists its pseudonyms. */
static enum err take_part_with_zeros(struct slot *s)
{
	uint32_t step[ALIGN_STEPS_MAX];
	size_t steps = align_scale(0, step), k = 0, words;
	double on[ALIGN_STEPS_MAX] = { 0 }, who[L + 1] = { 0 };
	struct work *work = &s->work;
	const struct tree_node *all;
	uint8_t key[SECAGG_HASH_LEN];
	struct tree tree;
	uint64_t *table;
	enum err e;

	tree_build(&tree, L, true);
	all = &tree.node[tree.count - 1];
	work_phase(work, "align");
	work_group(work, all);
	TRY(work_group_key(work));
	TRY(party_numbering_key(work, "common rows", key));
	while (step[k] < LARGEST)
		k++;
	on[k] = 1;
	words = okvs_words(step[k] + ALIGN_CANARIES);
	TRY(secure_sum_verified(work, all, on, steps));
	TRY(secure_sum_verified(work, all, who, L + 1));
	while (who[L] != 0) {
		who[L] = 0;
		TRY(secure_sum_verified(work, all, who + L, 1));
	}
	ALLOC(table, words);
	e = secure_send_words(work, all, table, words);
	free(table);
	return e;
}

static void *attend_with_zeros(void *arg)
{
	struct slot *s = arg;

	s->result = take_part_with_zeros(s);
	snprintf(s->why, sizeof(s->why), "%s", s->result ? err_detail() : "");
	return NULL;
}

/* Computes the value of party l's table at a pseudonym, as docs/alignment.md specifies: the sum of
 * the shares of zero that l has with each other party. */
static uint64_t shares(const struct view *v, size_t l, const uint8_t *name)
{
	static const char label[] = "coterie align prf v1";
	uint8_t key[1][OKVS_KEY_LEN], prf[SECAGG_HASH_LEN];
	uint64_t value = 0;

	memcpy(key[0], name, OKVS_KEY_LEN);
	for (size_t j = 0; j < L; j++) {
		if (j == l)
			continue;
		secagg_pair_expand(v->m->slot[l].work.secagg, j,
				   (struct bytes){ (const uint8_t *)label, sizeof(label) - 1 },
				   prf);
		okvs_share(prf, (const uint8_t(*)[OKVS_KEY_LEN])key, 1, l < j ? 1 : -1, &value);
	}
	return value;
}

/* The coordinator has the sum of the given parties' unmasked tables. It cannot tell their ids from
 * other ids: no value in the sum is 0, and the value at an id of all given parties is predictable
 * only with the keys of party pairs. */
static void tables_of(const bool given[static L])
{
	uint8_t name[HMAC_LEN];
	struct view v;
	size_t ids = 0;

	see_some(&v, given);
	for (size_t l = 0; l < L; l++)
		for (size_t i = 0; i < v.m->slot[l].d.n; i++) {
			const char *id = v.m->slot[l].d.ids.id[i];
			bool of_these = true;
			uint64_t read, expected = 0;

			pseudonym(v.m, id, name);
			for (size_t j = 0; j < L; j++) {
				of_these = of_these && (!given[j] || has(&v, j, id));
				expected += given[j] ? shares(&v, j, name) : 0;
			}
			read = okvs_read(v.table, v.words, name);
			assert_int_not_equal(read, 0);
			assert_int_equal(read == expected, of_these);
			ids += of_these;
		}
	assert_true(ids >= ALL);
	look_away(&v);
}

TEST(a_table_alone)
{
	tables_of((const bool[L]){ true, false, false });
	tables_of((const bool[L]){ false, true, false });
	tables_of((const bool[L]){ false, false, true });
}

TEST(tables_of_some)
{
	tables_of((const bool[L]){ true, true, false });
	tables_of((const bool[L]){ true, false, true });
	tables_of((const bool[L]){ false, true, true });
}
