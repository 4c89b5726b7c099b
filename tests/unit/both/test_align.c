/* Nodes that parties do not all have: both halves agree on rows, and each learns its own alone. */
#include "party/align.h"
#include "server/align.h"
#include "tests/unit/both/federation.h"
#include "tests/unit/proto/samples.h"

#include "common/base/clock.h"
#include "common/base/rng.h"
#include "crypto/hmac.h"
#include "crypto/seal.h"
#include "proto/labels.h"

enum { MOST = 6, VALUES = 1000 };

/* ---- one alignment in memory ---- */

struct seat {
	struct work work;
	struct dataset d;
	uint32_t *row, *label;               /* d.n */
	uint8_t transcript[SECAGG_HASH_LEN]; /* as the sums that follow would take it */
	enum err result;
	char why[ERR_DETAIL_MAX];
	pthread_t thread;
};

struct meeting {
	struct federation f; /* names and keys */
	struct job job;
	struct run run;
	struct align a;
	uint32_t *label; /* of all rows */
	struct seat seat[MOST];
	struct buf heard; /* all that the coordinator received */
	enum err result;
	char why[ERR_DETAIL_MAX];
	pthread_t thread;
};

static struct job job_with(const char *ids)
{
	char text[160];
	struct job job;

	snprintf(text, sizeof(text),
		 "{\"kind\":\"fedspectral\",\"clusters\":3,\"allow_single\":true,\"ids\":\"%s\","
		 "\"secure_sum\":{\"group\":\"ffdhe2048\"}}",
		 ids);
	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "test", NULL));
	return job;
}

static void hear(void *arg, enum msg_type type, struct bytes body)
{
	struct meeting *m = arg;

	(void)type;
	buf_add(&m->heard, body.p, body.n);
}

static void sit_down(struct meeting *m, size_t l)
{
	struct federation *f = &m->f;
	struct seat *s = &m->seat[l];

	f->party[l].post = post_new(20);
	record_init(&f->party[l].record, "party", f->names[l]);
	s->work = (struct work){ .job = m->job,
				 .attempt = 1,
				 .L = f->server.L,
				 .own = l,
				 .channel = channel_new(f->party[l].post, PARTY, "hub"),
				 .post = f->party[l].post,
				 .record = &f->party[l].record,
				 .secagg = f->party[l].secagg,
				 .n = s->d.n };
	for (size_t j = 0; j < f->server.L; j++)
		snprintf(s->work.name[j], sizeof(s->work.name[j]), "%s", f->names[j]);
	channel_observe(s->work.channel, work_observe, &s->work);
	ALLOC(s->row, s->d.n);
	ALLOC(s->label, s->d.n);
}

/* Datasets are set. */
static void meet(struct meeting *m, size_t L, const char *ids)
{
	struct federation *f = &m->f;

	m->job = job_with(ids);
	f->server.L = L;
	f->server.post = post_new(20);
	record_init(&f->server.record, "coordinator", "hub");
	for (size_t l = 0; l < L; l++) {
		snprintf(f->names[l], sizeof(f->names[l]), "p%zx", l);
		f->server.name[l] = f->names[l];
		f->server.channel[l] = channel_new(f->server.post, COORD, f->names[l]);
		channel_observe(f->server.channel[l], hear, m);
	}
	federation_keys(f, L, &m->job);
	for (size_t l = 0; l < L; l++)
		sit_down(m, l);
	m->run = (struct run){ .job = m->job,
			       .attempt = 1,
			       .L = L,
			       .name = f->server.name,
			       .channel = f->server.channel,
			       .post = f->server.post,
			       .record = &f->server.record };
}

static void *serve(void *arg)
{
	struct meeting *m = arg;
	struct msg abort = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };

	m->result = server_align(&m->run, &m->a);
	if (m->result == ERR_OK) {
		ALLOC(m->label, m->run.n);
		for (size_t i = 0; i < m->run.n; i++)
			m->label[i] = (uint32_t)(7 * i % VALUES);
		m->result = server_own_labels(&m->run, &m->a, MSG_RESULT, 9, VALUES, m->label);
	}
	snprintf(m->why, sizeof(m->why), "%s", m->result ? err_detail() : "");
	for (size_t l = 0; l < m->run.L && m->result != ERR_OK; l++)
		(void)!channel_send(m->run.channel[l], &abort);
	return NULL;
}

static void *attend(void *arg)
{
	struct seat *s = arg;

	s->result = party_align(&s->work, &s->d, s->row);
	memcpy(s->transcript, s->work.transcript, sizeof(s->transcript));
	if (s->result == ERR_OK)
		s->result =
		    party_own_labels(&s->work, s->row, s->d.n, MSG_RESULT, 9, VALUES, s->label);
	snprintf(s->why, sizeof(s->why), "%s", s->result ? err_detail() : "");
	return NULL;
}

static void *attend_or_abort(void *arg)
{
	struct msg abort = { .type = MSG_ABORT, .abort = { .code = ERR_PEER } };
	struct seat *s = arg;

	attend(s);
	if (s->result != ERR_OK)
		(void)!channel_send(s->work.channel, &abort);
	return NULL;
}

static void hold(struct meeting *m)
{
	for (size_t l = 0; l < m->run.L; l++)
		channel_pair(m->run.channel[l], m->seat[l].work.channel);
	pthread_create(&m->thread, NULL, serve, m);
	for (size_t l = 0; l < m->run.L; l++)
		pthread_create(&m->seat[l].thread, NULL, attend_or_abort, &m->seat[l]);
	pthread_join(m->thread, NULL);
	for (size_t l = 0; l < m->run.L; l++)
		pthread_join(m->seat[l].thread, NULL);
	if (m->result != ERR_OK)
		fail_msg("coordinator: %s", m->why);
	for (size_t l = 0; l < m->run.L; l++)
		if (m->seat[l].result != ERR_OK)
			fail_msg("party %zu: %s", l, m->seat[l].why);
}

static void leave(struct meeting *m)
{
	for (size_t l = 0; l < m->run.L; l++) {
		channel_free(m->run.channel[l]);
		channel_free(m->seat[l].work.channel);
		post_free(m->f.party[l].post);
		record_release(&m->f.party[l].record);
		secagg_free(m->f.party[l].secagg);
		dataset_release(&m->seat[l].d);
		free(m->seat[l].row);
		free(m->seat[l].label);
	}
	post_free(m->f.server.post);
	record_release(&m->f.server.record);
	align_release(&m->a);
	buf_release(&m->heard);
	free(m->label);
	free(m);
}

/* ---- datasets ---- */

static void names_are(struct dataset *d, const char *lines)
{
	*d = (struct dataset){ .has_ids = true };
	if (*lines)
		assert_ok(ids_parse((struct bytes){ (const uint8_t *)lines, strlen(lines) }, "x",
				    &d->ids));
	d->n = d->ids.n;
}

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

/* One row for each id, and the other way round; rows are 0 .. n - 1, all of them. */
static void assert_one_row_each(const struct meeting *m)
{
	struct known *k = NULL;
	size_t count = 0, kept = 0;

	for (size_t l = 0; l < m->run.L; l++) {
		const struct seat *s = &m->seat[l];

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
		const struct seat *s = &m->seat[l];

		assert_int_equal(m->a.nodes[l], s->d.n);
		for (size_t i = 1; i < s->d.n; i++)
			assert_true(m->a.row[l][i - 1] < m->a.row[l][i]);
		for (size_t i = 0; i < s->d.n; i++)
			assert_int_equal(s->label[i], m->label[s->row[i]]);
		/* Everything that goes into masks is the same for all. */
		assert_memory_equal(s->transcript, m->seat[0].transcript, SECAGG_HASH_LEN);
	}
}

static const char *const kinds[] = { "hashed", "plain" };

/* n: of the union. */
static void check(const char *const *lines, size_t L, size_t n)
{
	for (int kind = 0; kind < 2; kind++) {
		struct meeting *m = alloc(1, sizeof(*m));

		for (size_t l = 0; l < L; l++)
			names_are(&m->seat[l].d, lines[l]);
		meet(m, L, kinds[kind]);
		hold(m);
		assert_int_equal(m->run.n, n);
		assert_one_row_each(m);
		assert_told(m);
		leave(m);
	}
}

static void overlaps(void **state)
{
	(void)state;
	check((const char *const[]){ "a\nb\nc\n", "b\nc\nd\n" }, 2, 4);
	check((const char *const[]){ "a\nb\nc\n", "c\na\nb\n", "b\nc\na\n" }, 3, 3);
	check((const char *const[]){ "a\n", "b\n", "c\n" }, 3, 3);
	check((const char *const[]){ "a\nab\nabc\n", "\xc3\xa9\nab\n" }, 2, 4);
	check((const char *const[]){ "a\nb\n" }, 1, 2);
}

static void parties_without_nodes(void **state)
{
	(void)state;
	check((const char *const[]){ "", "b\na\n", "" }, 3, 2);
	check((const char *const[]){ "b\na\n", "" }, 2, 2);
	check((const char *const[]){ "", "" }, 2, 0);
	check((const char *const[]){ "" }, 1, 0);
}

/* Without ids rows are called by their numbers, as edges count them. */
static void numbers_are_names(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct meeting *m = alloc(1, sizeof(*m));

		rows_are(&m->seat[0].d, 12, 0); /* 0 .. 11 */
		rows_are(&m->seat[1].d, 12, 1); /* 1 .. 12 */
		names_are(&m->seat[2].d, "12\n13\n07\n7\n");
		meet(m, 3, kinds[kind]);
		hold(m);
		assert_int_equal(m->run.n, 15);
		assert_one_row_each(m);
		assert_told(m);
		leave(m);
	}
}

/* Lists of several chunks, at several parties, in any order. */
static void many(void **state)
{
	enum { L = 5, N = 30000 };
	struct rng rng;

	(void)state;
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
			names_are(&m->seat[l].d, (const char *)lines.p);
			buf_release(&lines);
		}
		meet(m, L, kinds[kind]);
		hold(m);
		assert_int_equal(m->run.n, N);
		assert_one_row_each(m);
		assert_told(m);
		/* Neighbours by id are not neighbours by row: gaps say nothing. */
		for (size_t i = 1; i < N; i++)
			in_order += m->seat[0].row[i] == m->seat[0].row[i - 1] + 1;
		assert_true(in_order < 20);
		leave(m);
	}
}

static bool contains(const struct buf *b, const char *text)
{
	return b->n && memmem(b->p, b->n, text, strlen(text));
}

/* Hashed, the coordinator gets no id; and not the same hashes, nor rows, the next time. */
static void the_coordinator_sees_no_id(void **state)
{
	struct meeting *m[4];
	struct buf lines = { 0 };
	size_t same = 0;

	(void)state;
	for (int i = 0; i < 500; i++)
		buf_printf(&lines, "customer-%d\n", i);
	buf_add(&lines, "", 1);
	for (int k = 0; k < 4; k++) {
		m[k] = alloc(1, sizeof(*m[k]));
		names_are(&m[k]->seat[0].d, (const char *)lines.p);
		names_are(&m[k]->seat[1].d, "customer-7\nstranger\n");
		meet(m[k], 2, kinds[k / 2]);
		hold(m[k]);
		assert_true(contains(&m[k]->heard, "customer-7") == (k >= 2));
	}
	assert_int_equal(m[0]->heard.n, m[1]->heard.n);
	for (size_t i = 0; i + 8 <= m[0]->heard.n; i++) /* the list of party 0 is 8000 bytes */
		same += memcmp(m[0]->heard.p + i, m[1]->heard.p + i, 8) == 0;
	assert_true(same < 100); /* the heads of messages */
	for (int k = 0; k < 4; k += 2) {
		same = 0;
		for (size_t i = 0; i < 500; i++)
			same += m[k]->seat[0].row[i] == m[k + 1]->seat[0].row[i];
		assert_true(same < 20);
	}
	for (int k = 0; k < 4; k++)
		leave(m[k]);
	buf_release(&lines);
}

/* If they are told different numbers of nodes, no sum of theirs comes out. */
static void n_is_in_the_transcript(void **state)
{
	struct meeting *m[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		m[k] = alloc(1, sizeof(*m[k]));
		names_are(&m[k]->seat[0].d, "a\nb\n");
		names_are(&m[k]->seat[1].d, k ? "c\n" : "a\n");
		meet(m[k], 2, "plain");
		hold(m[k]);
	}
	assert_memory_not_equal(m[0]->seat[0].transcript, m[1]->seat[0].transcript,
				SECAGG_HASH_LEN);
	for (int k = 0; k < 2; k++)
		leave(m[k]);
}

/* ---- a hostile coordinator ---- */

static void deliver(struct channel *ch, const struct msg *m)
{
	struct buf body = { 0 };

	msg_encode(&body, m);
	channel_deliver(ch, m->type, &body, clock_now_s());
	buf_release(&body);
}

/* Party l of "a b c" and "b c d e", alone. */
static struct meeting *alone(const char *ids)
{
	struct meeting *m = alloc(1, sizeof(*m));

	names_are(&m->seat[0].d, "a\nb\nc\n");
	names_are(&m->seat[1].d, "b\nc\nd\ne\n");
	meet(m, 2, ids);
	return m;
}

static void tell_rows(struct seat *s, uint32_t group, uint32_t n, const uint32_t *row, size_t count)
{
	struct msg m = { .type = MSG_ROWS };
	uint8_t packed[64];

	labels_pack(packed, n, row, count);
	m.labels = (struct msg_labels){ .group = group,
					.values = n,
					.count = count,
					.packed = { packed, labels_bytes(n, count) } };
	deliver(s->work.channel, &m);
}

/* After that whatever comes is wrong. */
static void attend_to_the_end(struct seat *s)
{
	struct msg m = { .type = MSG_DONE };

	deliver(s->work.channel, &m);
	attend(s);
}

static void refuses_rows(const uint32_t *row, size_t count, uint32_t group, uint32_t n,
			 const char *why)
{
	struct meeting *m = alone("plain");
	struct seat *s = &m->seat[0];

	tell_rows(s, group, n, row, count);
	attend_to_the_end(s);
	if (s->result != ERR_PEER || !strstr(s->why, why))
		fail_msg("%u rows of %u: \"%s\", expected \"%s\"", (unsigned)count, n, s->why, why);
	assert_int_equal(s->work.n, 3); /* as it was */
	leave(m);
}

static void rows_that_cannot_be(void **state)
{
	static const uint32_t good[] = { 4, 0, 2 }, twice[] = { 4, 0, 4 }, none[] = { 4, 5, 0 },
			      four[] = { 0, 1, 2, 3 };
	struct meeting *m = alone("plain");

	(void)state;
	tell_rows(&m->seat[0], 0, 5, good, 3);
	attend_to_the_end(&m->seat[0]);
	assert_non_null(strstr(m->seat[0].why, "sent DONE, expected RESULT")); /* the control */
	assert_int_equal(m->seat[0].work.n, 5);
	leave(m);
	refuses_rows(twice, 3, 0, 5, "row 4 twice");
	refuses_rows(none, 3, 0, 5, "an id in none of 5 rows");
	refuses_rows(good, 3, 1, 5, "group 1");
	refuses_rows(good, 2, 0, 5, "count 2");
	refuses_rows(four, 4, 0, 5, "count 4");
	refuses_rows((const uint32_t[]){ 0, 1, 1 }, 3, 0, 2, "values 2"); /* fewer than here */
	refuses_rows((const uint32_t[]){ 0, 1, 2 }, 3, 0, (1 << 30) + 1, "values 1073741825");
	refuses_rows((const uint32_t[]){ 0, 1, 2 }, 3, 0, UINT32_MAX, "values 4294967295");
}

/* The most nodes that a message can say. */
static void more_nodes_than_memory(void **state)
{
	double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	(void)state;
	if (have >= 128 * 0x1p30)
		skip();
	refuses_rows((const uint32_t[]){ 0, 1, 2 }, 3, 0, 1 << 30,
		     "of 1073741824 nodes, which take 128.0 GiB at least");
}

/* Every message of the catalogue, smallest and largest, where SEALED or ROWS is due. */
static void other_messages(void **state)
{
	(void)state;
	for (int hashed = 0; hashed <= 1; hashed++)
		for (size_t t = 0; t < ALL_TYPES; t++)
			for (int largest = 0; largest <= 1; largest++) {
				struct meeting *m;
				struct seat *s;
				struct buf body = { 0 };
				size_t len;

				if (all_types[t] == MSG_PADDING) /* comes at any time */
					continue;
				m = alone(hashed ? "hashed" : "plain");
				s = &m->seat[1];
				body.p = sample_body(all_types[t], largest, &len);
				body.n = body.cap = len;
				channel_deliver(s->work.channel, all_types[t], &body,
						clock_now_s());
				buf_release(&body);
				attend_to_the_end(s);
				assert_true(s->result != ERR_OK);
				if (all_types[t] != MSG_ABORT && !strstr(s->why, "hub"))
					fail_msg("%s: %s", msg_name(all_types[t]), s->why);
				leave(m);
			}
}

/* what party 0 seals for party 1, with a change. */
static void sealed_with(uint16_t what, uint32_t from, uint32_t to, size_t len, int bit,
			const char *why)
{
	struct meeting *m = alone("hashed");
	struct seat *s = &m->seat[1];
	uint8_t key[64] = { 1, 2, 3 };
	struct buf box = { 0 };
	struct msg sealed = { .type = MSG_SEALED };

	seal_make(m->f.party[0].secagg, 1, SEALED_ID_KEY, (struct bytes){ key, len }, &box);
	if (bit >= 0)
		box.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	sealed.sealed = (struct msg_sealed){ what, from, to, { box.p, box.n } };
	deliver(s->work.channel, &sealed);
	attend_to_the_end(s);
	assert_int_equal(s->result, ERR_PEER);
	if (!strstr(s->why, why))
		fail_msg("\"%s\", expected \"%s\"", s->why, why);
	buf_release(&box);
	leave(m);
}

static void keys_that_are_not_sealed_for_us(void **state)
{
	(void)state;
	sealed_with(SEALED_ID_KEY, 0, 1, 32, -1, "sent DONE, expected ROWS"); /* the control */
	sealed_with(SEALED_ID_KEY + 1, 0, 1, 32, -1, "passed on SEALED 2 of party 0 to party 1");
	sealed_with(SEALED_ID_KEY, 1, 1, 32, -1, "of party 1 to party 1");
	sealed_with(SEALED_ID_KEY, 0, 0, 32, -1, "of party 0 to party 0");
	sealed_with(SEALED_ID_KEY, 0, 1, 31, -1, "with 47 bytes");
	sealed_with(SEALED_ID_KEY, 0, 1, 33, -1, "with 49 bytes");
	sealed_with(SEALED_ID_KEY, 0, 1, 32, 0, "sealed message of p0: it does not open");
	sealed_with(SEALED_ID_KEY, 0, 1, 32, 8 * 47 + 7, "sealed message of p0: it does not open");
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, MSG_ID_HASH_LEN);
}

/* What a party sends, to the byte: the first half of HMAC-SHA256 by the key it was given, sorted.
 */
static void hashes_as_specified(void **state)
{
	static const char *const own[] = { "b", "c", "d", "e" };
	struct meeting *m = alone("hashed");
	struct seat *s = &m->seat[1];
	uint8_t key[32] = { 1, 2, 3 }, want[4][MSG_ID_HASH_LEN], mac[HMAC_LEN];
	struct hmac *h = hmac_new((struct bytes){ key, sizeof(key) });
	struct buf body = { 0 };
	struct msg sealed = { .type = MSG_SEALED }, ids;
	enum msg_type type;

	(void)state;
	for (int i = 0; i < 4; i++) {
		hmac_add(h, own[i], 1);
		hmac_end(h, mac);
		memcpy(want[i], mac, MSG_ID_HASH_LEN);
	}
	qsort(want, 4, MSG_ID_HASH_LEN, by_bytes);
	seal_make(m->f.party[0].secagg, 1, SEALED_ID_KEY, (struct bytes){ key, sizeof(key) },
		  &body);
	sealed.sealed = (struct msg_sealed){ SEALED_ID_KEY, 0, 1, { body.p, body.n } };
	deliver(s->work.channel, &sealed);
	attend_to_the_end(s);
	assert_true(channel_take(s->work.channel, &type, &body));
	assert_int_equal(type, MSG_IDS);
	assert_ok(msg_decode(&ids, MSG_IDS, (struct bytes){ body.p, body.n }));
	assert_int_equal(ids.ids.count, 4);
	assert_int_equal(ids.ids.offset, 0);
	assert_int_equal(ids.ids.packed.n, sizeof(want));
	assert_memory_equal(ids.ids.packed.p, want, sizeof(want));
	buf_release(&body);
	hmac_free(h);
	leave(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlaps),
		cmocka_unit_test(parties_without_nodes),
		cmocka_unit_test(numbers_are_names),
		cmocka_unit_test(many),
		cmocka_unit_test(the_coordinator_sees_no_id),
		cmocka_unit_test(n_is_in_the_transcript),
		cmocka_unit_test(rows_that_cannot_be),
		cmocka_unit_test(more_nodes_than_memory),
		cmocka_unit_test(other_messages),
		cmocka_unit_test(keys_that_are_not_sealed_for_us),
		cmocka_unit_test(hashes_as_specified),
	};

	federation_quiet();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
