/* Tests the models in a party's state directory: they are kept and found, and a job that a model
 * does not fit is refused. */
#include "protocols/kcagc/job.h"
#include "tests/test.h"
#include "tests/unit/protocols/kcagc/models.h"
#include "tests/unit/dir.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "protocols/kcagc/party/model.h"
#include "protocols/kcagc/party/kcagc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- in the state directory ---- */

static char *path_in_dir(void)
{
	char name[64] = "model-";

	for (int i = 0; i < JOB_ID_LEN; i++)
		snprintf(name + 6 + 2 * i, 3, "%02x", ID);
	strcat(name, ".bin");
	return file_join(dir, name);
}

static void test_kept_and_found(void **state)
{
	struct model *m = sample(true), *found;
	uint8_t other[JOB_ID_LEN] = { 1, 2, 3 };
	char *path, *renamed;
	struct stat st;

	(void)state;
	path = path_in_dir();
	assert_ok(model_keep(m, dir));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_ok(model_find(dir, m->job_id, &found));
	assert_memory_equal(found->centre.a, m->centre.a, K * DIMS * sizeof(double));
	model_free(found);
	assert_err(model_find(dir, other, &found), ERR_INPUT,
		   "there is no model of run 01020300000000000000000000000000 here");
	renamed = file_join(dir, "model-01020300000000000000000000000000.bin");
	assert_int_equal(rename(path, renamed), 0);
	assert_err(model_find(dir, other, &found), ERR_INPUT,
		   "is the model of another run, renamed");
	model_forget(dir, other);
	assert_false(file_exists(renamed));
	model_forget(dir, other); /* the file no longer exists */
	free(renamed);
	free(path);
	model_free(m);
}

/* Errors contain neither the directory nor ids of other runs, because other parties see them. */
static void test_sentences_keep_to_the_party(void **state)
{
	uint8_t other[JOB_ID_LEN] = { 1, 2, 3 };
	struct model *m = sample(true), *found;
	char *path;

	(void)state;
	path = path_in_dir();
	assert_ok(model_keep(m, dir));
	assert_int_equal(model_find(dir, other, &found), ERR_INPUT);
	assert_null(strstr(err_detail(), dir));
	assert_null(strstr(err_detail(), "5a5a"));
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(model_find(dir, m->job_id, &found), ERR_INPUT);
	assert_null(strstr(err_detail(), dir));
	free(path);
	model_free(m);
}

/* ---- models that do not fit a job ---- */

static struct work work_like_sample(void)
{
	struct work w = { .L = 3, .own = 1 };

	for (int l = 0; l < 3; l++)
		snprintf(w.name[l], sizeof(w.name[l]), "bank-%c", 'a' + l);
	w.job.kind = &kind_kcagc_predict;
	w.job.clusters = K;
	w.job.fraction_bits = 16;
	memset(kcagc_job(&w.job)->model, ID, sizeof(kcagc_job(&w.job)->model));
	w.state = dir;
	return w;
}

static void test_fits_or_says_why(void **state)
{
	static const struct {
		const char *why;
		int wrong;
	} cases[] = {
		{ NULL, 0 },
		{ "job.clusters is 5, the run of job.model had 4: expected the same", 1 },
		{ "job.joint_norm is true, in the run of job.model it was false", 2 },
		{ "job.secure_sum.fraction_bits is 12, the run of job.model had 16: expected at "
		  "least as many",
		  3 },
		{ "the features of bank-b have 8 columns, in the run of job.model they had 7", 4 },
		{ "the run of job.model had 3 parties, this job has 2", 5 },
		{ "bank-c was in the run of job.model, and bank-d is in this job", 6 },
		{ "the model is that of bank-b, not of bank-a", 7 },
		{ "the run of job.model had 3 parties, this job has 4", 8 },
		{ NULL, 9 },
	};
	struct model *m = sample(true);

	(void)state;
	assert_ok(model_keep(m, dir));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct features X = { 0 };
		struct work w = work_like_sample();
		int wrong = cases[i].wrong;
		enum err e;

		w.features = &X;
		w.job.clusters += wrong == 1;
		kcagc_job(&w.job)->joint_norm = wrong == 2;
		w.job.fraction_bits = wrong == 3 ? 12 : wrong == 9 ? 32 : 16;
		w.L = wrong == 5 ? 2 : wrong == 8 ? 4 : 3;
		if (wrong == 6)
			strcpy(w.name[2], "bank-d");
		if (wrong == 8)
			strcpy(w.name[3], "bank-d");
		w.own = wrong == 7 ? 0 : 1;
		X.dense.cols = COLUMNS + (wrong == 4);
		e = predict_prepare(&w);
		if (!cases[i].why) {
			assert_ok(e);
			assert_non_null(kcagc_party(&w)->model);
			party_kind_kcagc_predict.release(&w);
		} else {
			assert_err(e, ERR_INPUT, cases[i].why);
			assert_null(w.protocol);
		}
	}
	model_free(m);
}

/* A prediction refuses a model of another kind: kcagc.predict refuses a model of kmeans.columns,
 * and the reverse. */
static void test_of_another_kind(void **state)
{
	struct features X = { .dense.cols = 4 };

	(void)state;
	for (int columns = 0; columns < 2; columns++) {
		struct model *m = columns ? sample_of_columns() : sample(true);
		struct work w = work_like_sample();

		w.features = &X;
		assert_ok(model_keep(m, dir));
		w.job.kind = columns ? &kind_kcagc_predict : &kind_kmeans_columns_predict;
		assert_err(predict_prepare(&w), ERR_INPUT,
			   columns
			       ? "job.kind is kcagc.predict, and the run of job.model was of kind "
				 "kmeans.columns: expected kmeans.columns.predict"
			       : "job.kind is kmeans.columns.predict, and the run of job.model was "
				 "of kind kcagc: expected kcagc.predict");
		if (columns) {
			w.job.kind = &kind_kmeans_columns_predict;
			assert_ok(predict_prepare(&w));
			party_kind_kmeans_columns_predict.release(&w);
		}
		model_free(m);
	}
}

static void test_runs_without_centres(void **state)
{
	struct model *m = sample(false);
	struct features X = { .dense.cols = COLUMNS };
	struct work w = work_like_sample();

	(void)state;
	w.features = &X;
	assert_ok(model_keep(m, dir));
	assert_err(predict_prepare(&w), ERR_INPUT,
		   "the run of job.model was of method gcc, whose clusters have no centres");
	m->method = METHOD_TREE;
	m->min_cell = 5;
	assert_ok(model_keep(m, dir));
	assert_err(predict_prepare(&w), ERR_INPUT,
		   "the run of job.model had min_cell 5, so no centres of it were kept");
	assert_null(w.protocol);
	model_free(m);
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, dir_make, dir_remove)

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(test_kept_and_found),       WITH_DIR(test_sentences_keep_to_the_party),
		WITH_DIR(test_fits_or_says_why),     WITH_DIR(test_of_another_kind),
		WITH_DIR(test_runs_without_centres),
	};

	log_init("test", LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
