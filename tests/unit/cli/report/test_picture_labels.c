/* Pictures match labels with rows by id. A run of which no picture can be made gets an error. */
#include "tests/unit/cli/report/picture_runs.h"

/* Makes a copy of `run` with this text as labels.csv, and returns its path. */
static char *run_with(struct buf *csv)
{
	char *other = file_join(dir, "other"), *from = file_join(run, "run.json");
	struct buf text = { 0 };

	assert_ok(file_read(from, JSON_TEXT_MAX, &text));
	put_below(other, "run.json", &text);
	put_below(other, "labels.csv", csv);
	free(from);
	return other;
}

TEST(order_of_labels)
{
	struct buf csv = { 0 };
	struct picture p;
	char *other;

	buf_printf(&csv, "id,label\n");
	for (size_t i = N; i-- > 0;)
		buf_printf(&csv, "\"%s\",%u\n", id[i], label[i]);
	other = run_with(&csv);
	assert_ok(picture_make(&(struct picture_params){ .run = other, .threads = 1 }, &p));
	is_whole(&p);
	picture_release(&p);
	free(other);
}

/* Writes labels.csv with `lines` lines, of which the last is `last`. Expects an error with
 * `message`, `also` and the path of labels.csv. */
static void wrong_labels(size_t lines, const char *last, const char *also, const char *message)
{
	struct buf csv = { 0 };
	struct picture p;
	char *other;

	buf_printf(&csv, "id,label\n");
	for (size_t i = 0; i < lines - 1; i++)
		buf_printf(&csv, "\"%s\",%u\n", id[i], label[i]);
	buf_printf(&csv, "%s\n", last);
	other = run_with(&csv);
	assert_err(picture_make(&(struct picture_params){ .run = other, .threads = 1 }, &p),
		   ERR_INPUT, message);
	assert_non_null(strstr(err_detail(), also));
	assert_non_null(strstr(err_detail(), "other/labels.csv"));
	free(other);
}

TEST(labels_that_do_not_fit)
{
	char twice[64], high[64];

	snprintf(twice, sizeof(twice), "\"%s\",0", id[3]);
	snprintf(high, sizeof(high), "\"%s\",3", id[N - 1]);
	wrong_labels(N, "stranger,0", "data/ids.txt", "has the id stranger, which");
	wrong_labels(N, "7,0", "data/ids.txt", "has the id 7, which");
	wrong_labels(N, twice, "data/ids.txt", "twice");
	wrong_labels(N - 1, twice, "data/ids.txt", "has 239 rows and");
	wrong_labels(N, high, "run.json", "label 3 of the id");
}

/* Row numbers do not match ids, nor ids row numbers. */
TEST(data_of_another_kind)
{
	struct picture p;

	assert_err(
	    picture_make(&(struct picture_params){ .run = run, .data = plain, .threads = 1 }, &p),
	    ERR_INPUT, "plain/features.mtx has not");
	assert_err(
	    picture_make(&(struct picture_params){ .run = bare, .data = data, .threads = 1 }, &p),
	    ERR_INPUT, "has the id 0, which");
	assert_err(
	    picture_make(&(struct picture_params){ .run = run, .data = run, .threads = 1 }, &p),
	    ERR_INPUT, "no features.mtx");
}

static void wrong_run(const char *text, const char *message)
{
	char *broken = file_join(dir, "broken");
	struct picture p;

	put(in("broken/run.json"), text);
	assert_err(picture_make(&(struct picture_params){ .run = broken, .threads = 1 }, &p),
		   ERR_INPUT, message);
	assert_null(p.caption);
	free(broken);
}

TEST(runs_without_a_picture)
{
	struct picture p;

	assert_err(picture_make(&(struct picture_params){ .run = dir, .threads = 1 }, &p),
		   ERR_INPUT, "run.json");
	wrong_run("{\"schema_version\": 1, \"role\": ", "run.json");
	wrong_run("[]", "expected schema_version");
	wrong_run("{\"schema_version\": 99}", "expected schema_version");
	wrong_run("{\"schema_version\": 1, \"role\": \"coordinator\", \"status\": \"done\"}",
		  "not a party's run");
	wrong_run("{\"schema_version\": 1, \"role\": \"party\", \"status\": \"failed\"}",
		  "the run failed");
	wrong_run("{\"schema_version\": 1, \"role\": \"party\", \"status\": \"done\"}",
		  "no job in it");
	wrong_run("{\"schema_version\": 1, \"role\": \"party\", \"status\": \"done\","
		  " \"job\": {\"kind\": \"x\"}}",
		  "broken/run.json: job.kind");
	wrong_run("{\"schema_version\": 1, \"role\": \"party\", \"status\": \"done\","
		  " \"job\": {\"kind\": \"fedspectral\", \"clusters\": 3}}",
		  "a job of kind fedspectral has no picture");
	wrong_run("{\"schema_version\": 1, \"role\": \"party\", \"status\": \"done\","
		  " \"job\": " JOB "}",
		  "broken/labels.csv");
}

TESTS_BETWEEN(make, unmake)
