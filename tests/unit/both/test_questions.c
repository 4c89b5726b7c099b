/* A question is the hash from which a party derives the noise of one result; equal questions get
 * equal noise (tests/unit/party/work/test_noise.c). A job of each kind with noise runs twice in
 * memory with one input changed, and the test compares party 1's questions. Questions before the
 * change arrives must be equal; all later questions must differ. An input that no noise depends on
 * changes no question. */
#include "common/data/dataset.h"
#include "crypto/numbering.h"
#include "tests/unit/both/wire.h"

enum { L = 3, VICTIM = 1, NODES = 40, EDGES = 160, ROWS = 60, COLUMNS = 3, QUESTIONS = 64 };

/* Party 1's questions, and the number of messages that it had received before each of them. */
struct asked {
	size_t questions, heard, passed;
	uint8_t hash[QUESTIONS][SECAGG_HASH_LEN];
	size_t before[QUESTIONS];
	/* change: number of the changed message, or SIZE_MAX for none; at: the changed byte,
	 * counted from the end */
	size_t change, at;
};

struct scene {
	const char *job;
	/* graph: data are edges; hosted: vertices are hosted; aligned: the coordinator numbers the
	 * nodes */
	bool graph, hosted, aligned;
	/* each node has two of party 1's edges, so that its degrees do not depend on the
	 * numbering */
	bool ring;
	bool in_sums;
	size_t questions; /* least number of questions in a run */
};

#define QUICK "\"secure_sum\":{\"group\":\"x25519\"}"

static const struct scene scenes[] = {
	{ "{" QUICK ",\"kind\":\"fedspectral\",\"clusters\":3,\"rounds\":3,\"noise\":{\"on\":"
	  "\"sums\",\"eps\":4,"
	  "\"delta\":1e-5}}",
	  true, false, true, false, true, 8 },
	{ "{" QUICK ",\"kind\":\"fedspectral\",\"clusters\":3,\"rounds\":3,\"ids\":\"plain\","
	  "\"noise\":{\"on\":\"sums\","
	  "\"eps\":4,\"delta\":1e-5}}",
	  true, false, true, true, true, 8 },
	{ "{" QUICK ",\"kind\":\"fedwalk\",\"mode\":\"randomized-response\",\"eps\":2}", true, true,
	  true, false, false, 1 },
	{ "{" QUICK ",\"kind\":\"fedwalk\",\"walks\":2,\"length\":4,\"window\":2}", true, true,
	  true, false, false, 1 },
	{ "{" QUICK ",\"kind\":\"kmeans\",\"clusters\":3,\"iterations\":6,\"noise\":{\"on\":"
	  "\"sums\",\"eps\":20,"
	  "\"delta\":1e-5,\"clip\":20}}",
	  false, false, false, false, true, 12 },
	{ "{" QUICK ",\"kind\":\"kmeans\",\"clusters\":3,\"noise\":{\"on\":\"data\",\"eps\":20,"
	  "\"delta\":1e-5,\"clip\":20}}",
	  false, false, false, false, false, 1 },
	{ "{" QUICK ",\"kind\":\"fedsc\",\"clusters\":3,\"iterations\":6,\"noise\":{"
	  "\"on\":\"sums\",\"eps\":30,"
	  "\"delta\":1e-5,\"clip\":20}}",
	  false, false, false, false, true, 12 },
	{ "{" QUICK ",\"kind\":\"kmeans\",\"clusters\":3,\"profile\":true}", false, false, false,
	  false, true, 1 },
};
enum { SCENES = sizeof(scenes) / sizeof(*scenes) };

static char *state[L];
static const uint8_t data_digest[SHA256_LEN] = { 1 }, other_digest[SHA256_LEN] = { 2 };
static const uint8_t first_numbers[NUMBERING_KEY_LEN] = { 3 },
		     other_numbers[NUMBERING_KEY_LEN] = { 4 };

static int set_up(void **unused)
{
	(void)unused;
	federation_quiet();
	for (size_t l = 0; l < L; l++)
		lab_dir(state[l] = alloc(1, 64));
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	for (size_t l = 0; l < L; l++)
		lab_remove(state[l]), free(state[l]);
	return 0;
}

/* ---- data ---- */

/* Every party knows all nodes. Each party has its own edges, or the ties of its hosted vertices. */
static void make_graph(struct dataset *d, size_t l, const struct scene *s)
{
	struct triple *t = alloc(2 * EDGES, sizeof(*t));
	struct buf names = { 0 };
	size_t count = 0;
	struct rng rng;
	bool hosted = s->hosted, ring = s->ring && l == VICTIM;
	struct csr a;

	*d = (struct dataset){ .has_ids = true, .n = NODES };
	for (size_t i = 0; i < NODES; i++)
		buf_printf(&names, "node%02zu\n", i);
	assert_ok(ids_parse((struct bytes){ names.p, names.n }, "test", &d->ids));
	buf_release(&names);
	if (hosted)
		ALLOC(d->hosted, NODES);
	for (size_t i = 0; hosted && i < NODES; i++)
		d->hosted[i] = i % L == l;
	rng_seed(&rng, 5, 0);
	for (size_t e = 0; e < EDGES; e++) {
		uint32_t i = (uint32_t)rng_below(&rng, NODES), j = (uint32_t)rng_below(&rng, NODES);

		if (ring && e < NODES)
			i = (uint32_t)e, j = (i + 1) % NODES;
		else if (ring || i == j ||
			 (hosted ? i % L != l && j % L != l : (i * 7 + j * 7) % L != l))
			continue;
		t[count++] = (struct triple){ i, j, 1 };
		t[count++] = (struct triple){ j, i, 1 };
	}
	csr_from_triples(&a, NODES, NODES, t, count);
	graph_init(&d->g, &a);
	free(t);
}

static void make_rows(struct features *X, size_t l, double shift)
{
	struct rng rng;

	*X = (struct features){ 0 };
	mat_init(&X->dense, ROWS, COLUMNS);
	rng_seed(&rng, 6, l);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t j = 0; j < COLUMNS; j++)
			MAT(&X->dense, i, j) = 5 * (double)((i + j) % 3) + rng_normal(&rng) + shift;
}

/* ---- a run ---- */

static void hear(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct asked *a = arg;

	(void)l;
	(void)body;
	a->heard += type != MSG_SEALED;
}

static void ask(void *arg, size_t own, uint32_t release, const uint8_t *question)
{
	struct asked *a = arg;

	if (own != VICTIM)
		return;
	assert_int_equal(release, a->questions);
	assert_true(a->questions < QUESTIONS);
	memcpy(a->hash[a->questions], question, SECAGG_HASH_LEN);
	a->before[a->questions++] = a->heard;
}

static void pass(void *arg, size_t l, enum msg_type type, struct buf *body)
{
	struct asked *a = arg;

	if (l != VICTIM || !(msg_sender(type) & COORD) || type == MSG_SEALED || type == MSG_TOLD ||
	    type == MSG_ABORT || type == MSG_DONE)
		return;
	if (a->passed++ == a->change && body->n >= a->at)
		body->p[body->n - a->at] ^= 1;
}

struct inputs {
	size_t parties;
	const uint8_t *numbers, *digest;
	double shift; /* added to party 0's rows */
};
static const struct inputs same = { L, first_numbers, data_digest, 0 };

static void play(const struct scene *s, const struct inputs *in, struct asked *a)
{
	struct wire w = { .pass = pass, .arg = a };
	struct dataset party[L];
	struct federation f;
	struct job job;

	assert_ok(job_parse(&job, (struct bytes){ (const uint8_t *)s->job, strlen(s->job) }, "test",
			    NULL));
	federation_frame(&f, s->graph ? 0 : ROWS, in->parties, &job);
	for (size_t l = 0; l < in->parties; l++) {
		struct half *h = &f.party[l];

		federation_seat(&f, l, s->graph ? NODES : ROWS);
		party[l] = (struct dataset){ 0 };
		if (s->graph)
			make_graph(&party[l], l, s);
		else
			make_rows(&h->X, l, l == 0 ? in->shift : 0);
		h->dataset = s->graph ? &party[l] : NULL;
		h->min_cluster = 2;
		h->columns = COLUMNS;
		h->state = state[l];
		h->data_hash = l == VICTIM ? in->digest : data_digest;
		h->saw_arg = a;
		h->saw = l == VICTIM ? hear : NULL;
		h->asked = ask;
	}
	f.server.columns = s->graph ? 0 : COLUMNS;
	f.server.numbers = in->numbers;
	federation_keys(&f, in->parties, &job);
	wire_federation_run(&w, &f);
	if (a->change == SIZE_MAX && f.server.result != ERR_OK)
		fail_msg("%s: %s", s->job, f.server.why);
	federation_release(&f);
	for (size_t l = 0; l < in->parties; l++)
		if (s->graph)
			dataset_release(&party[l]);
}

static bool differs(const struct asked *a, const struct asked *b, size_t q)
{
	return memcmp(a->hash[q], b->hash[q], SECAGG_HASH_LEN) != 0;
}

/* The questions of the two runs must be equal before question `from`, and differ from there on. */
static void check_from(const struct scene *s, const struct asked *a, const struct asked *b,
		       size_t from, const char *what)
{
	for (size_t q = 0; q < a->questions && q < b->questions; q++)
		if (differs(a, b, q) != (q >= from))
			fail_msg("%s, %s: question %zu is %s", s->job, what, q,
				 q >= from ? "the same" : "another");
}

static struct asked asked_of(const struct scene *s, const struct inputs *in)
{
	struct asked a = { .change = SIZE_MAX };

	play(s, in, &a);
	assert_true(a.questions >= (in->parties == L ? s->questions : 1));
	return a;
}

static void test_same_inputs(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < SCENES; i++) {
		struct asked a = asked_of(&scenes[i], &same), b = asked_of(&scenes[i], &same);

		assert_int_equal(a.questions, b.questions);
		check_from(&scenes[i], &a, &b, QUESTIONS, "twice");
		for (size_t q = 0; q < a.questions; q++)
			for (size_t p = 0; p < q; p++)
				assert_memory_not_equal(a.hash[p], a.hash[q], SECAGG_HASH_LEN);
	}
}

static void test_other_inputs(void **unused)
{
	const struct inputs renumbered = { L, other_numbers, data_digest, 0 },
			    other_data = { L, first_numbers, other_digest, 0 },
			    fewer = { L - 1, first_numbers, data_digest, 0 },
			    other_party = { L, first_numbers, data_digest, 1 };

	(void)unused;
	for (size_t i = 0; i < SCENES; i++) {
		const struct scene *s = &scenes[i];
		struct asked a = asked_of(s, &same), b = asked_of(s, &renumbered);
		size_t from = 0;

		check_from(s, &a, &b, s->aligned ? 0 : QUESTIONS, "renumbered");
		b = asked_of(s, &other_data);
		check_from(s, &a, &b, 0, "other data");
		if (!s->hosted) {
			b = asked_of(s, &fewer);
			check_from(s, &a, &b, s->in_sums ? 0 : QUESTIONS, "fewer parties");
		}
		if (s->graph)
			continue;
		/* The questions differ after a sum with party 0's rows. */
		b = asked_of(s, &other_party);
		while (from < a.questions && !differs(&a, &b, from))
			from++;
		check_from(s, &a, &b, from, "another party's rows");
		assert_true(!s->in_sums || from < a.questions);
	}
}

/* Changes each message to party 1 in turn: one bit of its last byte, or of the 4th or 8th byte from
 * its end. */
static void test_each_message(void **unused)
{
	static const size_t at[] = { 1, 4, 8 };

	(void)unused;
	for (size_t i = 0; i < SCENES; i++) {
		struct asked a = asked_of(&scenes[i], &same);

		for (size_t change = 0; change < a.passed; change++)
			for (size_t k = 0; k < sizeof(at) / sizeof(*at); k++) {
				struct asked b = { .change = change, .at = at[k] };
				size_t from = 0;
				char what[64];

				if (!in_sample(i + change + k, sizeof(at) / sizeof(*at)))
					continue;
				play(&scenes[i], &same, &b);
				while (from < a.questions && a.before[from] <= change)
					from++;
				snprintf(what, sizeof(what), "message %zu, byte -%zu", change,
					 at[k]);
				check_from(&scenes[i], &a, &b, from, what);
			}
	}
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_inputs),
		cmocka_unit_test(test_other_inputs),
		cmocka_unit_test(test_each_message),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
