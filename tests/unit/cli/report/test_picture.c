/* Pictures of a party's run: what is shown, of which rows, and where the data are found. */
#include "tests/unit/cli/report/picture_runs.h"
#include "cli/report/tsne.h"

#include <math.h>

static void by_pca(void **state)
{
	struct picture p;
	struct mat plane;
	double share[2];

	(void)state;
	assert_ok(pca_plane(&points, 1, &plane, share));
	assert_ok(picture_make(&(struct picture_params){ .run = run, .threads = 1 }, &p));
	is_whole(&p);
	for (size_t i = 0; i < N; i++)
		assert_string_equal(p.id[i], id[i]);
	assert_memory_equal(p.xy, plane.a, sizeof(double) * 2 * N);
	assert_string_equal(p.method, "PCA");
	assert_true(p.share[0] == share[0] && p.share[1] == share[1] && share[1] > 0);
	assert_true(p.perplexity == 0 && p.divergence == 0);
	assert_non_null(strstr(p.caption, "240 points: "));
	assert_non_null(strstr(p.caption, "filtered (half, order"));
	assert_non_null(strstr(p.caption, "principal components"));
	assert_null(strstr(p.caption, "sample"));
	mat_release(&plane);
	picture_release(&p);
	assert_null(p.xy);
}

/* A point's nearest neighbour in the plane is of its cluster, and the same for any threads. */
static void by_tsne(void **state)
{
	struct picture_params how = { .run = run, .method = PICTURE_TSNE, .threads = 1 };
	struct picture p, again;
	size_t good = 0;

	(void)state;
	assert_ok(picture_make(&how, &p));
	is_whole(&p);
	assert_string_equal(p.method, "t-SNE");
	assert_true(p.perplexity == 30 && p.divergence > 0 && p.divergence < 2);
	assert_non_null(strstr(p.caption, "t-SNE (perplexity 30, 500 steps"));
	for (size_t i = 0; i < N; i++) {
		double least = INFINITY;
		size_t nearest = i;

		for (size_t j = 0; j < N; j++) {
			double d =
			    hypot(p.xy[2 * i] - p.xy[2 * j], p.xy[2 * i + 1] - p.xy[2 * j + 1]);

			if (j != i && d < least) {
				least = d;
				nearest = j;
			}
		}
		good += label[nearest] == label[i];
	}
	assert_true(good > 0.95 * N);
	how.threads = 3;
	assert_ok(picture_make(&how, &again));
	same_picture(&p, &again);
	picture_release(&again);
	picture_release(&p);
}

/* Of each cluster its share, rows rising, each with its own label and place in the plane. */
static void sample(void **state)
{
	struct picture_params how = { .run = run, .most = 60, .threads = 1 };
	struct picture p, all;
	size_t of[K] = { 0 }, here[K] = { 0 };

	(void)state;
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
	how.method = PICTURE_TSNE;
	how.most = 50;
	assert_ok(picture_make(&how, &all));
	assert_int_equal(all.n, 50);
	assert_true(all.perplexity == 49. / 3);
	picture_release(&all);
	picture_release(&p);
}

/* Without ids, rows have numbers; the run does not say where the files are. */
static void without_ids(void **state)
{
	struct picture_params how = { .run = bare, .threads = 1 };
	struct picture p;

	(void)state;
	assert_err(picture_make(&how, &p), ERR_INPUT, "give --data DIR or --config PARTY.json");
	assert_null(p.xy);
	how.data = plain;
	assert_ok(picture_make(&how, &p));
	assert_int_equal(p.n, N);
	assert_string_equal(p.id[17], "17");
	picture_release(&p);
}

/* A run.json that names features alone is as good as one that names nothing. */
static void data_half_named(void **state)
{
	char *path = file_join(bare, "run.json");
	struct json *record;
	struct buf text = { 0 };
	struct picture p;

	(void)state;
	assert_ok(json_read(path, JSON_TEXT_MAX, &record));
	json_put_string(json_put_object(record, "data"), "features", path);
	json_write(record, &text);
	json_free(record);
	put_below(bare, "run.json", &text);
	assert_err(picture_make(&(struct picture_params){ .run = bare, .threads = 1 }, &p),
		   ERR_INPUT, "give --data DIR or --config PARTY.json");
	free(path);
}

/* filter.order "auto": what it became stands in the run. */
static void order_of_the_run(void **state)
{
	char *path = file_join(bare, "run.json");
	struct picture_params how = { .run = bare, .data = plain, .threads = 1 };
	static const double wrong[] = { 0, -1, 2.5, 1e9 };
	struct picture given, found;
	struct json *record, *filter;
	struct buf text = { 0 };

	(void)state;
	assert_ok(picture_make(&how, &given));
	for (size_t i = 0; i <= sizeof(wrong) / sizeof(*wrong); i++) {
		bool right = i == sizeof(wrong) / sizeof(*wrong);

		assert_ok(json_read(path, JSON_TEXT_MAX, &record));
		filter = json_put_object((struct json *)json_get(record, "job"), "filter");
		json_put_string(filter, "kind", "half");
		json_put_string(filter, "order", "auto");
		if (i) /* at first there is none */
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

/* The directory that a launcher makes for the run and removes after it. */
static void data_gone(void **state)
{
	char *away = file_join(dir, "away");
	struct picture p;

	(void)state;
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

static void by_config(void **state)
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

	(void)state;
	put(path, config);
	assert_ok(picture_make(&how, &p));
	is_whole(&p);
	picture_release(&p);
	how.data = data;
	assert_err(picture_make(&how, &p), ERR_INPUT, "expected one of them");
	free(path);
}

/* Of kmeans and fedsc: features in the files' order, without a graph, found by --data or by the
 * run, and an edges file that is there is not looked at. */
static void of_rows(void **state)
{
	char *out = file_join(dir, "rows"), *features = file_join(plain, "features.mtx");
	struct picture_params how = { .run = out, .threads = 1 };
	struct features X;
	struct mat dense, plane;
	struct buf csv = { 0 }, json = { 0 };
	struct picture p;
	double share[2];

	(void)state;
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
		for (size_t i = 0; i < 2 * N; i++) /* columns come to mean 0 first */
			assert_float_equal(p.xy[i], plane.a[i], 1e-9);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(p.label[i], i % K);
		assert_non_null(strstr(p.caption,
				       "240 points: the party's own features, 90 of them, as they "
				       "are. Shown along"));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_pca),          cmocka_unit_test(by_tsne),
		cmocka_unit_test(sample),          cmocka_unit_test(without_ids),
		cmocka_unit_test(data_half_named), cmocka_unit_test(order_of_the_run),
		cmocka_unit_test(data_gone),       cmocka_unit_test(by_config),
		cmocka_unit_test(of_rows),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
