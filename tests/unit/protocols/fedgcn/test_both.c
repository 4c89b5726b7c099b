/* Runs FedGCN with a coordinator and parties that exchange messages. Each side leaves models that
 * equal those of parties in memory bit for bit, and refuses messages that are not due. */
#include "common/base/file.h"
#include "common/base/sanitized.h"
#include "protocols/fedgcn/file.h"
#include "common/data/labels.h"
#include "protocols/fedgcn/job.h"
#include "protocols/fedgcn/coordinator.h"
#include "common/cluster/metrics.h"
#include "common/learn/gin.h"
#include "tests/unit/both/changed_sums.h"
#include "tests/unit/protocols/kcagc/products.h"

#include <math.h>
#include <unistd.h>

enum { PARTIES = 3, GRAPHS = 24, CLASSES = 2 };

/* ---- two classes of graphs: rings, and rings with chords ---- */

static struct graphs owned[PARTIES];
static uint32_t truth[PARTIES][GRAPHS];
static char dir[64], output[PARTIES + 1][96];

static size_t add(struct triple *t, size_t edges, size_t u, size_t v)
{
	t[edges] = (struct triple){ (uint32_t)u, (uint32_t)v, 1 };
	t[edges + 1] = (struct triple){ (uint32_t)v, (uint32_t)u, 1 };
	return edges + 2;
}

static void plant_party(size_t l, struct graphs *g)
{
	struct triple t[GRAPHS * 16 * 4];
	size_t edges = 0;

	*g = (struct graphs){ .count = GRAPHS };
	ALLOC(g->first, GRAPHS + 1);
	for (size_t i = 0; i < GRAPHS; i++) {
		size_t first = g->first[i], n = 7 + (i * 5 + l) % 8;

		truth[l][i] = i % CLASSES;
		for (size_t u = 0; u < n; u++) {
			edges = add(t, edges, first + u, first + (u + 1) % n);
			if (truth[l][i])
				edges = add(t, edges, first + u, first + (u + 2) % n);
		}
		g->first[i + 1] = first + n;
	}
	csr_from_triples(&g->A, g->first[GRAPHS], g->first[GRAPHS], t, edges);
	free(g->A.value);
	g->A.value = NULL;
}

static int plant(void **state)
{
	(void)state;
	lab_dir(dir);
	for (size_t l = 0; l <= PARTIES; l++) {
		snprintf(output[l], sizeof(output[l]), "%s/out-%zu", dir, l);
		assert_ok(file_make_dirs(output[l]));
	}
	for (size_t l = 0; l < PARTIES; l++)
		plant_party(l, &owned[l]);
	return 0;
}

static int uproot(void **state)
{
	char command[160];

	(void)state;
	for (size_t l = 0; l < PARTIES; l++)
		graphs_release(&owned[l]);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static struct job job_with(const char *settings)
{
	static const char text[] =
	    "{\"kind\":\"fedgcn\",\"clusters\":2,\"allow_single\":true,\"rounds\":2,\"epochs\":2,"
	    "\"batch\":16,\"baselines\":\"off\",\"secure_sum\":{\"group\":\"x25519\"}}";

	return job_of(text, sizeof(text) - 1, settings);
}

/* ---- a federation ---- */

static const struct plan nothing = { .n = GRAPHS, .m = FED_MAX, .seed = 1, .noise = 1 };

struct stage {
	struct planted unused;
	struct job job;
	struct federation f;
};

static void seat_all(struct federation *f)
{
	for (size_t l = 0; l < f->server.L; l++) {
		f->party[l].graphs = &owned[l];
		f->party[l].output = output[l];
	}
	f->server.output = output[PARTIES];
}

static void forget_models(void)
{
	for (size_t l = 0; l <= PARTIES; l++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/model.fedgcn", output[l]);
		unlink(path);
	}
}

static struct stage *stage_open(size_t L, const char *settings)
{
	struct stage *s = alloc(1, sizeof(*s));

	forget_models();
	planted_make(&s->unused, &nothing);
	s->job = job_with(settings);
	federation_init(&s->f, &s->unused, L, &s->job);
	seat_all(&s->f);
	return s;
}

static struct stage *stage_run(size_t L, const char *settings)
{
	struct stage *s = stage_open(L, settings);

	federation_run(&s->f);
	return s;
}

static void stage_succeeded(const struct stage *s)
{
	if (s->f.server.result != ERR_OK)
		fail_msg("coordinator: %s", s->f.server.why);
	for (size_t l = 0; l < s->f.server.L; l++)
		if (s->f.party[l].result != ERR_OK)
			fail_msg("party %zu: %s", l, s->f.party[l].why);
}

static void stage_end(struct stage *s)
{
	federation_release(&s->f);
	planted_release(&s->unused);
	free(s);
}

static const struct fact *fact(const struct half *h, const char *name)
{
	for (size_t i = 0; i < h->record.facts.count; i++)
		if (!strcmp(h->record.facts.item[i].name, name))
			return &h->record.facts.item[i];
	return NULL;
}

/* ---- the same run in memory, without masks ---- */

struct twin_graphs {
	struct fedgcn_party party[PARTIES];
	struct fedgcn_report report;
};

static void twin_run(struct twin_graphs *t, size_t L, const struct job *job)
{
	struct memory memory = { .kind = &fedgcn_in_memory,
				 .party = t->party,
				 .count = L,
				 .fraction_bits = JOB_WIDE_FRACTION };
	struct fedgcn_params p;
	struct parties parties;

	*t = (struct twin_graphs){ 0 };
	assert_ok(fedgcn_params_of(fedgcn_job(job), 1, &p));
	for (size_t l = 0; l < L; l++)
		assert_ok(fedgcn_party_init(&t->party[l], &owned[l], &p));
	parties_in_memory(&parties, &memory);
	assert_ok(fedgcn_run(&parties, &p, &t->report));
}

static void twin_end(struct twin_graphs *t, size_t L)
{
	for (size_t l = 0; l < L; l++)
		fedgcn_party_release(&t->party[l]);
	fedgcn_report_release(&t->report);
}

/* Checks that the model file of party l equals the model of the run in memory, bit for bit. */
static void assert_same_model(const struct fedgcn_party *party, size_t l)
{
	struct buf ours = { 0 }, left = { 0 };
	const struct fedgcn_model *m;
	char path[512];

	assert_ok(fedgcn_party_model(party, &m));
	fedgcn_file_print(m, &ours);
	snprintf(path, sizeof(path), "%s/model.fedgcn", output[l]);
	assert_ok(file_read(path, 1 << 24, &left));
	assert_int_equal(ours.n, left.n);
	assert_memory_equal(ours.p, left.p, ours.n);
	buf_release(&ours);
	buf_release(&left);
}

TEST(test_masks_change_no_bit)
{
	static const char *const ways[] = {
		"",
		"prototypes=kde",
		"prototypes=stacked bounded=false",
		"prototypes=printed",
		"aggregation=fedprox mu=0.1",
		"aggregation=fedper",
		"final=paper",
	};

	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		struct stage *s = stage_run(PARTIES, ways[w]);
		struct twin_graphs t;

		print_message("%s\n", ways[w]);
		stage_succeeded(s);
		twin_run(&t, PARTIES, &s->job);
		for (size_t l = 0; l < PARTIES; l++) {
			assert_memory_equal(s->f.party[l].label, t.party[l].label,
					    GRAPHS * sizeof(uint32_t));
			assert_same_model(&t.party[l], l);
		}
		twin_end(&t, PARTIES);
		stage_end(s);
	}
}

/* Parties find changed words in the sums that the coordinator sends. A run sums tens of thousands
 * of weights, so the test changes only some words of each sum. */
TEST(test_changed_sums)
{
	static const char *const ways[] = { "", "prototypes=matched", "prototypes=kde" };

	for (size_t w = 0; w < 3; w++) {
		struct stage *s = stage_open(PARTIES, ways[w]);

		changed_each = SANITIZED ? 15 : 60;
		federation_run(&s->f);
		stage_succeeded(s);
		assert_changes_found("fedgcn", SANITIZED ? 300 : 1200);
		stage_end(s);
	}
}

/* One party sends a wrong count with a valid tag: the count of all graphs, of a centre, of a round,
 * or of a final cluster. All parties refuse the sum. */
TEST(test_wrong_terms)
{
	enum { ROUND = 13, LAST = ROUND + 2 };
	static const struct {
		const char *way;
		uint64_t number;
		int word; /* -1, -2, ... are the words behind the weights */
		double by;
		const char *sentence;
	} c[] = {
		{ "", 0, 0, 0.5, "the parties say that they have 72.5 graphs" },
		{ "", 1, 0, 0.5,
		  "a party's count is wrong: the parties' counts of graphs of centre 0" },
		{ "", 1, 0, -100, "a party's count is wrong" },
		{ "", 1, 0, 100, "a party's count is wrong" },
		{ "", ROUND, -1, 1,
		  "a party's count is wrong: the parties' counts of graphs of all parties" },
		{ "", ROUND, -4, -0.5,
		  "a party's count is wrong: the parties' counts of graphs that change" },
		{ "", ROUND, -5, 100,
		  "a party's count is wrong: the parties' counts of graphs of cluster 0" },
		{ "", LAST, 0, 0.25,
		  "a party's count is wrong: the parties' counts of graphs of cluster 0" },
		{ "", LAST, 1, 73, "a party's count is wrong" },
	};

	struct gin net;

	gin_init(&net, GRAPHS_STRUCTURE);
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct stage *s = stage_open(PARTIES, c[i].way);

		wrong_term.party = PARTIES - 1;
		wrong_term.number = c[i].number;
		wrong_term.word =
		    c[i].word < 0 ? net.weights + (size_t)(-c[i].word - 1) : (size_t)c[i].word;
		wrong_term.by = (int64_t)(c[i].by * (1 << JOB_WIDE_FRACTION));
		federation_run(&s->f);
		wrong_term.party = FED_MAX;
		for (size_t l = 0; l < PARTIES; l++)
			if (s->f.party[l].result != ERR_PEER ||
			    !strstr(s->f.party[l].why, c[i].sentence))
				fail_msg("case %zu, %s: %s", i, s->f.names[l], s->f.party[l].why);
		stage_end(s);
	}
}

/* The run finds the planted classes, and its figures are consistent. */
TEST(test_planted_classes)
{
	struct stage *s = stage_run(PARTIES, "rounds=5 epochs=4");
	const struct half *hub = &s->f.server;
	double of_all[CLASSES] = { 0 };

	stage_succeeded(s);
	for (size_t l = 0; l < PARTIES; l++) {
		struct metrics m;

		assert_ok(metrics_of(truth[l], s->f.party[l].label, GRAPHS, &m));
		if (m.ari < 0.9)
			fail_msg("party %zu: ARI %g", l, m.ari);
		for (size_t i = 0; i < GRAPHS; i++)
			of_all[s->f.party[l].label[i]]++;
		assert_int_equal(fact(&s->f.party[l], "loss_clusters")->values, 5);
	}
	assert_true(fact(hub, "graphs")->value[0] == PARTIES * GRAPHS);
	assert_int_equal(fact(hub, "loss_reconstruction")->values, 5);
	assert_true(fact(hub, "loss_reconstruction")->value[4] <
		    fact(hub, "loss_reconstruction")->value[0]);
	assert_int_equal(hub->record.clusters, CLASSES);
	for (size_t k = 0; k < CLASSES; k++)
		assert_true((double)hub->record.cluster_size[k] == of_all[k]);
	stage_end(s);
}

/* With joint weights the coordinator has the shared model; with FedPer it has none. */
TEST(test_shared_model)
{
	struct stage *s = stage_run(PARTIES, "final=paper");
	struct fedgcn_model joint, own;
	uint32_t label[GRAPHS];
	char path[512];

	stage_succeeded(s);
	snprintf(path, sizeof(path), "%s/model.fedgcn", output[PARTIES]);
	assert_ok(fedgcn_file_read(path, &joint));
	snprintf(path, sizeof(path), "%s/model.fedgcn", output[1]);
	assert_ok(fedgcn_file_read(path, &own));
	assert_int_equal(joint.weights, own.weights);
	assert_memory_equal(joint.W, own.W, joint.weights * sizeof(*joint.W));
	assert_ok(fedgcn_assign(&joint, &owned[0], 1, label));
	fedgcn_model_release(&joint);
	fedgcn_model_release(&own);
	stage_end(s);
	s = stage_run(PARTIES, "aggregation=fedper");
	stage_succeeded(s);
	snprintf(path, sizeof(path), "%s/model.fedgcn", output[PARTIES]);
	assert_false(file_exists(path)); /* FedPer shares no model */
	stage_end(s);
}

/* Parties withhold all prototypes if min_cluster exceeds their numbers of graphs, and none by
 * default. */
TEST(test_withheld)
{
	struct stage *s = stage_run(PARTIES, "min_cluster=1000");

	stage_succeeded(s);
	assert_true(fact(&s->f.server, "prototypes_withheld")->value[0] == CLASSES);
	stage_end(s);
	s = stage_run(PARTIES, "");
	stage_succeeded(s);
	assert_true(fact(&s->f.server, "prototypes_withheld")->value[0] == 0);
	stage_end(s);
}

TEST(test_baselines)
{
	static const char *const name[] = { "size", "log-size", "untrained", "alone" };
	struct stage *s = stage_run(PARTIES, "baselines=all");
	char path[512];

	stage_succeeded(s);
	for (size_t l = 0; l < PARTIES; l++)
		for (size_t b = 0; b < 4; b++) {
			struct labels found;

			snprintf(path, sizeof(path), "%s/baseline-%s.csv", output[l], name[b]);
			assert_ok(labels_read(path, &found));
			assert_int_equal(found.n, GRAPHS);
			assert_string_equal(found.id[GRAPHS - 1], "24");
			labels_release(&found);
		}
	assert_non_null(fact(&s->f.party[0], "like_alone"));
	assert_true(fact(&s->f.party[0], "like_size")->value[0] <
		    0.5); /* graph sizes do not predict the clusters */
	stage_end(s);
	s = stage_run(1, "baselines=all");
	stage_succeeded(s);
	assert_true(fact(&s->f.party[0], "like_alone")->value[0] == 1); /* one party trains alone */
	stage_end(s);
	s = stage_run(PARTIES, "baselines=quick");
	stage_succeeded(s);
	assert_null(fact(&s->f.party[0], "like_alone"));
	assert_non_null(fact(&s->f.party[0], "like_untrained"));
	stage_end(s);
}

/* The error of an exploding loss names the party and the round. */
TEST(test_exploding_loss)
{
	struct stage *s = stage_run(PARTIES, "rate=1 lambda=1e6 rounds=40 epochs=10");
	bool named = false;

	assert_int_equal(s->f.server.result, ERR_JOB);
	for (size_t l = 0; l < PARTIES; l++)
		named |= strstr(s->f.server.why, s->f.names[l]) != NULL;
	assert_true(named);
	assert_true(federation_says(&s->f, PARTIES, "round "));
	stage_end(s);
}

/* ---- messages that are not due ---- */

static struct recording *record_job(const char *settings)
{
	struct recording *r;

	ALLOC(r, 1);
	planted_make(&r->data, &nothing);
	r->job = job_with(settings);
	recording_init(r, 2);
	seat_all(&r->f);
	federation_run(&r->f);
	if (r->f.server.result != ERR_OK)
		fail_msg("%s", r->f.server.why);
	return r;
}

TEST(test_every_message)
{
	static const enum msg_type down[] = { MSG_SUM, MSG_MATRIX },
				   up[] = { MSG_MASKED, MSG_PROTOTYPES };
	struct recording *r = record_job("rounds=1 epochs=2 prototypes=stacked");

	assert_holds(&r->to_party[1], down, 2);
	assert_holds(&r->from_party[1], up, 2);
	check_all(&(struct listener){ r, 1, false });
	check_all(&(struct listener){ r, 1, true });
	recording_free(r);
}

/* Returns the number of words, without the canary, that party 1 sends in a round's masked sum. */
static uint64_t round_words(const char *settings)
{
	struct recording *r = record_job(settings);
	uint64_t words = 0;

	for (size_t i = 0; i < r->from_party[1].count; i++) {
		const struct note *note = &r->from_party[1].note[i];
		struct msg m;

		if (note->type != MSG_MASKED || strcmp(note->step, "train") != 0)
			continue;
		assert_ok(msg_decode(&m, note->type, (struct bytes){ note->body, note->len }));
		words = m.masked.count - 1;
		break;
	}
	recording_free(r);
	return words;
}

/* A round's sum omits weights and prototypes that the job keeps at the parties. */
TEST(test_what_stays)
{
	uint64_t matched = round_words("rounds=1 epochs=1");
	uint64_t kde = round_words("rounds=1 epochs=1 prototypes=kde");

	assert_int_equal(matched - kde, CLASSES * (1 + FEDGCN_Z));
	assert_true(kde > 10000);
	assert_in_range(round_words("rounds=1 epochs=1 prototypes=kde aggregation=fedper"), 5,
			kde - 1);
}

static void huge(double *x, size_t count)
{
	x[count / 2] = 1e30;
}

static void not_finite(double *x, size_t count)
{
	x[count - 1] = NAN;
}

TEST(test_wrong_numbers)
{
	struct recording *r = record_job("rounds=1 epochs=1 prototypes=kde");
	struct rng rng;

	rng_seed(&rng, 1, 3);
	for (size_t i = 0; i < r->to_party[1].count; i++) {
		enum msg_type type = r->to_party[1].note[i].type;

		assert_true(type == MSG_SUM || type == MSG_MATRIX || type == MSG_SEALED);
	}
	assert_refuses_sums(r, 1, &rng, 4);
	assert_refuses_reals_of(r, 1, MSG_MATRIX, 0, not_finite, "no finite number");
	assert_refuses_reals_of(r, 1, MSG_MATRIX, 0, huge,
				"hub sent MATRIX with prototype 1 with 1e+30");
	recording_free(r);
}

TESTS_BETWEEN(plant, uproot)
