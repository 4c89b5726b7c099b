/* Tests pictures of a party's run: the points, their rows, and the search for the data. */
#include "tests/unit/cli/report/picture_runs.h"
#include "cli/report/pca.h"
#include "common/data/npy.h"

#include <math.h>
#include <sys/stat.h>

TEST(by_pca)
{
	struct picture p;
	struct mat plane;
	double share[2];

	assert_ok(pca_plane(&points, 1, &plane, share));
	assert_ok(picture_make(&(struct picture_params){ .run = run, .threads = 1 }, &p));
	is_whole(&p);
	for (size_t i = 0; i < N; i++)
		assert_string_equal(p.id[i], id[i]);
	assert_memory_equal(p.xy, plane.a, sizeof(double) * 2 * N);
	assert_string_equal(p.method, "PCA");
	assert_true(p.share[0] == share[0] && p.share[1] == share[1] && share[1] > 0);
	assert_non_null(strstr(p.caption, "240 points: "));
	assert_non_null(strstr(p.caption, "filtered (half, order"));
	assert_non_null(strstr(p.caption, "principal components"));
	assert_null(strstr(p.caption, "sample"));
	mat_release(&plane);
	picture_release(&p);
	assert_null(p.xy);
}

static void write_npy(const char *path, const struct mat *m)
{
	struct buf text = { 0 };

	npy_print(m, &text);
	put_buf(path, &text);
}

/* picture_make() writes the points to the file `points` in the order of the picture's rows. The
 * file of a layout has their positions in the same order. */
TEST(by_layout)
{
	char *path = file_join(dir, "points.npy"), *plane = file_join(dir, "plane.npy");
	struct picture_params how = { .run = run, .points = path, .most = 60, .threads = 1 };
	struct mat written, xy;
	struct picture p;
	struct stat st;

	assert_ok(picture_make(&how, &p));
	picture_release(&p);
	assert_ok(npy_read(path, &written));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	mat_init(&xy, 60, 2);
	for (size_t i = 0; i < 120; i++)
		xy.a[i] = (double)(i * i % 101);
	write_npy(plane, &xy);
	how.points = NULL;
	how.layout = (struct picture_layout){ "Way & 1", plane };
	assert_ok(picture_make(&how, &p));
	assert_int_equal(written.rows, 60);
	assert_int_equal(written.cols, points.cols);
	for (size_t i = 0; i < 60; i++) {
		assert_memory_equal(ROW(&written, i), ROW(&points, p.row[i]),
				    points.cols * sizeof(double));
		assert_int_equal(p.label[i], label[p.row[i]]);
	}
	assert_memory_equal(p.xy, xy.a, 120 * sizeof(double));
	assert_string_equal(p.method, "Way & 1");
	assert_true(p.share[0] == 0 && p.share[1] == 0);
	assert_non_null(strstr(p.caption, "Laid out by Way & 1 outside of this program"));
	assert_null(strstr(p.caption, "principal components"));
	picture_release(&p);
	mat_release(&written);
	mat_release(&xy);
	free(path);
	free(plane);
}

TEST(layouts_refused)
{
	static const size_t shape[][2] = { { N - 1, 2 }, { N + 1, 2 }, { N, 1 }, { N, 3 } };
	char *plane = file_join(dir, "wrong.npy"), expected[80];
	struct picture_params how = { .run = run, .layout = { "x", plane }, .threads = 1 };
	struct picture p;
	struct mat xy;

	for (size_t i = 0; i < sizeof(shape) / sizeof(*shape); i++) {
		mat_init(&xy, shape[i][0], shape[i][1]);
		write_npy(plane, &xy);
		snprintf(expected, sizeof(expected), "is %zu x %zu: expected %d x 2", xy.rows,
			 xy.cols, N);
		assert_err(picture_make(&how, &p), ERR_INPUT, expected);
		assert_null(p.xy);
		mat_release(&xy);
	}
	mat_init(&xy, N, 2);
	xy.a[7] = NAN;
	write_npy(plane, &xy);
	assert_err(picture_make(&how, &p), ERR_INPUT, "nan");
	mat_release(&xy);
	how.layout.path = in("none.npy");
	assert_err(picture_make(&how, &p), ERR_INPUT, "none.npy: No such file");
	how.layout.path = NULL;
	how.points = in("no/such/points.npy");
	assert_err(picture_make(&how, &p), ERR_JOB, "no/such/points.npy: cannot create");
	assert_null(p.xy);
	free(plane);
}

/* Each cluster has its share of the sample. Rows are in ascending order, and each has its own label
 * and position. */
TEST(sample)
{
	struct picture_params how = { .run = run, .most = 60, .threads = 1 };
	struct picture p, all;
	size_t of[K] = { 0 }, here[K] = { 0 };

	assert_ok(picture_make(&how, &p));
	how.most = 0;
	assert_ok(picture_make(&how, &all));
	assert_int_equal(p.n, 60);
	assert_int_equal(p.total, N);
	for (size_t i = 0; i < p.n; i++) {
		uint32_t row = p.row[i];

		assert_true(row < N && (i == 0 || row > p.row[i - 1]));
		assert_int_equal(p.label[i], label[row]);
		assert_string_equal(p.id[i], id[row]);
		assert_memory_equal(p.xy + 2 * i, all.xy + 2 * row, 2 * sizeof(double));
		here[p.label[i]]++;
	}
	for (size_t i = 0; i < N; i++)
		of[label[i]]++;
	for (size_t c = 0; c < K; c++)
		assert_true(fabs((double)here[c] - (double)of[c] / 4) <= 1);
	assert_non_null(strstr(p.caption, "A sample of 60 of 240 points"));
	picture_release(&all);
	picture_release(&p);
}

/* The run `bare` is on data without ids, so rows have numbers. Its run.json names no files, so the
 * picture needs --data. */
TEST(without_ids)
{
	struct picture_params how = { .run = bare, .threads = 1 };
	struct picture p;

	assert_err(picture_make(&how, &p), ERR_INPUT, "give --data DIR or --config PARTY.json");
	assert_null(p.xy);
	how.data = plain;
	assert_ok(picture_make(&how, &p));
	assert_int_equal(p.n, N);
	assert_string_equal(p.id[17], "17");
	picture_release(&p);
}

/* A run.json that names only features gives the same error as a run.json that names no files. */
TEST(data_half_named)
{
	char *path = file_join(bare, "run.json");
	struct json *record;
	struct buf text = { 0 };
	struct picture p;

	assert_ok(json_read(path, JSON_TEXT_MAX, &record));
	json_put_string(json_put_object(record, "data"), "features", path);
	json_write(record, &text);
	json_free(record);
	put_below(bare, "run.json", &text);
	assert_err(picture_make(&(struct picture_params){ .run = bare, .threads = 1 }, &p),
		   ERR_INPUT, "give --data DIR or --config PARTY.json");
	free(path);
}

/* For filter.order "auto" the picture takes the order from run.json. */
TEST(order_of_the_run)
{
	char *path = file_join(bare, "run.json");
	struct picture_params how = { .run = bare, .data = plain, .threads = 1 };
	static const double wrong[] = { 0, -1, 2.5, 1e9 };
	struct picture given, found;
	struct json *record, *filter;
	struct buf text = { 0 };

	assert_ok(picture_make(&how, &given));
	for (size_t i = 0; i <= sizeof(wrong) / sizeof(*wrong); i++) {
		bool right = i == sizeof(wrong) / sizeof(*wrong);

		assert_ok(json_read(path, JSON_TEXT_MAX, &record));
		filter = json_put_object((struct json *)json_get(record, "job"), "filter");
		json_put_string(filter, "kind", "half");
		json_put_string(filter, "order", "auto");
		if (i) /* the first record has no order */
			json_put_number(record, "filter_order", right ? 4 : wrong[i]);
		json_write(record, &text);
		json_free(record);
		put_below(bare, "run.json", &text);
		if (!right)
			assert_err(picture_make(&how, &found), ERR_INPUT,
				   "does not say what filter.order \"auto\" became");
	}
	assert_ok(picture_make(&how, &found));
	same_picture(&given, &found);
	assert_non_null(strstr(found.caption, "order 4"));
	picture_release(&given);
	picture_release(&found);
	free(path);
}

/* If the data that run.json names are gone, as after a launcher removed its temporary directory,
 * the picture needs --data. */
TEST(data_gone)
{
	char *away = file_join(dir, "away");
	struct picture p;

	assert_int_equal(rename(data, away), 0);
	assert_err(picture_make(&(struct picture_params){ .run = run, .threads = 1 }, &p),
		   ERR_INPUT, "data/features.mtx, which is not there any more: give --data DIR");
	assert_ok(
	    picture_make(&(struct picture_params){ .run = run, .data = away, .threads = 1 }, &p));
	is_whole(&p);
	picture_release(&p);
	assert_int_equal(rename(away, data), 0);
	free(away);
}

TEST(by_config)
{
	static const char config[] =
	    "{\"name\": \"a\", \"coordinator\": \"h:1\","
	    " \"identity\": {\"certificate\": \"c\", \"key\": \"k\", \"ca\": \"ca\"},"
	    " \"peers\": {\"h\": "
	    "\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"},"
	    " \"data\": {\"features\": \"data/features.mtx\", \"edges\": \"data/edges.tsv\","
	    " \"ids\": \"data/ids.txt\"}}";
	char *path = file_join(dir, "party.json");
	struct picture_params how = { .run = run, .config = path, .threads = 1 };
	struct picture p;

	put(path, config);
	assert_ok(picture_make(&how, &p));
	is_whole(&p);
	picture_release(&p);
	how.data = data;
	assert_err(picture_make(&how, &p), ERR_INPUT, "expected one of them");
	free(path);
}

/* A picture of a kmeans or fedsc run shows the features in file order, without a graph. It finds
 * them in --data or by run.json, and ignores an edges file. */
TEST(of_rows)
{
	char *out = file_join(dir, "rows"), *features = file_join(plain, "features.mtx");
	struct picture_params how = { .run = out, .threads = 1 };
	struct features X;
	struct mat dense, plane;
	struct buf csv = { 0 }, json = { 0 };
	char caption[1024];
	struct picture p;
	double share[2];

	assert_ok(features_read(features, &X));
	csr_to_dense(&X.sparse, &dense);
	assert_ok(pca_plane(&dense, 1, &plane, share));
	buf_printf(&csv, "id,label\n");
	for (size_t i = 0; i < N; i++)
		buf_printf(&csv, "%zu,%zu\n", i, i % K);
	put_below(out, "labels.csv", &csv);
	buf_printf(&json,
		   "{\"schema_version\": 1, \"role\": \"party\", \"status\": \"done\", \"data\": "
		   "{\"features\": \"%s\"}, \"job\": {\"kind\": \"kmeans\", \"clusters\": 3}}",
		   features);
	put_below(out, "run.json", &json);
	for (int by_data = 0; by_data < 2; by_data++) {
		how.data = by_data ? plain : NULL;
		assert_ok(picture_make(&how, &p));
		assert_int_equal(p.n, N);
		assert_int_equal(p.dims, M);
		for (size_t i = 0; i < 2 * N; i++) /* columns are first shifted to mean 0 */
			assert_float_equal(p.xy[i], plane.a[i], 1e-9);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(p.label[i], i % K);
		snprintf(caption, sizeof(caption),
			 "240 points: %s%s, 90 of them, as they are. Shown along",
			 by_data ? "features of " : "the party's own features",
			 by_data ? plain : "");
		assert_non_null(strstr(p.caption, caption));
		picture_release(&p);
	}
	put(in("rows/run.json"),
	    "{\"schema_version\": 1, \"role\": \"party\", \"status\": \"done\", \"job\": "
	    "{\"kind\": "
	    "\"fedsc\", \"clusters\": 3, \"noise\": {\"on\": \"data\", \"beta\": 0.5}}}");
	assert_ok(picture_make(&how, &p));
	assert_non_null(strstr(p.caption, "as they are, without the job's noise."));
	picture_release(&p);
	how.data = NULL;
	assert_err(picture_make(&how, &p), ERR_INPUT,
		   "rows/run.json does not say where the party's features are: give --data");
	mat_release(&plane);
	mat_release(&dense);
	features_release(&X);
	free(features);
	free(out);
}

TESTS_BETWEEN(make, unmake)
