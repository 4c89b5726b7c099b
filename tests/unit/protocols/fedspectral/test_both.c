/* Runs FedSpectral's three variants with a coordinator and parties that exchange messages. Parties
 * that know different nodes get the clustering of the pooled graph. A party refuses requests that
 * are not due. */
#include "tests/unit/both/changed_sums.h"
#include "tests/unit/protocols/kcagc/products.h"
#include "tests/unit/protocols/fedspectral/casting.h"
#include "tests/unit/protocols/fedspectral/parts.h"

enum { NODES = 200, CLASSES = 4, ALONE = 5, FEW = 24 };

static struct csr graph;
static uint32_t truth[NODES], central[NODES];

static int plant(void **state)
{
	(void)state;
	parts_planted(&graph, NODES, CLASSES, 1200, 0.06, ALONE, truth);
	parts_central(&graph, CLASSES, central);
	return 0;
}

static int uproot(void **state)
{
	(void)state;
	csr_release(&graph);
	return 0;
}

/* ---- parties and their nodes ---- */

static double by_turns(size_t l, size_t L, uint32_t i, uint32_t j)
{
	return (i * 7 + j) % L == l;
}

/* Gives each third edge to all parties, and every other edge to one party. */
static double some_twice(size_t l, size_t L, uint32_t i, uint32_t j)
{
	return (i + j) % 3 == 0 || (i * 7 + j) % L == l;
}

static double by_region(size_t l, size_t L, uint32_t i, uint32_t j)
{
	(void)j;
	return i * L / NODES == l;
}

static struct job job_with(const char *settings)
{
	static const char text[] =
	    "{\"kind\":\"fedspectral\",\"clusters\":4,\"allow_single\":true,\"restarts\":20,"
	    "\"secure_sum\":{\"group\":\"x25519\"}}";

	return job_of(text, sizeof(text) - 1, settings);
}

static struct stage *stage_run(const struct csr *A, size_t L, holds *h, const char *settings)
{
	struct job job = job_with(settings);
	struct stage *s = stage_open_job(A, L, h, &job);

	federation_run(&s->f);
	return s;
}

static const struct fact *fact(const struct half *h, const char *name)
{
	for (size_t i = 0; i < h->record.facts.count; i++)
		if (!strcmp(h->record.facts.item[i].name, name))
			return &h->record.facts.item[i];
	fail_msg("no fact %s", name);
	return NULL;
}

TEST(test_exact_is_central)
{
	static holds *const held[] = { by_turns, by_region };

	for (size_t L = 1; L <= 8; L += L < 3 ? 1 : 5)
		for (size_t h = 0; h < 2; h++) {
			struct stage *s = stage_run(&graph, L, held[h], "");
			uint32_t label[NODES];

			gather_labels(s, label);
			assert_agree(central, label, NODES, 1, "exact");
			assert_int_equal(s->f.server.clusters, CLASSES + 1);
			assert_int_equal(fact(&s->f.server, "isolated")->value[0], ALONE);
			assert_int_equal(fact(&s->f.server, "nodes")->value[0], NODES);
			assert_int_equal(fact(&s->f.party[0], "nodes")->value[0], NODES);
			assert_true(fact(&s->f.server, "residual")->value[0] <= 1e-3);
			for (size_t i = 0; i < NODES; i++)
				assert_int_equal(label[i] == CLASSES, i >= NODES - ALONE);
			stage_end(s);
		}
}

/* Parties refuse each changed broadcast sum. In variant `exact` the joint degrees are the only
 * broadcast sum. */
TEST(test_changed_sums)
{
	struct stage *s;
	uint32_t label[NODES];

	changed_each = SANITIZED ? 150 : 1500;
	s = stage_run(&graph, 3, by_turns, "");
	gather_labels(s, label);
	assert_changes_found("fedspectral", SANITIZED ? 300 : 3000);
	stage_end(s);
}

/* Plain and hashed ids give the same clusters, and the same eigenvalues within fixed-point error.
 * The weight of an edge is the number of parties that hold it. */
TEST(test_ids_and_weights)
{
	struct fedspectral_report report;
	struct fedspectral_params p;
	struct parts parts;
	uint32_t label[3][NODES];
	struct csr sum;

	csr_copy(&sum, &graph);
	for (uint32_t i = 0; i < NODES; i++)
		for (size_t e = sum.start[i]; e < sum.start[i + 1]; e++) {
			uint32_t j = sum.index[e];

			sum.value[e] = 0;
			for (size_t l = 0; l < 3; l++)
				sum.value[e] +=
				    i < j ? some_twice(l, 3, i, j) : some_twice(l, 3, j, i);
		}
	parts_deal(&parts, &sum, 1, 1, 1, 1);
	fedspectral_defaults(&p, CLASSES, 1, 1);
	p.tolerance = 1e-5;
	p.tau = 0; /* with tau > 0 no eigenvalue is near 1 */
	assert_ok(fedspectral_exact(&parts.parties, parts.n, &p, label[0], &report));
	for (int hashed = 0; hashed < 2; hashed++) {
		struct stage *s =
		    stage_run(&graph, 3, some_twice,
			      hashed ? "tolerance=1e-5 tau=0" : "tolerance=1e-5 tau=0 ids=plain");
		const struct fact *values = fact(&s->f.server, "eigenvalues");

		gather_labels(s, label[1 + hashed]);
		assert_agree(label[0], label[1 + hashed], NODES, 1, "weights");
		for (size_t i = 0; i < CLASSES; i++)
			assert_near(values->value[i], report.value[i], 1e-6);
		assert_int_equal(fact(&s->f.server, "eigenvalues_near_1")->value[0], 1);
		stage_end(s);
	}
	parts_release(&parts);
	csr_release(&sum);
}

TEST(test_auto)
{
	struct stage *s = stage_run(&graph, 2, by_turns, "clusters=auto");
	uint32_t label[NODES];

	gather_labels(s, label);
	assert_agree(central, label, NODES, 1, "auto");
	assert_int_equal(s->f.server.clusters, CLASSES + 1);
	assert_int_equal(fact(&s->f.server, "clusters")->value[0], CLASSES);
	assert_true(fact(&s->f.server, "eigengap")->value[0] > 0.05);
	stage_end(s);
}

static double all_of_it(size_t l, size_t L, uint32_t i, uint32_t j)
{
	(void)l;
	(void)L;
	(void)i;
	(void)j;
	return 1;
}

/* Parties that hold all edges agree with central clustering. Parties with some edges nearly agree.
 */
TEST(test_the_papers)
{
	uint32_t label[NODES];
	struct stage *s;

	s = stage_run(&graph, 2, all_of_it, "variant=fedspectral+");
	gather_labels(s, label);
	assert_agree(central, label, NODES, 1, "fedspectral+");
	assert_int_equal(fact(&s->f.server, "rounds")->value[0], 20);
	assert_int_equal(record_rounds(&s->f.server.record), 20);
	stage_end(s);
	s = stage_run(&graph, 3, some_twice, "variant=fedspectral+ rounds=30 iterations=3");
	gather_labels(s, label);
	assert_agree(central, label, NODES, 0.8, "fedspectral+ of parts");
	assert_int_equal(record_rounds(&s->f.party[2].record), 30);
	stage_end(s);
	s = stage_run(&graph, 3, all_of_it, "variant=fedspectral");
	gather_labels(s, label);
	assert_agree(central, label, NODES, 1, "fedspectral");
	assert_int_equal(record_rounds(&s->f.server.record), 0);
	stage_end(s);
}

TEST(test_phases)
{
	static const char *const settings[] = { "", "variant=fedspectral+", "variant=fedspectral",
						"noise.on=sums noise.eps=1e5 noise.delta=1e-5" };
	static const char *const server[] = { "align degrees lanczos kmeans result",
					      "align power kmeans result",
					      "align local kmeans result",
					      "align degrees power kmeans result" };
	static const char *const party[] = { "align degrees lanczos result", "align power result",
					     "align local result",
					     "align degrees power kmeans result" };

	for (size_t v = 0; v < 4; v++) {
		struct stage *s = stage_run(&graph, 2, by_turns, settings[v]);

		assert_phases(&s->f.server, server[v]);
		assert_phases(&s->f.party[1], party[v]);
		for (size_t i = 0; i < 3 - (v > 0); i++)
			assert_int_equal(s->f.server.record.phase[i].rounds,
					 s->f.party[0].record.phase[i].rounds);
		stage_end(s);
	}
}

/* ---- unusable data ---- */

static double no_weight(size_t l, size_t L, uint32_t i, uint32_t j)
{
	return by_turns(l, L, i, j) * 1e-32;
}

static double too_much(size_t l, size_t L, uint32_t i, uint32_t j)
{
	return by_turns(l, L, i, j) * 1e42;
}

static double none(size_t l, size_t L, uint32_t i, uint32_t j)
{
	(void)l;
	(void)L;
	(void)i;
	(void)j;
	return 0;
}

static void check_fails(holds *h, const char *settings, enum err code, const char *why)
{
	struct stage *s = stage_run(&graph, 2, h, settings);

	if (s->f.server.result != code || !federation_says(&s->f, 2, why))
		fail_msg("%s \"%s\", expected \"%s\"", err_name(s->f.server.result),
			 s->f.server.why, why);
	for (size_t l = 0; l < 2; l++)
		assert_int_equal(s->f.party[l].result, code);
	stage_end(s);
}

TEST(test_data_that_will_not_do)
{
	static const char *const variant[] = {
		"clusters=200 allow_disjoint=true",
		"clusters=200 allow_disjoint=true variant=fedspectral+",
		"clusters=200 allow_disjoint=true variant=fedspectral",
	};

	check_fails(no_weight, "", ERR_INPUT, "edges weigh less than 7.88861e-31 together");
	check_fails(too_much, "", ERR_INPUT, "are 3.48449e+41 or more: divide the data");
	check_fails(none, "allow_disjoint=true", ERR_JOB, "0 of 200 nodes have edges");
	check_fails(none, "", ERR_PEER, "no two of them have a node in common");
	for (size_t v = 0; v < 3; v++) {
		check_fails(by_turns, variant[v], ERR_JOB,
			    "195 of 200 nodes have edges, which cannot be put into 200 clusters");
		check_fails(none, variant[v] + strlen("clusters=200"), ERR_JOB, "0 of 200 nodes");
	}
	check_fails(by_turns, "rounds=2", ERR_JOB, "after 2 rounds");
}

/* ---- requests that are not due ---- */

static struct casting few;

/* Records a run. Plain ids keep the numbers of rows equal in the recording and in its replay. */
static struct recording *record_few(const char *settings)
{
	static uint32_t class[FEW];
	static struct csr A;
	struct recording *r = alloc(1, sizeof(*r));

	if (!A.start) {
		parts_planted(&A, FEW, 2, 60, 0.1, 1, class);
		casting_init(&few, &A, 2, by_turns);
	}
	planted_make(&r->data, &(struct plan){ .n = NODES, .m = FED_MAX, .seed = 1, .noise = 1 });
	r->job = job_with(settings);
	recording_init(r, 2);
	for (size_t l = 0; l < 2; l++)
		r->f.party[l].dataset = &few.party[l];
	federation_run(&r->f);
	if (r->f.server.result != ERR_OK)
		fail_msg("%s", r->f.server.why);
	for (size_t l = 0; l < 2; l++)
		assert_int_equal(r->f.party[l].result, ERR_OK);
	return r;
}

/* Replays `exact` to a party only: a coordinator renumbers the rows, so recorded sums do not fit.
 * In the other variants the coordinator accepts any sums. */
TEST(test_every_message)
{
	static const enum msg_type exact[] = { MSG_ROWS, MSG_SUM, MSG_CHOICE, MSG_BLOCK,
					       MSG_RESULT };
	struct recording *r = record_few("clusters=2 ids=plain");

	assert_holds(&r->to_party[1], exact, 5);
	check_all(&(struct listener){ r, 1, false });
	recording_free(r);
	for (size_t v = 0; v < 3; v++) {
		static const char *const settings[] = {
			"clusters=2 ids=plain variant=fedspectral+ rounds=3",
			"clusters=2 ids=plain variant=fedspectral",
			"clusters=2 ids=plain noise.on=sums noise.eps=9 noise.delta=1e-5"
		};

		r = record_few(settings[v]);
		check_all(&(struct listener){ r, v % 2, false });
		check_all_from(&(struct listener){ r, v % 2, true },
			       1); /* starts at step 1, because other IDS at step 0 may be valid */
		recording_free(r);
	}
}

static void below_zero(double *x, size_t count)
{
	x[count / 2] = -1;
}

static void one_node(double *x, size_t count)
{
	memset(x, 0, count * sizeof(*x));
	x[0] = sqrt(FEW - 1);
}

static void no_number(double *x, size_t count)
{
	x[count / 2] = NAN;
}

static void larger(double *x, size_t count)
{
	for (size_t i = 0; i < count; i++)
		x[i] *= 1000;
}

TEST(test_wrong_numbers)
{
	struct recording *r = record_few("clusters=2 ids=plain");
	uint32_t label[FEW] = { 3 };
	struct rng rng;

	rng_seed(&rng, 1, 4);
	assert_refuses_sums(r, 1, &rng, 1);
	assert_refuses_choice(r, 0, 21, "expected 5, from 0 to 20");
	assert_refuses_reals(r, MSG_BLOCK, 0, one_node, "length sqrt(n)");
	assert_refuses_reals(r, MSG_BLOCK, 0, larger, "length sqrt(n)");
	assert_refuses_reals(r, MSG_BLOCK, 1, below_zero, "length sqrt(n)");
	assert_refuses_labels(r, MSG_RESULT, 0, 3, label, few.party[0].n, "values 3");
	recording_free(r);
	r = record_few("clusters=2 ids=plain variant=fedspectral+ rounds=2");
	assert_refuses_reals(r, MSG_BLOCK, 1, one_node, "length sqrt(n)");
	assert_refuses_choice(r, 0, 4, "expected 7, from 0 to 3");
	assert_refuses_choice(r, 0, 1, "CHOICE of 1 clusters, expected 2 at least");
	recording_free(r);
	/* A party shortens long rows, so it refuses only numbers that are not finite. */
	r = record_few("clusters=2 ids=plain noise.on=sums noise.eps=9 noise.delta=1e-5");
	assert_refuses_reals(r, MSG_BLOCK, 0, no_number, "no finite number");
	recording_free(r);
}

/* Refuses one product more than the job allows, and one block more in fedspectral+. */
TEST(test_no_more_than_is_due)
{
	struct recording *r = record_few("clusters=2 ids=plain rounds=2 block=22");
	struct listener to = { r, 0, false };
	size_t width = step_of(&r->to_party[0], MSG_CHOICE, 0);
	struct script s = { 0 };
	struct outcome out;

	script_copy(&s, &r->to_party[0], width);
	for (int i = 0; i < 3; i++)
		for (size_t part = 0; part < 2; part++) {
			const struct note *note = &r->to_party[0].note[width + part];

			script_add(&s, note->type, (struct bytes){ note->body, note->len }, "");
		}
	replay(&to, &s, &out);
	assert_int_equal(out.code, ERR_PEER);
	if (!strstr(out.why, "CHOICE 5 = 22; expected 5, from 0 to 0"))
		fail_msg("%s", out.why);
	script_release(&s);
	recording_free(r);
	r = record_few("clusters=2 ids=plain variant=fedspectral+ rounds=2");
	to.r = r;
	width = step_of(&r->to_party[0], MSG_BLOCK, 1);
	script_copy(&s, &r->to_party[0], width + 1);
	script_add(
	    &s, MSG_BLOCK,
	    (struct bytes){ r->to_party[0].note[width].body, r->to_party[0].note[width].len }, "");
	replay(&to, &s, &out);
	assert_non_null(strstr(out.why, "hub sent BLOCK, expected CHOICE (during result)"));
	script_release(&s);
	recording_free(r);
}

TESTS_BETWEEN(plant, uproot)
