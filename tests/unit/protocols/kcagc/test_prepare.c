/* Tests what the parties agree on before clustering: the filter's order, and joint norms of rows.
 */
#include "protocols/kcagc/job.h"
#include "protocols/kcagc/order_search.h"
#include "tests/unit/both/steps.h"

#include <math.h>

enum { N = 240, M = 30 };

static void planted_hard(struct planted *p, uint64_t seed)
{
	planted_make(p, &(struct plan){ .n = N, .m = M, .seed = seed, .noise = 2 });
}

/* Gives nodes dozens of neighbours, many in other clusters, and uneven degrees. After a few steps
 * of the filter only degrees remain. */
static void planted_dense(struct planted *p, uint64_t seed)
{
	enum { TRIED = 40 * N };
	struct triple *t = alloc(2 * TRIED, sizeof(*t));
	size_t edges = 0;
	struct rng rng;
	struct csr a;

	planted_make(p, &(struct plan){ .n = N, .m = M, .seed = seed, .noise = 1 });
	graph_release(&p->g);
	rng_seed(&rng, seed, 1);
	for (size_t e = 0; e < TRIED; e++) {
		uint32_t u = (uint32_t)rng_below(&rng, 1 + rng_below(&rng, N)),
			 v = (uint32_t)rng_below(&rng, 1 + rng_below(&rng, N));

		if (u == v || (p->truth[u] != p->truth[v] && rng_unit(&rng) < 0.4))
			continue;
		t[edges++] = (struct triple){ u, v, 1 };
		t[edges++] = (struct triple){ v, u, 1 };
	}
	csr_from_triples(&a, N, N, t, edges);
	free(a.value);
	a.value = NULL;
	free(t);
	graph_init(&p->g, &a);
}

/* ---- filter.order "auto" ---- */

/* Adds up the parties' terms. *rule gets the order by AGC's rule. Returns the order, up to *rule,
 * that modularity chooses. */
static unsigned order_of(const struct planted *p, size_t L, const struct job *job, unsigned *rule)
{
	struct embed_params how = kcagc_embed_params(kcagc_job(job), 1);
	struct kmeans_params search = { .k = job->clusters,
					.restarts = kcagc_job(job)->local_restarts,
					.iterations = kcagc_job(job)->iterations,
					.seed = job->seed,
					.threads = 1 };
	double sum[ORDER_CAP] = { 0 }, fit[ORDER_CAP] = { 0 };

	for (size_t l = 0; l < L; l++) {
		struct order_search s;
		struct features X;

		planted_slice(p, l, L, &X);
		assert_ok(order_begin(&s, &X, &p->g, &how, &search));
		for (size_t b = 0; b < ORDER_BLOCKS; b++) {
			double term[ORDER_WORDS];

			assert_ok(order_next(&s, term));
			for (size_t t = 0; t < ORDER_BLOCK; t++) {
				sum[b * ORDER_BLOCK + t] += term[t];
				fit[b * ORDER_BLOCK + t] += term[ORDER_BLOCK + t] / (double)L;
			}
		}
		order_end(&s);
		features_release(&X);
	}
	*rule = psi_agc(sum, ORDER_CAP);
	return kcagc_job(job)->preset == PRESET_PAPER ? *rule : psi_fit(fit, *rule);
}

static struct federation *run(const struct planted *p, size_t L, const struct job *job)
{
	struct federation *f = alloc(1, sizeof(*f));

	federation_init(f, p, L, job);
	federation_run(f);
	return f;
}

static void end(struct federation *f)
{
	federation_release(f);
	free(f);
}

static const struct record_phase *phase(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->phases; i++)
		if (strcmp(r->phase[i].name, name) == 0)
			return &r->phase[i];
	fail_msg("no phase %s", name);
	return NULL;
}

static const struct fact *fact(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->facts.count; i++)
		if (strcmp(r->facts.item[i].name, name) == 0)
			return &r->facts.item[i];
	return NULL;
}

/* run.json has AGC's order, and the curves up to it. Preset "paper" sums distances only. */
static void check_facts(const struct record *r, unsigned rule, bool fits)
{
	const struct fact *said = fact(r, "order_rule"), *far = fact(r, "order_distances"),
			  *fit = fact(r, "order_modularities");

	assert_true(said && far);
	assert_int_equal((int)said->value[0], rule);
	assert_int_equal(far->values, rule + 1);
	assert_int_equal(psi_agc(far->value, far->values), rule);
	assert_true(fits == (fit != NULL));
	if (fit) {
		assert_int_equal(fit->values, rule);
		assert_int_equal(psi_fit(fit->value, rule), r->order);
	}
}

/* All parties use the order that the sums give. The search takes one round for each block of
 * orders. The labels equal those of a job with this order. */
TEST(test_order_is_that_of_the_sums)
{
	static const char *const settings[] = { "method=tree", "method=basic",
						"filter.kind=spectral method=flat features=raw",
						"preset=paper method=tree" };
	unsigned longest = 0, lowered = 0;

	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct planted p;

		if (seed > 4)
			planted_dense(&p, seed);
		else
			planted_hard(&p, seed);
		for (size_t L = 1; L <= 4; L++) {
			const char *s = settings[(seed + L) % 4];
			char line[128];
			struct federation *f, *given;
			struct job job;
			unsigned order, rule;

			snprintf(line, sizeof(line), "%s filter.order=auto", s);
			job = planted_job(line);
			assert_int_equal(kcagc_job(&job)->filter_order, KCAGC_ORDER_AUTO);
			order = order_of(&p, L, &job, &rule);
			assert_true(order > 0 && order <= rule);
			longest = rule > longest ? rule : longest;
			lowered += order < rule;
			f = run(&p, L, &job);
			federation_succeeded(f);
			assert_int_equal(f->server.record.order, order);
			for (size_t l = 0; l < L; l++)
				assert_int_equal(f->party[l].record.order, order);
			assert_int_equal(phase(&f->server.record, "order")->rounds,
					 rule / ORDER_BLOCK + 2); /* one round is for the bound */
			check_facts(&f->server.record, rule,
				    kcagc_job(&job)->preset != PRESET_PAPER);
			snprintf(line, sizeof(line), "%s filter.order=%u", s, order);
			job = planted_job(line);
			given = run(&p, L, &job);
			federation_succeeded(given);
			assert_int_equal(given->server.record.order, 0); /* no order was searched */
			assert_memory_equal(f->server.label, given->server.label,
					    N * sizeof(uint32_t));
			end(f);
			end(given);
		}
		planted_release(&p);
	}
	assert_true(longest >= ORDER_BLOCK); /* so that a second block was tested */
	assert_true(lowered > 1);
}

/* Without edges the filter never raises the intra-cluster distance, so the search finds no order.
 */
TEST(test_order_that_never_rises)
{
	struct job job = planted_job("filter.order=auto method=basic");
	struct planted p;
	struct federation *f;
	struct csr none = { 0 };

	planted_hard(&p, 1);
	graph_release(&p.g);
	csr_from_triples(&none, N, N, NULL, 0);
	graph_init(&p.g, &none);
	f = run(&p, 2, &job);
	assert_int_equal(f->server.result, ERR_JOB);
	assert_string_equal(f->server.why,
			    "filter.order \"auto\": the intra-cluster distance falls up to order "
			    "100, where the search ends; give job.filter.order as a number");
	assert_int_equal(phase(&f->server.record, "order")->rounds, ORDER_BLOCKS + 1);
	for (size_t l = 0; l < 2; l++) {
		assert_int_equal(f->party[l].result, ERR_JOB);
		assert_non_null(strstr(f->party[l].why, f->server.why));
	}
	end(f);
	planted_release(&p);
}

/* ---- joint_norm ---- */

struct norms {
	size_t n, count;
	double norm[N];
};

static void hear_norms(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct norms *norms = arg;
	struct msg m;

	(void)l;
	if (type != MSG_MATRIX)
		return;
	assert_ok(msg_decode(&m, MSG_MATRIX, body));
	assert_int_equal(m.reals.count, N);
	assert_int_equal(m.reals.values.n, sizeof(norms->norm));
	memcpy(norms->norm, m.reals.values.p,
	       sizeof(norms->norm)); /* message and processor are little-endian */
	norms->count++;
}

/* Computes each row's length over all parties' parts, before scaling. */
static void pooled_norms(const struct planted *p, size_t L, const struct job *job, double *norm)
{
	struct embed_params how = kcagc_embed_params(kcagc_job(job), 1);

	assert_false(how.unit_rows); /* the job scales rows later */
	memset(norm, 0, N * sizeof(*norm));
	for (size_t l = 0; l < L; l++) {
		struct features X;
		struct mat Z;

		planted_slice(p, l, L, &X);
		assert_ok(embed(&X, &p->g, &how, &Z));
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < Z.cols; j++)
				norm[i] += MAT(&Z, i, j) * MAT(&Z, i, j);
		mat_release(&Z);
	}
	for (size_t i = 0; i < N; i++)
		norm[i] = sqrt(norm[i]);
}

/* Clears rows `first` to N - 1, which have no neighbours either. */
static void blank(struct planted *p, size_t first)
{
	for (size_t i = first; i < N; i++)
		memset(ROW(&p->X, i), 0, p->m * sizeof(double));
}

TEST(test_norms_are_joint)
{
	double expected[N];
	struct norms heard;
	struct planted p;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 3, .noise = 2, .isolated = 4 });
	blank(&p, N - 4);
	for (size_t L = 1; L <= 5; L++) {
		struct job job =
		    planted_job(L % 2 ? "joint_norm=true" : "joint_norm=true method=basic");
		double rounding = ldexp((double)L, -1 - JOB_WIDE_FRACTION);
		struct federation *f = alloc(1, sizeof(*f));

		heard = (struct norms){ .n = N };
		pooled_norms(&p, L, &job, expected);
		federation_init(f, &p, L, &job);
		f->party[L - 1].saw = hear_norms;
		f->party[L - 1].saw_arg = &heard;
		federation_run(f);
		federation_succeeded(f);
		assert_int_equal(heard.count, 1);
		for (size_t i = 0; i < N; i++)
			if (fabs(heard.norm[i] * heard.norm[i] - expected[i] * expected[i]) >
			    rounding + 1e-9)
				fail_msg("L=%zu, row %zu: %.9f, expected %.9f", L, i, heard.norm[i],
					 expected[i]);
		for (size_t i = N - 4; i < N; i++)
			assert_true(heard.norm[i] == 0);
		assert_int_equal(phase(&f->server.record, "norms")->rounds, 2);
		end(f);
	}
	planted_release(&p);
}

/* With one party joint norms are its own norms, so the labels do not change. */
TEST(test_norms_of_one_party)
{
	struct job with = planted_job("joint_norm=true filter.order=0 projection.row_power=1"),
		   without = planted_job("filter.order=0 projection.row_power=1");
	struct federation *a, *b;
	struct planted p;

	planted_hard(&p, 4);
	for (size_t i = 0; i < N; i++) /* gives rows lengths that matter unless divided out */
		for (size_t j = 0; j < M; j++)
			MAT(&p.X, i, j) *= (double)(1 + i % 7);
	a = run(&p, 1, &with);
	b = run(&p, 1, &without);
	federation_succeeded(a);
	federation_succeeded(b);
	assert_memory_equal(a->server.label, b->server.label, N * sizeof(uint32_t));
	end(a);
	end(b);
	planted_release(&p);
}

/* A row that is 0 at a party stays 0 there, and a row that is 0 everywhere stays 0. Their common
 * centres, and so all sums, are finite. */
TEST(test_zero_rows_stay_zero)
{
	struct job job = planted_job("joint_norm=true method=basic");
	struct federation *f;
	struct planted p;
	uint32_t cluster;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 5, .noise = 0.5, .isolated = 9 });
	blank(&p, N - 6);
	for (size_t i = N - 9; i < N - 6; i++) /* only party 0 has these rows */
		for (size_t j = 0; j < M; j++)
			MAT(&p.X, i, j) = j % 3 ? 0 : MAT(&p.X, i, j);
	f = run(&p, 3, &job);
	federation_succeeded(f);
	cluster = f->server.label[N - 1];
	for (size_t i = N - 6; i < N; i++)
		assert_int_equal(f->server.label[i], cluster);
	end(f);
	planted_release(&p);
}

/* ---- a malicious coordinator ---- */

static const struct plan few = { .n = 48, .m = 16, .seed = 1, .noise = 1.5 };

static size_t find(const struct script *s, enum msg_type type)
{
	size_t step = 0;

	while (step < s->count && s->note[step].type != type)
		step++;
	assert_true(step < s->count);
	return step;
}

/* Replays to party 1 with m in place of message `step`. */
static void send_instead(struct recording *r, size_t step, const struct msg *m, struct outcome *out)
{
	struct listener to = { r, 1, false };
	struct script s = { 0 };

	script_copy(&s, &r->to_party[1], step);
	script_add_msg(&s, m);
	replay(&to, &s, out);
	script_release(&s);
}

TEST(test_orders_that_were_not_offered)
{
	struct recording *r = recording_new(&few, 3, "filter.order=auto", false);
	size_t step = find(&r->to_party[1], MSG_CHOICE) + 1; /* the step after the bound */
	static const uint64_t values[] = { ORDER_BLOCK + 1, ORDER_CAP, KCAGC_ORDER_AUTO,
					   UINT64_MAX };
	struct msg m = { .type = MSG_CHOICE, .choice = { CHOICE_ORDER, 0 } };
	struct listener to = { r, 1, false };
	struct outcome out;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		m.choice.value = values[i];
		send_instead(r, step, &m, &out);
		assert_refused(&to, step, "an order not offered", MSG_CHOICE, &out);
	}
	m.choice = (struct msg_choice){ CHOICE_WORDS, 1 };
	send_instead(r, step, &m, &out);
	assert_refused(&to, step, "another choice", MSG_CHOICE, &out);
	recording_free(r);
}

/* A coordinator that never chooses an order gets only the sums of orders up to ORDER_CAP. */
TEST(test_no_order_at_all)
{
	struct recording *r = recording_new(&few, 2, "filter.order=auto", false);
	size_t step = find(&r->to_party[1], MSG_CHOICE) + 1; /* the step after the bound */
	struct msg m = { .type = MSG_CHOICE, .choice = { CHOICE_ORDER, 0 } };
	struct listener to = { r, 1, false };
	struct script s = { 0 };
	struct outcome out;

	script_copy(&s, &r->to_party[1], step);
	for (int b = 0; b < ORDER_BLOCKS; b++)
		script_add_msg(&s, &m);
	replay(&to, &s, &out);
	assert_int_equal(out.code, ERR_PEER);
	assert_string_equal(out.why, "hub chose no filter order up to 100 (during order)");
	script_release(&s);
	recording_free(r);
}

TEST(test_norms_that_cannot_be)
{
	struct recording *r = recording_new(&few, 3, "joint_norm=true", false);
	size_t step = find(&r->to_party[1], MSG_MATRIX);
	const struct note *note = &r->to_party[1].note[step];
	double norm[48];
	struct msg m;

	for (int kind = 0; kind < 4; kind++) {
		static const struct {
			double value;
			bool fine;
		} tried[] = { { 0, false }, { -1, false }, { 0.5, false }, { 2, true } };
		struct outcome out;

		assert_ok(msg_decode(&m, MSG_MATRIX, (struct bytes){ note->body, note->len }));
		memcpy(norm, m.reals.values.p, sizeof(norm));
		norm[17] *= tried[kind].value; /* at .5: less than the party's own part */
		m.reals.values = (struct bytes){ (const uint8_t *)norm, sizeof(norm) };
		send_instead(r, step, &m, &out);
		if (tried[kind].fine) {
			assert_null(strstr(out.why, "norm"));
			continue;
		}
		assert_int_equal(out.code, ERR_PEER);
		assert_string_equal(out.why,
				    "hub sent a joint norm for row 17 that is shorter than "
				    "this party's part (during norms)");
	}
	recording_free(r);
}

/* ---- wrong messages at each step ---- */

TEST(test_wrong_message_at_every_step)
{
	static const enum msg_type to_party[] = { MSG_CHOICE, MSG_MATRIX };
	struct recording *r = recording_new(
	    &few, 3,
	    "method=flat filter.order=auto joint_norm=true starts=2 restarts=2 iterations=2",
	    false);

	assert_holds(&r->to_party[2], to_party, 2);
	check_recording(r, 2);
}
