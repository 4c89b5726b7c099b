/* Tests kcagc.predict and kmeans.columns.predict: labels of old and new rows, what a model has, and
 * the answer to each message type at each step of the protocol (both/steps.h). */
#include "tests/unit/protocols/kcagc/predict.h"
#include "tests/unit/both/steps.h"
#include "protocols/kcagc/job.h"
#include "common/cluster/kmeans.h"
#include "common/cluster/metrics.h"
#include "protocols/kcagc/columns.h"

#include <math.h>

enum { N = 300, OLD = 240, M = 36 };

/* Makes unclear data, so that the methods below end with different labels. */
static void hard(struct planted *p, bool words)
{
	planted_make(p, &(struct plan){ .n = N, .m = M, .seed = 3, .noise = 2.0, .isolated = 4 });
	if (words)
		planted_words(p);
}

static double again(const struct planted *p, size_t L, const char *run, const char *predict,
		    enum form form)
{
	struct job job = planted_job(run), other = predict_job(predict);
	struct model *models[FED_MAX] = { NULL };
	uint32_t label[N], predicted[N];

	run_job(p, L, &job, form, models, label);
	run_job(p, L, &other, form, models, predicted);
	return agreement(label, predicted, p->n);
}

/* At least 99 % of the old nodes get their labels again, in runs whose last labels came from
 * comparing each node with the centres. */
TEST(test_old_nodes_get_their_labels)
{
	static const struct {
		const char *run, *predict;
	} jobs[] = {
		{ "method=tree", "" },
		{ "method=flat", "" },
		{ "method=basic", "" },
		{ "method=basic iterations=1 starts=1 restarts=1", "" },
		{ "method=tree iterations=1 polish=1", "" },
		{ "method=tree exchange=gram", "" },
		{ "method=tree filter.kind=spectral filter.order=3", "" },
		{ "method=flat projection.row_power=0.5", "" },
		{ "method=flat filter.order=auto", "" },
		{ "method=tree joint_norm=true", "joint_norm=true" },
		{ "method=tree joint_norm=true projection.row_power=0", "joint_norm=true" },
		{ "method=basic preset=paper", "secure_sum.fraction_bits=32" },
	};

	for (int words = 0; words < 2; words++) {
		struct planted p;

		hard(&p, words);
		for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
			/* Runs two of the eight variants. All jobs together run each variant. */
			for (size_t variant = (i + (size_t)words) % 4; variant < 8; variant += 4) {
				enum form form = variant & 4 ? words ? SPARSE_ONES : SPARSE : DENSE;
				size_t L = variant == 7 ? 2 : 5;
				char run[256];
				double same;

				if (!(variant & 2) &&
				    (*jobs[i].predict == 'j' || strstr(jobs[i].run, "row_power")))
					continue; /* joint norms and row_power need unit rows */

				snprintf(run, sizeof(run), "%s features=%s projection.unit_rows=%s",
					 jobs[i].run, variant & 1 ? "idf" : "raw",
					 variant & 2 ? "true" : "false");
				same = again(&p, L, run, jobs[i].predict, form);
				if (same < 0.99)
					fail_msg("%s, words %d, form %d, L=%zu: %.4f", run, words,
						 form, L, same);
			}
		planted_release(&p);
	}
}

/* Finds for each row the nearest mean of the old rows' clusters, with all columns pooled. */
static void nearest_means(const struct planted *old, const struct planted *all, bool standardize,
			  const uint32_t *label, uint32_t *nearest)
{
	struct features first = { 0 }, rows = { 0 };
	struct standard_by by = { 0 };
	struct mat Z, Y, c;

	mat_copy(&first.dense, &old->X);
	mat_copy(&rows.dense, &all->X);
	assert_ok(columns_points(&first, standardize, NULL, &Z, &by));
	columns_again(&rows, &by, &Y);
	mat_init(&c, 3, Z.cols);
	kmeans_centres(&Z, NULL, label, &c);
	kmeans_nearest(&Y, &c, nearest);
	mat_release(&c);
	mat_release(&Y);
	mat_release(&Z);
	standard_by_release(&by);
}

/* In kmeans.columns, rows of the run get their labels again, alone or among other rows. New rows
 * get the label of the nearest pooled mean. */
TEST(test_rows_of_columns)
{
	static const char *const runs[] = { "method=tree",
					    "method=flat",
					    "method=basic",
					    "method=tree exchange=gram",
					    "method=flat standardize=none",
					    "method=basic iterations=1 starts=1 restarts=1" };
	static const char run_text[] =
	    "{\"kind\":\"kmeans.columns\",\"clusters\":3,\"secure_sum\":{"
	    "\"group\":\"x25519\"},\"allow_single\":true}";
	static const char text[] =
	    "{\"kind\":\"kmeans.columns.predict\",\"clusters\":3,"
	    "\"model\":\"74657374000000000000000000000000\",\"allow_single\":true,"
	    "\"secure_sum\":{\"group\":\"x25519\"}}";
	struct planted all, old;

	planted_make(&all, &(struct plan){ .n = N, .m = 8, .seed = 5, .noise = 2.0 });
	for (size_t i = 0; i < N; i++)
		MAT(&all.X, i, 7) = 5; /* left out if columns are standardised */
	planted_first(&all, OLD, &old);
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		/* The last run is cut short. With one party its k-means would then have newer
		 * centres than labels. */
		for (size_t L = i < 5 ? 1 : 2; L <= 4; L++) {
			struct job job = job_of(run_text, sizeof(run_text) - 1, runs[i]),
				   predict = job_of(text, sizeof(text) - 1, "");
			enum form form = L % 2 ? SPARSE : DENSE;
			struct model *models[FED_MAX] = { NULL };
			uint32_t label[N], predicted[N], nearest[N];

			run_job(&old, L, &job, form, models, label);
			run_job(&old, L, &predict, form, models, predicted);
			if (agreement(label, predicted, OLD) != 1)
				fail_msg("%s, L=%zu: %.4f", runs[i], L,
					 agreement(label, predicted, OLD));
			run_job(&old, L, &job, form, models, label);
			run_job(&all, L, &predict, form, models, predicted);
			assert_memory_equal(label, predicted, OLD * sizeof(*label));
			if (i == 2) { /* this run continues until no row moves */
				nearest_means(&old, &all, form == DENSE, label, nearest);
				assert_true(agreement(nearest + OLD, predicted + OLD, N - OLD) ==
					    1);
			}
		}
	planted_release(&old);
	planted_release(&all);
}

TEST(test_one_party)
{
	struct planted p;

	hard(&p, false);
	assert_true(again(&p, 1, "polish=2", "", DENSE) >= 0.99);
	assert_true(again(&p, 1, "polish=0", "", DENSE) >= 0.99);
	planted_release(&p);
}

/* Compares the predicted labels with those of a run over all nodes, which may number its clusters
 * differently. */
TEST(test_new_nodes_against_a_full_run)
{
	static const char *const methods[] = { "method=tree", "method=flat", "method=basic" };
	struct planted all, old;

	planted_make(&all, &(struct plan){ .n = N, .m = M, .seed = 1, .noise = 1.0 });
	planted_first(&all, OLD, &old);
	for (int i = 0; i < 3; i++) {
		struct job job = planted_job(methods[i]), predict = predict_job("");
		uint32_t before[N], predicted[N], full[N];
		struct model *models[FED_MAX] = { NULL };
		struct metrics m;

		run_job(&old, 4, &job, DENSE, models, before);
		run_job(&all, 4, &predict, DENSE, models, predicted);
		run_job(&all, 4, &job, DENSE, NULL, full);
		assert_ok(metrics_of(full, predicted, N, &m));
		assert_true(m.acc >= 0.97);
		assert_ok(metrics_of(full + OLD, predicted + OLD, N - OLD, &m));
		assert_true(m.acc >= 0.95);
		assert_true(agreement(before, predicted, OLD) >=
			    0.97); /* new neighbours change some labels of old nodes */
	}
	planted_release(&old);
	planted_release(&all);
}

/* ---- models made by hand ---- */

/* Makes a model of m plain columns: no filter, no projection, no scaling. */
static struct model *plain_model(size_t m, size_t k, uint64_t seed)
{
	struct model *model = alloc(1, sizeof(*model));
	struct rng rng;

	rng_seed(&rng, seed, 1);
	model->kept = true;
	model->clusters = (unsigned)k;
	mat_init(&model->how.map, m, m);
	for (size_t j = 0; j < m; j++)
		MAT(&model->how.map, j, j) = 1;
	mat_init(&model->centre, k, m);
	for (size_t i = 0; i < k * m; i++)
		model->centre.a[i] = rng_normal(&rng);
	ALLOC(model->size, k);
	for (size_t r = 0; r < k; r++)
		model->size[r] = 1;
	return model;
}

/* Returns the nearest centre over all parties' columns. Ignores clusters without nodes. */
static uint32_t nearest(const struct planted *p, size_t L, struct model *const *models, size_t i)
{
	double least = INFINITY;
	uint32_t best = 0;

	for (uint32_t r = 0; r < models[0]->clusters; r++) {
		double D = 0;

		for (size_t j = 0; j < p->m; j++) {
			double gap = MAT(&p->X, i, j) - MAT(&models[j % L]->centre, r, j / L);

			D += gap * gap;
		}
		if (models[0]->size[r] && D < least) {
			least = D;
			best = r;
		}
	}
	return best;
}

static void check_nearest(size_t n, size_t k, const char *settings, bool holes)
{
	enum { L = 3 };
	struct job job = predict_job(settings);
	uint32_t *label = alloc(n, sizeof(*label)), *expected = alloc(n, sizeof(*expected));
	struct model *models[FED_MAX] = { NULL };
	struct planted p;

	planted_make(&p, &(struct plan){ .n = n, .m = 9, .seed = 5, .noise = 1.0 });
	for (size_t l = 0; l < L; l++) {
		models[l] = plain_model(3, k, 7 + l);
		for (size_t r = 0; holes && r < k; r++) {
			models[l]->size[r] = r % 3 == 1;
			/* The cluster has no nodes. Its centre would be the nearest, but must not
			 * count. */
			if (r % 3 != 1)
				memset(ROW(&models[l]->centre, r), 0, 3 * sizeof(double));
		}
	}
	for (size_t i = 0; i < n; i++)
		expected[i] = nearest(&p, L, models, i);
	run_job(&p, L, &job, DENSE, models, label);
	assert_true(agreement(label, expected, n) >= 0.999);
	planted_release(&p);
	free(expected);
	free(label);
}

/* Sends several sums with a short last one, and one sum of the largest length. */
TEST(test_many_sums)
{
	size_t rows = predict_rows(4096);

	check_nearest(2 * rows + 17, 4096, "clusters=4096", false);
	check_nearest(rows, 4096, "clusters=4096", false);
	assert_int_equal(predict_rows(PREDICT_WORDS + 1), 1);
}

TEST(test_clusters_without_nodes)
{
	check_nearest(N, 12, "clusters=12", true);
}

/* ---- models of a run ---- */

/* Each party's model covers its own columns, with the cluster sizes of the result. */
TEST(test_models_are_of_the_run)
{
	enum { L = 5 };
	struct job job = planted_job("method=tree secure_sum.fraction_bits=20");
	struct model *models[FED_MAX] = { NULL };
	uint32_t label[N];
	uint64_t size[PLANTED_K] = { 0 };
	struct planted p;

	hard(&p, false);
	run_job(&p, L, &job, DENSE, models, label);
	for (size_t i = 0; i < N; i++)
		size[label[i]]++;
	for (size_t l = 0; l < L; l++) {
		const struct model *m = models[l];

		assert_true(m->kept && m->own == l && m->L == L && m->nodes == N);
		assert_true(m->method == METHOD_TREE && m->fraction_bits == 20);
		assert_int_equal(m->how.map.rows, (M - l + L - 1) / L);
		assert_int_equal(m->how.map.cols, PLANTED_K);
		assert_int_equal(m->centre.cols, PLANTED_K);
		assert_memory_equal(m->size, size, sizeof(size));
		model_free(models[l]);
	}
	planted_release(&p);
}

/* Other parties' data do not change a byte of a party's model if the clusters stay the same. */
TEST(test_model_holds_nothing_of_others)
{
	struct job job = planted_job("method=flat");
	struct model *models[2][FED_MAX];
	uint32_t label[2][N];
	struct buf bytes[2] = { { 0 }, { 0 } };
	struct planted p;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 1, .noise = 0.05 });
	for (int run = 0; run < 2; run++) {
		run_job(&p, 3, &job, DENSE, models[run], label[run]);
		model_print(models[run][1], &bytes[run]);
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < M; j++)
				if (j % 3 != 1)
					MAT(&p.X, i, j) *= 1.25;
	}
	assert_memory_equal(label[0], label[1], sizeof(label[0]));
	assert_int_equal(bytes[0].n, bytes[1].n);
	assert_memory_equal(bytes[0].p, bytes[1].p, bytes[0].n);
	bytes[0].n = 0;
	model_print(models[0][0], &bytes[0]); /* models of two parties do differ */
	assert_true(bytes[0].n != bytes[1].n || memcmp(bytes[0].p, bytes[1].p, bytes[0].n) != 0);
	for (int run = 0; run < 2; run++) {
		for (size_t l = 0; l < 3; l++)
			model_free(models[run][l]);
		buf_release(&bytes[run]);
	}
	planted_release(&p);
}

TEST(test_min_cell_keeps_no_centres)
{
	struct job job = planted_job("method=tree min_cell=5");
	struct model *models[FED_MAX] = { NULL };
	uint32_t label[N];
	struct planted p;

	hard(&p, false);
	run_job(&p, 3, &job, DENSE, models, label);
	for (size_t l = 0; l < 3; l++) {
		assert_true(!models[l]->kept && models[l]->min_cell == 5);
		assert_null(models[l]->centre.a);
		assert_null(models[l]->how.map.a);
		model_free(models[l]);
	}
	planted_release(&p);
}

/* ---- wrong messages ---- */

static const struct plan few = { .n = 48, .m = 16, .seed = 1, .noise = 1.5 };

static struct recording *recorded(size_t L, const char *run, const char *predict)
{
	struct job before = planted_job(run);
	struct model *models[FED_MAX] = { NULL };
	struct recording *r;
	uint32_t label[48];

	ALLOC(r, 1);
	planted_make(&r->data, &few);
	run_job(&r->data, L, &before, DENSE, models, label);
	r->job = predict_job(predict);
	recording_init(r, L);
	for (size_t l = 0; l < L; l++)
		r->f.party[l].model = models[l];
	federation_run(&r->f);
	federation_succeeded(&r->f);
	return r;
}

TEST(test_wrong_message_at_every_step)
{
	struct recording *r = recorded(3, "method=tree", "");
	static const enum msg_type to_party[] = { MSG_CHOICE, MSG_RESULT },
				   from_party[] = { MSG_MASKED };

	assert_holds(&r->to_party[1], to_party, 2);
	assert_holds(&r->from_party[1], from_party, 1);
	assert_int_equal(r->to_party[1].count, 2); /* the party receives a bound and the result */
	assert_int_equal(r->from_party[1].count, 2);
	check_recording(r, 1);
}

TEST(test_steps_with_norms)
{
	static const enum msg_type to_party[] = { MSG_MATRIX, MSG_RESULT };
	struct recording *r = recorded(2, "method=tree joint_norm=true", "joint_norm=true");

	assert_holds(&r->to_party[0], to_party, 2);
	check_recording(r, 0);
}

TEST(test_steps_of_one_party)
{
	check_recording(recorded(1, "polish=1", ""), 0);
}

/* Refuses a result with a node in no cluster. */
TEST(test_result_without_a_label)
{
	struct recording *r = recorded(2, "method=tree", "");
	struct listener to = { r, 1, false };
	struct mailbox *mailbox = mailbox_new(5);
	struct channel *hub = channel_new(mailbox, COORD, "p1");
	uint32_t label[48];
	struct script s = { 0 };
	struct outcome out;
	struct buf body = { 0 };
	enum msg_type type;

	memcpy(label, r->f.server.label, sizeof(label));
	label[7] = PLANTED_K;
	assert_ok(channel_send_labels(hub, MSG_RESULT, 2, PLANTED_K, label, 48));
	assert_true(channel_take(hub, &type, &body));
	script_copy(&s, &r->to_party[1], 1); /* the bound */
	script_add(&s, type, (struct bytes){ body.p, body.n }, "");
	replay(&to, &s, &out);
	assert_refused(&to, 1, "a node without a label", MSG_RESULT, &out);
	assert_non_null(strstr(out.why, "entry 7 in none of 3 clusters"));
	channel_free(hub);
	mailbox_free(mailbox);
	buf_release(&body);
	script_release(&s);
	recording_free(r);
}
