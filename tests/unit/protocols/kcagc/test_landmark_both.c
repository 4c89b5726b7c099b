/* Tests landmark projection: labels equal those of the same slices without messages, no set is too
 * small, and a party refuses requests that are not due. */
#include "tests/unit/protocols/kcagc/products.h"
#include "common/cluster/metrics.h"
#include "protocols/kcagc/job.h"

#include <math.h>

enum { N = 240, FEW = 24 };
static const struct plan data = { .n = N, .m = 48, .seed = 1, .noise = 1.5 };
/* Degrees dominate `dense` and `two` after a few steps, so two orders are tried. */
static const struct plan dense = { .n = N, .m = 48, .seed = 1, .noise = 0.5, .degree = 24 };
static const struct plan few = { .n = FEW, .m = 12, .seed = 2, .noise = 1 };
static const struct plan two = { .n = 100, .m = 12, .seed = 1, .noise = 0.5, .degree = 16 };

/* ---- the same labels without messages ---- */

static void twin_labels(const struct planted *p, size_t L, enum features_of what,
			const struct job *job, uint32_t *label, struct landmark_report *report)
{
	struct twin *t = alloc(1, sizeof(*t));
	struct landmark_params params = landmark_params_of(kcagc_job(job), 1);

	twin_init(t, p, L, what);
	twin_degrees(t, params.degrees);
	assert_ok(landmark_run(&t->parties, t->n, &params, label, report));
	twin_release(t);
	free(t);
}

static void check_record(const struct federation *f, const struct job *job,
			 const struct landmark_report *report, bool asked_again)
{
	const struct record *r = &f->server.record;
	unsigned polish = 0, clusterings = report->basis.first ? 2 : 1;

	for (size_t i = 0; i < r->phases; i++)
		if (!strcmp(r->phase[i].name, "polish"))
			polish += r->phase[i].rounds;
	assert_int_equal(r->sum[0].items, report->sets);
	assert_int_equal(r->sum[0].merged, report->merged);
	assert_true(fabs(r->sum[0].inertia - report->inertia) <= 1e-4 * report->inertia);
	if (kcagc_job(job)->filter_order == KCAGC_ORDER_AUTO)
		assert_int_equal(r->order, report->basis.order);
	assert_true(polish >= clusterings && polish <= clusterings * (1 + kcagc_job(job)->polish));
	assert_int_equal(record_rounds(r), 3 + asked_again +
					       clusterings * (1 + kcagc_job(job)->landmark_power) +
					       polish + (clusterings - 1));
}

/* Compares the labels of a run with those of the same slices without messages. Doubles the number
 * of parties from `least` to `most`. */
static void check_labels(const struct planted *p, size_t least, size_t most, enum features_of what,
			 const char *settings)
{
	struct job job = products_job(settings);
	struct landmark_report report;
	uint32_t label[N];

	for (size_t L = least; L <= most; L *= 2) {
		struct federation *f;

		twin_labels(p, L, what, &job, label, &report);
		f = products_run(p, L, &job, what);
		for (size_t i = 0; i < N; i++)
			if (f->server.label[i] != label[i])
				fail_msg("L=%zu, %s: label %zu is not the twin's", L, settings, i);
		assert_int_equal(report.k, 3); /* a job with a range of k chooses 3, too */
		products_selection(f, &job);
		check_record(f, &job, &report, what == SOME_WORDS && L > 1);
		products_end(f);
	}
}

TEST(test_labels_of_the_twin)
{
	struct planted p;

	planted_make(&p, &data);
	check_labels(&p, 1, FED_MAX, NUMBERS, "method=landmark");
	check_labels(&p, 1, FED_MAX, WORDS, "method=landmark seed=2");
	check_labels(&p, 1, FED_MAX, SOME_WORDS,
		     "method=landmark seed=3 secure_sum.modulus_bits=64");
	check_labels(&p, 3, 3, NUMBERS, "method=landmark filter.order=3 local_clusters=8k");
	check_labels(&p, 3, 3, NUMBERS, "method=landmark landmark.power=false local_clusters=3");
	check_labels(&p, 3, 3, NUMBERS, "method=landmark polish=0");
	check_labels(&p, 3, 3, WORDS, "method=landmark polish=4");
	check_labels(&p, 3, 3, NUMBERS, "method=landmark min_cell=20");
	check_labels(&p, 3, 3, NUMBERS, "method=landmark degrees=beside");
	check_labels(&p, 3, 3, WORDS, "method=landmark degrees=alone filter.order=2");
	check_labels(&p, 3, 3, NUMBERS, "method=landmark clusters={\"from\":2,\"to\":5}");
	check_labels(&p, 3, 3, NUMBERS,
		     "method=landmark landmark.power=false clusters={\"from\":2,\"to\":5}");
	planted_release(&p);
}

/* Runs with fewer nodes than sets and columns, and with a party whose columns are all 0. */
TEST(test_little_there)
{
	for (size_t n = 3; n <= 16; n += 13) {
		struct job job = products_job("method=landmark");
		struct federation *f;
		struct planted p;

		planted_make(&p, &(struct plan){ .n = n, .m = 8, .seed = 4, .noise = 0.1 });
		for (size_t i = 0; i < n; i++)
			for (size_t j = 1; j < 8; j += 4)
				MAT(&p.X, i, j) = 0;
		f = products_run(&p, 4, &job, NUMBERS);
		products_end(f);
		planted_release(&p);
	}
}

TEST(test_phases)
{
	struct job job = products_job("method=landmark"),
		   plain = products_job("method=landmark landmark.power=false filter.order=2");
	struct federation *f;
	struct planted p;

	planted_make(&p, &dense);
	f = products_run(&p, 2, &job, WORDS);
	assert_phases(
	    &f->server,
	    "norms local order landmarks power polish landmarks power polish settle result");
	assert_phases(
	    &f->party[1],
	    "local norms order landmarks power polish landmarks power polish settle result");
	assert_int_equal(record_rounds(&f->server.record), record_rounds(&f->party[0].record));
	for (size_t i = 2; i < 11; i++)
		assert_int_equal(f->server.record.phase[i].rounds,
				 f->party[0].record.phase[i].rounds);
	products_end(f);
	f = products_run(&p, 2, &plain, WORDS);
	assert_phases(&f->party[0], "local norms order landmarks polish result");
	products_end(f);
	planted_release(&p);
}

/* ---- sets ---- */

/* Writes the sizes of the sets in the script's first LANDMARKS. Returns the number of sets. */
static size_t sets_of(const struct script *s, size_t *size)
{
	const struct note *note = &s->note[step_of(s, MSG_LANDMARKS, 0)];
	uint32_t label[N];
	struct msg m;
	size_t bad;

	assert_ok(msg_decode(&m, MSG_LANDMARKS, (struct bytes){ note->body, note->len }));
	assert_int_equal(m.labels.count, N);
	assert_true(labels_unpack(label, m.labels.values, m.labels.packed, N, &bad));
	memset(size, 0, (m.labels.values + 1) * sizeof(*size));
	for (size_t i = 0; i < N; i++)
		size[label[i]]++;
	assert_int_equal(size[m.labels.values], 0);
	return m.labels.values;
}

TEST(test_no_small_set)
{
	static const unsigned least[] = { 1, 5, 12, 60, 240 };
	size_t smallest_of_all = N, before = N, size[N];

	for (size_t c = 0; c < sizeof(least) / sizeof(*least); c++) {
		struct recording *r;
		char settings[64];
		size_t sets;

		snprintf(settings, sizeof(settings), "method=landmark polish=0 min_cell=%u",
			 least[c]);
		r = products_recording(&data, 3, settings);
		sets = sets_of(&r->to_party[1], size);
		assert_true(sets >= 1 && sets <= 16);
		for (size_t i = 0; i < sets; i++) {
			assert_true(size[i] >= least[c]);
			if (least[c] == 1 && size[i] < smallest_of_all)
				smallest_of_all = size[i];
		}
		assert_true(sets <= before);
		before = sets;
		recording_free(r);
	}
	assert_int_equal(before, 1);
	assert_true(smallest_of_all < 60); /* so that min_cell 60 did merge sets */
}

/* Refuses a job whose min_cell exceeds the number of all nodes. */
TEST(test_too_few_nodes)
{
	struct job job = products_job("method=landmark min_cell=241");
	struct federation *f = alloc(1, sizeof(*f));
	struct planted p;

	planted_make(&p, &data);
	federation_init(f, &p, 2, &job);
	federation_run(f);
	assert_int_equal(f->server.result, ERR_JOB);
	assert_non_null(strstr(f->server.why, "240 nodes cannot make a set of job.min_cell, 241"));
	products_end(f);
	planted_release(&p);
}

/* A party refuses sets of fewer than min_cell nodes. */
TEST(test_wrong_sets)
{
	struct recording *r =
	    products_recording(&data, 2, "method=landmark polish=0 min_cell=5 local_clusters=3");
	uint32_t set[N];

	for (size_t i = 0; i < N; i++)
		set[i] = i < 4 ? 1 : i < 9 ? 2 : 0;
	assert_refuses_labels(r, MSG_LANDMARKS, 0, 3, set, N,
			      "set 1 has 4 nodes, fewer than job.min_cell, 5");
	set[4] = 1;
	set[9] = 2;
	assert_refuses_labels(r, MSG_LANDMARKS, 0, 4, set, N, "set 3 has 0 nodes");
	assert_refuses_labels(r, MSG_LANDMARKS, 0, 17, set, N, "values 17");
	assert_refuses_labels(r, MSG_LANDMARKS, 0, 2, set, N, "nodes in none of 2 sets");
	recording_free(r);
}

/* ---- requests that are not due ---- */

TEST(test_every_message)
{
	static const enum msg_type to_party[] = { MSG_CHOICE, MSG_BLOCK, MSG_LANDMARKS,
						  MSG_ASSIGNMENT, MSG_RESULT };
	struct recording *r = products_recording(&few, 2, "method=landmark");

	assert_holds(&r->to_party[1], to_party, 5);
	check_recording(r, 1);
}

/* The run tries two orders, one after the other. */
TEST(test_every_message_of_two)
{
	struct recording *r = products_recording_of(&two, 2, "method=landmark polish=0", WORDS);

	(void)step_of(&r->to_party[1], MSG_CHOICE, 8);
	check_recording(r, 1);
}

/* The job has three polish steps and no power step. */
TEST(test_every_message_of_others)
{
	check_recording(
	    products_recording(&few, 2, "method=landmark polish=3 landmark.power=false"), 0);
}

static size_t columns; /* columns of the recorded block */

static void longer_column(double *x, size_t count)
{
	for (size_t i = 0; i < count; i += columns)
		x[i] *= 1.01;
}

static void one_row(double *x, size_t count)
{
	memset(x, 0, count * sizeof(*x));
	for (size_t j = 0; j < columns; j++)
		x[j] = sqrt(FEW / (double)columns);
}

static void not_finite(double *x, size_t count)
{
	x[count - 1] = INFINITY;
}

TEST(test_wrong_numbers)
{
	struct recording *r = products_recording(&few, 2, "method=landmark");
	const struct script *s = &r->to_party[0];
	uint32_t none[2 * FEW] = { 0 };
	struct msg m;

	assert_ok(msg_decode(&m, MSG_BLOCK,
			     (struct bytes){ s->note[step_of(s, MSG_BLOCK, 1)].body,
					     s->note[step_of(s, MSG_BLOCK, 1)].len }));
	columns = m.reals.count / FEW;
	assert_true(columns > 1 && columns <= 13);
	assert_refuses_choice(r, 2, 2, "expected 8, from 0 to 1");
	assert_refuses_choice(r, 3, 16, "expected 2, from 0 to 15");
	assert_refuses_choice(r, 3, 0, "filter order 0");
	assert_refuses_choice(r, 4, 0, "no columns");
	assert_refuses_choice(r, 4, 14, "expected 5, from 0 to 13");
	assert_refuses_reals(r, MSG_BLOCK, 1, longer_column, "length sqrt(n)");
	assert_refuses_reals(r, MSG_BLOCK, 1, one_row, "length sqrt(n)");
	assert_refuses_reals(r, MSG_BLOCK, 1, not_finite, "no finite number");
	none[2 * FEW - 1] = 3;
	assert_refuses_labels(r, MSG_ASSIGNMENT, 0, 3, none, 2 * FEW,
			      "entry 47 in none of 3 clusters");
	assert_refuses_labels(r, MSG_ASSIGNMENT, 0, 3, none, FEW, "count 24");
	assert_refuses_choice(r, 5, 2, "expected 6, from 0 to 1");
	none[0] = 3;
	assert_refuses_labels(r, MSG_RESULT, 0, 3, none, FEW, "entry 0 in none of 3 clusters");
	recording_free(r);
}

TEST(test_wrong_k)
{
	struct recording *r =
	    products_recording(&few, 2, "method=landmark clusters={\"from\":2,\"to\":5}");

	assert_refuses_choice(r, 5, 6, "expected 7, from 0 to 5");
	assert_refuses_choice(r, 5, 1, "sent CHOICE of 1 clusters, expected 2 to 5");
	recording_free(r);
	r = products_recording(&few, 2, "method=gcc clusters={\"from\":3,\"to\":5}");
	assert_refuses_choice(r, 4, 6, "expected 7, from 0 to 5");
	assert_refuses_choice(r, 4, 2, "sent CHOICE of 2 clusters, expected 3 to 5");
	recording_free(r);
}

/* The run tries two orders (settle.h). The first CHOICE has the first order, the next CHOICE has
 * the second order, and the last CHOICE has the chosen order. With a range of k, and with degrees
 * as a feature, a run tries one order only. */
TEST(test_wrong_orders)
{
	struct recording *r = products_recording_of(&two, 2, "method=landmark polish=0", WORDS);

	assert_refuses_choice(r, 6, 0, "sent CHOICE of filter order 0");
	assert_refuses_choice(r, 6, 16, "expected 2, from 0 to 15");
	assert_refuses_choice(r, 9, 15, "sent CHOICE of filter order 15, expected 1 or ");
	assert_refuses_choice(r, 9, 0, "sent CHOICE of filter order 0, expected 1 or ");
	recording_free(r);
	r = products_recording_of(&two, 2,
				  "method=landmark polish=0 clusters={\"from\":2,\"to\":5}", WORDS);
	assert_refuses_choice(r, 7, 15, "with a range of k one order is tried");
	recording_free(r);
	r = products_recording_of(&two, 2, "method=landmark polish=0 degrees=beside", WORDS);
	assert_refuses_choice(r, 5, 15, "with degrees one order is tried");
	assert_refuses_choice(r, 5, 1, "sent CHOICE of filter order 1 after 9");
	recording_free(r);
}

/* With min_cell above 1 there is no polish: its sums are over clusters, which may be of any size.
 */
TEST(test_no_polish_is_due)
{
	struct recording *r = products_recording(&few, 2, "method=landmark min_cell=2");

	assert_refuses_choice(r, 5, 1, "expected 6, from 0 to 0");
	recording_free(r);
}
