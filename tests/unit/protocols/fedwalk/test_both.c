/* Runs FedWalk with a coordinator and parties that exchange messages. Embeddings separate the
 * classes, walks take the expected number of messages, the coordinator sees no id, and changed
 * messages are refused. */
#include "protocols/fedwalk/job.h"
#include "tests/unit/protocols/fedwalk/casting.h"
#include "tests/unit/protocols/fedspectral/parts.h"

enum { NODES = 120, CLASSES = 3, ALONE = 4, DIMS = FEDWALK_DIMS };

static struct csr graph;
static uint32_t truth[NODES];

static int plant(void **state)
{
	(void)state;
	federation_quiet();
	parts_planted(&graph, NODES, CLASSES, 900, 0.05, ALONE, truth);
	return 0;
}

static int uproot(void **state)
{
	(void)state;
	csr_release(&graph);
	return 0;
}

/* ---- parties and their vertices ---- */

static size_t by_turns(size_t i, size_t L)
{
	return i % L;
}

static size_t by_class(size_t i, size_t L)
{
	return truth[i] % L;
}

static struct job job_with(const char *settings)
{
	static const char text[] =
	    "{\"kind\":\"fedwalk\",\"allow_single\":true,\"walks\":20,\"length\":12,\"window\":4,"
	    "\"secure_sum\":{\"group\":\"x25519\"}}";

	return job_of(text, sizeof(text) - 1, settings);
}

static struct stage *stage_open(struct cast c, const char *settings)
{
	struct job job = job_with(settings);

	c.A = &graph;
	return stage_open_job(c, &job);
}

static struct stage *stage_run(struct cast c, const char *settings)
{
	struct stage *s = stage_open(c, settings);

	federation_run(&s->f);
	return s;
}

static double fact(const struct half *h, const char *name)
{
	for (size_t i = 0; i < h->record.facts.count; i++)
		if (!strcmp(h->record.facts.item[i].name, name) && h->record.facts.item[i].values)
			return h->record.facts.item[i].value[0];
	fail_msg("no fact %s", name);
	return 0;
}

/* ---- results of a run ---- */

static double cosine(const float *a, const float *b)
{
	double ab = 0, aa = 0, bb = 0;

	for (size_t j = 0; j < DIMS; j++) {
		ab += (double)a[j] * (double)b[j];
		aa += (double)a[j] * (double)a[j];
		bb += (double)b[j] * (double)b[j];
	}
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* Returns the share of vertices with ties whose most similar vertex has the same class. */
static double share_of_own_class(const float *x)
{
	size_t linked = NODES - ALONE, right = 0;

	for (size_t i = 0; i < linked; i++) {
		size_t best = i;
		double most = -2;

		for (size_t j = 0; j < linked; j++) {
			double c = j == i ? -2 : cosine(x + i * DIMS, x + j * DIMS);

			if (c > most) {
				most = c;
				best = j;
			}
		}
		right += truth[best] == truth[i];
	}
	return (double)right / (double)linked;
}

/* Checks that embeddings separate the classes and are zero for vertices without ties. The
 * coordinator has them only if the job keeps them. */
static void check_embeddings(const struct stage *s, double least)
{
	float *x = alloc(NODES * DIMS, sizeof(*x));

	gather(s, x);
	if (share_of_own_class(x) < least)
		fail_msg("%g of the vertices are nearest to one of their class, expected %g",
			 share_of_own_class(x), least);
	for (size_t i = (NODES - ALONE) * DIMS; i < NODES * DIMS; i++)
		assert_true(x[i] == 0);
	assert_int_equal(s->f.server.embedding != NULL, fedwalk_job(&s->job)->keep_embeddings);
	assert_int_equal(s->f.server.n, NODES);
	free(x);
}

/* Returns the expected number of messages of a walk of l tokens, E_l = 1 + p E_(l-2) + (1-p)
 * E_(l-1) (equation 19 of the FedWalk paper). The predictor is asked with probability p and always
 * answers. */
static double expected_messages(unsigned l, double p)
{
	double e[1024] = { 0, 0, 1 };

	for (unsigned i = 3; i <= l; i++)
		e[i] = 1 + p * e[i - 2] + (1 - p) * e[i - 1];
	return e[l];
}

/* Checks that the mean number of messages of the walks is the expected one within 1 % (exactly if p
 * is 0), and that all sent messages arrived. */
static void check_messages(const struct stage *s)
{
	const struct half *hub = &s->f.server;
	double expected = expected_messages(fedwalk_job(&s->job)->length, fedwalk_job(&s->job)->p);
	double walks = (NODES - ALONE) * (double)fedwalk_job(&s->job)->walks;

	assert_true(fact(hub, "walks") == walks);
	assert_near(fact(hub, "messages_per_walk"), expected,
		    fedwalk_job(&s->job)->p > 0 ? 0.01 * expected : 1e-9);
	assert_true(fact(hub, "messages_crossing") == fact(hub, "messages_came"));
	assert_true((fact(hub, "messages_crossing") > 0) == (s->cast.L > 1));
	for (size_t l = 0; l < s->cast.L; l++)
		assert_true(fact(&s->f.party[l], "messages") == fact(hub, "messages"));
}

TEST(test_walks)
{
	static const char *const settings[] = { "",
						"p=0",
						"p=1 keep_embeddings=false",
						"p=0.5 ids=plain",
						"dissimilarity=dtw",
						"dissimilarity=dtw dtw_rows=4" };

	for (size_t L = 1; L <= 4; L += L < 2 ? 1 : 2)
		for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
			struct stage *s =
			    stage_run((struct cast){ .L = L, .host = i % 2 ? by_class : by_turns },
				      settings[i]);

			assert_done(s);
			check_embeddings(
			    s, fedwalk_job(&s->job)->p < 1 ? 0.9 : 0.55); /* chance gives 0.33 */
			if (L < 3 ||
			    i % 2 == 0) /* by_class leaves one of 4 parties without vertices */
				check_messages(s);
			assert_true(fact(&s->f.server, "ties") == graph.start[NODES] / 2.0);
			assert_true(fact(&s->f.server, "isolated") == ALONE);
			assert_true(fact(&s->f.server, "one_sided_ties") == 0);
			if (fedwalk_job(&s->job)->p <
			    1) { /* with p = 1 every second token is predicted, not a neighbour */
				assert_true(fact(&s->f.server, "attack_recall") > 0.8);
				assert_true(fact(&s->f.server, "attack_precision") > 0.8);
			}
			stage_end(s);
		}
}

/* boxes that the coordinator received: [0] without walks, [1] with walks */
static size_t sealed[2];
static size_t summed; /* masked sums that the coordinator received */

static void count_boxes(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	(void)arg;
	(void)l;
	summed += type == MSG_MASKED;
	if (type == MSG_SEALED)
		sealed[body.p[1] == SEALED_WALKS]++;
}

TEST(test_response)
{
	struct stage *s = stage_open((struct cast){ .L = 3, .host = by_turns },
				     "mode=randomized-response eps=12");
	double ties = 0, right = 0;

	memset(sealed, 0, sizeof(sealed));
	summed = 0;
	s->f.server.saw = count_boxes;
	federation_run(&s->f);
	assert_done(s);
	check_embeddings(s, 0.9);
	/* Two parties get a key each; all pairs exchange directories and ties. */
	assert_int_equal(sealed[0], 2 + 6 + 6);
	assert_int_equal(sealed[1], 0);
	assert_int_equal(summed, 0); /* parties send the reports of ties and no sums */
	assert_true(fact(&s->f.server, "attack_recall") > 0.99);
	assert_near(fact(&s->f.server, "ties_expected"), graph.start[NODES] / 2.0, 2);
	for (size_t l = 0; l < 3; l++) {
		ties += fact(&s->f.party[l], "own_ties");
		right += fact(&s->f.party[l], "own_reports_right");
	}
	assert_true(ties == graph.start[NODES] / 2.0 && right > ties - 2);
	stage_end(s);
	s = stage_run((struct cast){ .L = 2, .host = by_turns },
		      "mode=randomized-response eps=0.5");
	assert_done(s);
	/* At eps 0.5 about two of five pairs are reported wrongly, so the reports predict ties
	 * badly. */
	assert_true(fact(&s->f.server, "reported") > 0.35 * NODES * NODES / 2);
	assert_true(fact(&s->f.server, "attack_precision") * fact(&s->f.server, "attack_recall") <
		    0.2);
	stage_end(s);
}

/* ---- incomplete and inconsistent data ---- */

static bool lower_alone(size_t l, size_t i, size_t j)
{
	(void)j;
	return l == i % 2;
}

/* A tie between two parties counts even if only one of them has it. */
TEST(test_one_sided)
{
	struct stage *s =
	    stage_run((struct cast){ .L = 2, .host = by_turns, .tells = lower_alone }, "p=0");
	double crossing = 0;

	assert_done(s);
	for (uint32_t i = 0; i < NODES; i++)
		for (size_t e = graph.start[i]; e < graph.start[i + 1]; e++)
			crossing += i < graph.index[e] && (i + graph.index[e]) % 2;
	assert_true(crossing > 0);
	assert_true(fact(&s->f.server, "one_sided_ties") == crossing);
	assert_true(fact(&s->f.server, "ties") == graph.start[NODES] / 2.0);
	check_messages(s);
	stage_end(s);
}

TEST(test_strangers)
{
	struct stage *s =
	    stage_run((struct cast){ .L = 3, .host = by_turns, .strangers = true }, "");

	assert_done(s);
	assert_true(fact(&s->f.server, "unhosted_ties") == 3);
	assert_true(fact(&s->f.server, "vertices") == NODES);
	assert_true(fact(&s->f.server, "ties") == graph.start[NODES] / 2.0);
	stage_end(s);
}

static void fails(struct stage *s, enum err code, const char *why)
{
	federation_run(&s->f);
	assert_int_equal(s->f.server.result, code);
	if (!strstr(s->f.server.why, why))
		fail_msg("\"%s\", expected \"%s\"", s->f.server.why, why);
	for (size_t l = 0; l < s->cast.L; l++)
		assert_int_equal(s->f.party[l].result, code);
	stage_end(s);
}

static bool nothing(size_t l, size_t i, size_t j)
{
	(void)l;
	(void)i;
	(void)j;
	return false;
}

TEST(test_refused)
{
	fails(stage_open((struct cast){ .L = 3, .host = by_turns, .twice = 7 }, ""), ERR_INPUT,
	      "p0 and p1 both claim 3 of the same vertices"); /* the vertices 0, 3 and 6 */
	fails(stage_open((struct cast){ .L = 2, .host = by_turns, .tells = nothing }, ""), ERR_JOB,
	      "no party's vertices have ties");
}

/* ---- data that the coordinator sees ---- */

struct sight {
	size_t seen, bytes;
};

static void look_for_ids(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct sight *sight = arg;

	(void)l;
	(void)type;
	sight->bytes += body.n;
	sight->seen += body.n && memmem(body.p, body.n, "vertex", 6) != NULL;
}

TEST(test_sight)
{
	for (int plain = 0; plain < 2; plain++) {
		struct stage *s =
		    stage_open((struct cast){ .L = 3, .host = by_turns }, plain ? "ids=plain" : "");
		struct sight sight = { 0 };

		s->f.server.saw = look_for_ids;
		s->f.server.saw_arg = &sight;
		federation_run(&s->f);
		assert_done(s);
		assert_true(sight.bytes > 100000);
		assert_int_equal(sight.seen > 0, plain); /* the search finds only plain ids */
		stage_end(s);
	}
}

/* ---- changed messages ---- */

/* Flips a bit in message `nth` of this type that the coordinator receives from party `from` or,
 * with at_party, that party `from` receives. */
struct change {
	enum msg_type type;
	size_t nth, from;
	bool at_party;
	size_t L;    /* number of parties; 0 means 3 */
	size_t byte; /* counted from the end: 0 is the last byte */
	size_t came;
};

static void change(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct change *c = arg;

	if (type == c->type && l == c->from && c->came++ == c->nth)
		((uint8_t *)(uintptr_t)body.p)[body.n - 1 - c->byte] ^= 0x40;
}

static void check_change(struct change c, const char *settings, const char *why)
{
	struct stage *s =
	    stage_open((struct cast){ .L = c.L ? c.L : 3, .host = by_turns }, settings);
	struct half *h = c.at_party ? &s->f.party[c.from] : &s->f.server;

	h->saw = change;
	h->saw_arg = &c;
	federation_run(&s->f);
	assert_true(c.came > c.nth);
	assert_int_equal(s->f.server.result, ERR_PEER);
	if (!federation_says(&s->f, c.L ? c.L : 3, why))
		fail_msg("\"%s\", expected \"%s\"", s->f.server.why, why);
	stage_end(s);
}

/* Party 1 sends boxes with its directory, its ties and its walks to parties 0 and 2. */
TEST(test_changed_box_is_refused)
{
	static const char no_opening[] = "sealed message of p1: it does not open";

	for (size_t nth = 0; nth < 8; nth++) {
		check_change((struct change){ .type = MSG_SEALED, .nth = nth, .from = 1 }, "",
			     no_opening);
		check_change(
		    (struct change){ .type = MSG_SEALED, .nth = nth, .from = 1, .byte = 100 }, "",
		    no_opening);
	}
	check_change((struct change){ .type = MSG_BLOCK, .at_party = true, .L = 1 }, "bins=1",
		     "sent a dictionary whose row");
	check_change(
	    (struct change){ .type = MSG_LISTS, .nth = 2, .from = 2, .at_party = true, .byte = 3 },
	    "", "hub sent LISTS");
	check_change((struct change){ .type = MSG_TREE, .from = 1, .at_party = true, .byte = 40 },
		     "", "hub sent TREE");
	check_change((struct change){ .type = MSG_TIES, .from = 2, .byte = 3 }, "dissimilarity=dtw",
		     "p2 sent TIES");
	check_change((struct change){ .type = MSG_TIES, .from = 0, .byte = 3 },
		     "mode=randomized-response", "p0 sent TIES");
}

TESTS_BETWEEN(plant, uproot)
