/* Tests federated GCC: its labels equal those of pooled data, and a party refuses requests that are
 * not due. */
#include "protocols/kcagc/job.h"
#include "tests/unit/protocols/kcagc/products.h"

#include <math.h>

enum { N = 240 };
static const struct plan data = { .n = N, .m = 48, .seed = 1, .noise = 1.5 };
/* Degrees dominate after a few steps, so two orders are tried. */
static const struct plan dense = { .n = N, .m = 48, .seed = 1, .noise = 0.5, .degree = 24 };
static const struct plan few = { .n = 24, .m = 12, .seed = 2, .noise = 1 };

/* ---- the same labels without messages ---- */

static void twin_labels(const struct planted *p, size_t L, enum features_of what,
			const struct job *job, uint32_t *label, struct gcc_report *report)
{
	struct twin *t = alloc(1, sizeof(*t));
	struct gcc_params params;

	gcc_defaults(&params, job->clusters, job->seed, 1);
	params.k_from = job->clusters_from;
	params.order =
	    kcagc_job(job)->filter_order == KCAGC_ORDER_AUTO ? 0 : kcagc_job(job)->filter_order;
	params.degrees = kcagc_job(job)->degrees;
	twin_init(t, p, L, what);
	twin_degrees(t, params.degrees);
	assert_ok(gcc_run(&t->parties, t->n, &params, label, report));
	twin_release(t);
	free(t);
}

/* If two orders were tried, the record counts the rounds of both, but the report has only the
 * iterations of the chosen one. */
static void check_rounds(const struct record *r, const struct gcc_report *report, bool asked_again)
{
	unsigned once = 8 + (report->scaled ? 2 : report->iterations), all = 3 + asked_again + once;

	if (report->basis.first)
		assert_true(record_rounds(r) > all + 8 + 1);
	else
		assert_int_equal(record_rounds(r), all);
}

/* Doubles the number of parties from `least` to `most`. If all columns are words, labels equal
 * those of one party with all columns. Otherwise labels equal those of the same split without
 * messages, because each party scales its numbers itself. */
static void check_labels(const struct planted *p, size_t least, size_t most, enum features_of what,
			 const char *settings)
{
	struct job job = products_job(settings);
	struct gcc_report report;
	uint32_t label[N];

	twin_labels(p, 1, WORDS, &job, label, &report);
	for (size_t L = least; L <= most; L *= 2) {
		struct federation *f;

		if (what != WORDS)
			twin_labels(p, L, what, &job, label, &report);
		f = products_run(p, L, &job, what);
		for (size_t i = 0; i < N; i++)
			if (f->server.label[i] != label[i])
				fail_msg("L=%zu, %s: label %zu is not the twin's", L, settings, i);
		assert_int_equal(report.k, 3); /* a job with a range of k chooses 3, too */
		products_selection(f, &job);
		if (kcagc_job(&job)->filter_order == KCAGC_ORDER_AUTO)
			assert_int_equal(f->server.record.order, report.basis.order);
		assert_int_equal(f->server.record.sum[0].objectives, report.iterations);
		assert_true(fabs(f->server.record.sum[0].inertia - report.loss) < 1e-4);
		if (!report.scaled)
			assert_true(f->server.record.sum[0].inertia ==
				    f->server.record.sum[0].objective[report.iterations - 1]);
		check_rounds(&f->server.record, &report, what == SOME_WORDS && L > 1);
		products_end(f);
	}
}

TEST(test_labels_of_the_twin)
{
	struct planted p;

	planted_make(&p, &data);
	check_labels(&p, 3, 3, NUMBERS, "method=gcc degrees=beside");
	check_labels(&p, 3, 3, WORDS, "method=gcc degrees=alone");
	check_labels(&p, 1, FED_MAX, NUMBERS, "method=gcc");
	check_labels(&p, 1, FED_MAX, WORDS, "method=gcc seed=2");
	check_labels(&p, 1, FED_MAX, SOME_WORDS, "method=gcc seed=3");
	check_labels(&p, 3, 3, NUMBERS, "method=gcc filter.order=3");
	check_labels(&p, 3, 3, NUMBERS, "method=gcc secure_sum.modulus_bits=32");
	check_labels(&p, 3, 3, NUMBERS, "method=gcc clusters={\"from\":2,\"to\":5}");
	planted_release(&p);
}

TEST(test_phases)
{
	struct job job = products_job("method=gcc");
	struct federation *f;
	struct planted p;

	planted_make(&p, &dense);
	f = products_run(&p, 2, &job, WORDS);
	assert_phases(&f->server, "norms order init iterate init iterate settle result");
	assert_phases(&f->party[1], "norms order init iterate init iterate settle result");
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(f->server.record.phase[i].rounds,
				 f->party[0].record.phase[i].rounds);
	products_end(f);
	planted_release(&p);
}

/* ---- messages that a party or the coordinator refuses ---- */

TEST(test_every_message)
{
	static const enum msg_type to_party[] = { MSG_CHOICE, MSG_BLOCK, MSG_ASSIGNMENT,
						  MSG_RESULT };
	struct recording *r = products_recording(&few, 2, "method=gcc");

	assert_holds(&r->to_party[1], to_party, 4);
	check_recording(r, 1);
}

static void shorter(double *x, size_t count)
{
	x[count - 1] *= 0.2;
}

static void negative(double *x, size_t count)
{
	x[count / 2] = -1;
}

static void not_finite(double *x, size_t count)
{
	x[count - 1] = NAN;
}

static void longer_column(double *x, size_t count)
{
	/* changes one of k + 10 columns */
	for (size_t i = 0; i<count; i += few.n> 13 ? 13 : few.n - 1)
		x[i] *= 1.01;
}

static void same_column(double *x, size_t count)
{
	for (size_t i = 0; i < count; i += 13)
		x[i] = x[i + 1];
}

static void one_row(double *x, size_t count)
{
	memset(x, 0, count * sizeof(*x));
	x[13] = sqrt((double)few.n);
}

TEST(test_wrong_numbers)
{
	struct recording *r = products_recording(&few, 2, "method=gcc");
	uint32_t none[48] = { 3 };

	assert_refuses_choice(r, 1, WORDS_ALL, "this one has others");
	assert_refuses_choice(r, 1, 3, "expected 1, from 0 to 2");
	assert_refuses_reals(r, MSG_BLOCK, 0, shorter, "row 23 is shorter than this party's part");
	assert_refuses_reals(r, MSG_BLOCK, 0, negative, "row 12 is shorter");
	assert_refuses_reals(r, MSG_BLOCK, 0, not_finite, "entry 23 that is no finite number");
	assert_refuses_choice(r, 3, 0, "filter order 0");
	assert_refuses_choice(r, 3, 16, "expected 2, from 0 to 15");
	for (size_t nth = 1; nth <= 8; nth += 7) {
		assert_refuses_reals(r, MSG_BLOCK, nth, longer_column, "length sqrt(n)");
		assert_refuses_reals(r, MSG_BLOCK, nth, same_column, "length sqrt(n)");
		assert_refuses_reals(r, MSG_BLOCK, nth, one_row, "length sqrt(n)");
		assert_refuses_reals(r, MSG_BLOCK, nth, not_finite, "no finite number");
	}
	assert_refuses_choice(r, 4, 2, "expected 6, from 0 to 1");
	assert_refuses_labels(r, MSG_ASSIGNMENT, 0, 3, none, 48, "entry 0 in none of 3 clusters");
	assert_refuses_labels(r, MSG_ASSIGNMENT, 0, 4, none, 48, "values 4");
	assert_refuses_labels(r, MSG_ASSIGNMENT, 0, 3, none, 24, "count 24");
	assert_refuses_labels(r, MSG_ASSIGNMENT, 1, 3, none, 24, "entry 0 in none of 3 clusters");
	assert_refuses_labels(r, MSG_RESULT, 0, 3, none, 24, "entry 0 in none of 3 clusters");
	recording_free(r);
}

/* If all parties have words, a party refuses the claim that no party has only words. */
TEST(test_wrong_claim_of_words)
{
	struct recording *r;

	ALLOC(r, 1);
	planted_make(&r->data, &few);
	planted_words(&r->data);
	r->job = products_job("method=gcc");
	recording_init(r, 2);
	federation_run(&r->f);
	federation_succeeded(&r->f);
	assert_refuses_choice(r, 1, WORDS_NONE, "none of the parties have words alone");
	recording_free(r);
}

/* A party refuses one product more than the method has, and one iteration more. */
TEST(test_no_more_than_is_due)
{
	struct recording *r = products_recording(&few, 2, "method=gcc");
	struct listener to = { r, 0, false };
	size_t last = step_of(&r->to_party[0], MSG_BLOCK, 8);
	size_t iteration = step_of(&r->to_party[0], MSG_ASSIGNMENT, 1) - 1;
	const struct note *more = &r->to_party[0].note[iteration];
	struct script s = { 0 };
	struct outcome out;

	script_copy(&s, &r->to_party[0], last + 1);
	script_add(&s, MSG_BLOCK,
		   (struct bytes){ r->to_party[0].note[last].body, r->to_party[0].note[last].len },
		   "");
	replay(&to, &s, &out);
	assert_int_equal(out.code, ERR_PEER);
	assert_non_null(strstr(out.why, "hub sent BLOCK, expected ASSIGNMENT (during iterate)"));
	script_release(&s);
	script_copy(&s, &r->to_party[0], iteration);
	for (int i = 0; i < 30; i++)
		for (size_t part = 0; part < 2; part++)
			script_add(&s, more[part].type,
				   (struct bytes){ more[part].body, more[part].len }, "");
	replay(&to, &s, &out);
	assert_int_equal(out.code, ERR_PEER);
	assert_non_null(strstr(out.why, "CHOICE 6 = 1; expected 6, from 0 to 0"));
	assert_int_equal(out.taken[0], iteration + 2 * 29 + 1);
	script_release(&s);
	recording_free(r);
}
