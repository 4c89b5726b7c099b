/* Tests FedSC's clusters, the sums that leave a party, and the parties' policy. */
#include "tests/unit/cluster/balls.h"

/* -- clusters ------------------------------------------------------------------------------- */

static const enum fedsc_variant variants[] = { FEDSC_BY_ANCHORS, FEDSC_BY_DENSE, FEDSC_BY_PAPER,
					       FEDSC_BY_KMEANS };

static double accuracy(const uint32_t *label)
{
	struct metrics m;

	assert_ok(metrics_of(truth, label, N, &m));
	return m.acc;
}

/* Each variant finds the planted balls for any number of parties, in doubles and in fixed point.
 * Cluster sizes count the labels. */
TEST(finds_balls)
{
	for (size_t v = 0; v < 4; v++)
		for (size_t parties = 1; parties <= 8; parties *= 2) {
			struct rows_lab *lab = alloc(1, sizeof(*lab));
			struct fedsc_report report;
			struct fedsc_params p;
			uint32_t *label;

			params(&p, variants[v]);
			rows_lab_init(lab, &X, truth, parties, 0, 1);
			lab->memory.step = parties > 2 ? 0x1p-20 : 0;
			label = rows_run(lab, &p, &report);
			assert_true(accuracy(label) > 0.97);
			for (uint32_t c = 0; c < K; c++) {
				size_t own = 0;

				for (size_t i = 0; i < N; i++)
					own += label[i] == c;
				assert_near(report.size[c], (double)own, 0);
			}
			assert_near(report.n, N, 0);
			free(label);
			fedsc_report_release(&report);
			rows_lab_release(lab);
			free(lab);
		}
}

/* Parties send only sums, so in variants anchor and kmeans the split of the rows changes nothing
 * but rounding. The others are not tested: the mean of the parties' dictionaries and the kernel's
 * width depend on the split. */
TEST(any_split)
{
	for (size_t v = 0; v < 4; v += 3) {
		uint32_t *first = NULL;
		struct metrics same;

		for (int split = 0; split < 5; split++) {
			struct rows_lab *lab = alloc(1, sizeof(*lab));
			struct fedsc_report report;
			struct fedsc_params p;
			uint32_t *label;

			params(&p, variants[v]);
			p.threads = split == 4 ? 3 : 1;
			rows_lab_init(lab, &X, truth, split ? 2 * (size_t)split : 1, split % 2, 1);
			label = rows_run(lab, &p, &report);
			if (!first)
				first = label;
			assert_ok(metrics_of(first, label, N, &same));
			assert_near(same.acc, 1, 0); /* rounding may renumber the clusters */
			if (label != first)
				free(label);
			fedsc_report_release(&report);
			rows_lab_release(lab);
			free(lab);
		}
		free(first);
	}
}

/* -- data that leaves a party ---------------------------------------------------------------- */

/* Each sum of rows covers at least `least` rows, although smaller counts occur. The run uploads no
 * rows. */
TEST(only_sums_leave)
{
	for (size_t v = 0; v < 2; v++) {
		struct rows_lab *lab = alloc(1, sizeof(*lab));
		struct fedsc_report report;
		struct fedsc_params p;
		struct memory_kind sums_alone = fedsc_in_memory;
		bool fewer = false, sums = false;

		sums_alone.rows = NULL; /* an upload would call NULL */
		sums_alone.take = NULL;
		params(&p, variants[v]);
		rows_lab_init(lab, &X, truth, 4, 0, 1);
		lab->memory.kind = &sums_alone;
		assert_ok(fedsc_run(&lab->parties, lab->m, &p, &report));
		for (size_t i = 0; i < lab->asked_count; i++) {
			const struct asked *a = &lab->asked[i];

			if (a->kind != FEDSC_CLUSTERS)
				continue;
			fewer |= a->clusters == FEDKMEANS_COUNTS && a->least_count < p.least;
			sums |= a->clusters == FEDKMEANS_SUMS;
			if (a->clusters == FEDKMEANS_SUMS)
				assert_true(a->least_count >= p.least);
		}
		assert_true(fewer && sums);
		assert_true(v > 0 || report.dropped > 0);
		fedsc_report_release(&report);
		rows_lab_release(lab);
		free(lab);
	}
}

/* A party applies its own policy, not the job's. */
TEST(policy_refuses)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;

	params(&p, FEDSC_BY_ANCHORS);
	rows_lab_init(lab, &X, truth, 4, 0, 1);
	lab->party[2].min_cluster = 10;
	assert_err(
	    fedsc_run(&lab->parties, lab->m, &p, &report), ERR_PEER,
	    "party 2: asked for sums of 3 rows or more; this party gives none of fewer than 10");
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

TEST(stops_by_tolerance)
{
	struct rows_lab *lab = alloc(1, sizeof(*lab));
	struct fedsc_report report;
	struct fedsc_params p;

	params(&p, FEDSC_BY_DENSE);
	p.rounds = 1000;
	p.tolerance = 1e-2;
	rows_lab_init(lab, &X, truth, 2, 0, 1);
	assert_ok(fedsc_run(&lab->parties, lab->m, &p, &report));
	assert_true(report.rounds > 1 && report.rounds < 200);
	assert_true(report.change <= 1e-2 && report.change > 0);
	fedsc_report_release(&report);
	rows_lab_release(lab);
	free(lab);
}

TESTS_BETWEEN(make, unmake)
