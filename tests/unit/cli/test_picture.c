/* Pictures of a party's run: made here as a party makes it, from planted data. */
#include "tests/test.h"

#include "cli/picture.h"
#include "cli/planted.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/rng.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "common/data/labels.h"
#include "common/data/mtx.h"
#include "common/job/record.h"
#include "common/math/kmeans.h"
#include "common/math/pca.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 240, M = 90, K = 3 };
#define JOB "{\"kind\": \"kcagc\", \"clusters\": 3, \"seed\": 5, \"filter\": {\"order\": 4}}"

static char dir[] = "/tmp/coterie-test-XXXXXX";
static char *data, *plain, *run, *bare; /* data with ids and without, and a run on each */
static uint32_t label[N];               /* of the runs, in the files' order */
static char *id[N];
static struct mat points; /* N x d, in the files' order */

/* ---- a party's directories ---- */

static void put(const char *in, const char *name, const char *text)
{
	char *path = file_join(in, name);

	assert_ok(
	    file_write(path, (struct bytes){ (const uint8_t *)text, strlen(text) }, FILE_PUBLIC));
	free(path);
}

static void put_buf(const char *in, const char *name, struct buf *text)
{
	buf_add(text, "", 1);
	put(in, name, (const char *)text->p);
	buf_release(text);
}

/* Ids in an order of their own: what is matched by position is matched wrongly. */
static void make_data(void)
{
	struct planted_params p = { N, M, K, 6, 0.9, 0.6, 3 };
	struct planted g;
	struct buf text = { 0 };
	uint32_t name[N];
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (uint32_t i = 0; i < N; i++)
		name[i] = i;
	rng_shuffle(&rng, name, N);
	assert_ok(planted_make(&p, &g));
	for (size_t i = 0; i < N; i++) {
		char one[24];

		snprintf(one, sizeof(one), "node,%03u", name[i]);
		id[i] = alloc_copy(one);
		buf_printf(&text, "%s\n", one);
	}
	put_buf(data, "ids.txt", &text);
	edges_print_tsv(&g.adjacency, id, &text);
	put_buf(data, "edges.tsv", &text);
	edges_print_tsv(&g.adjacency, NULL, &text);
	put_buf(plain, "edges.tsv", &text);
	for (int i = 0; i < 2; i++) {
		mtx_print(&g.features, &text);
		put_buf(i ? data : plain, "features.mtx", &text);
	}
	planted_release(&g);
}

static void make_record(const char *out, const struct job *job, const struct dataset_files *files,
			const uint32_t *sorted)
{
	static const char *const names[] = { "a", "b" };
	static const uint8_t job_id[16] = { 7 };
	struct record r;

	record_init(&r, "party", "a");
	record_start(&r, job, job_id, 1, names, 2);
	if (files)
		record_data(&r, files->features, files->edges, files->ids, NULL);
	record_result(&r, sorted, N, K);
	record_end(&r, ERR_OK, "");
	assert_ok(record_write(&r, out));
	record_release(&r);
}

/* The embedding and its clusters as party/kcagc.c has them, alone. */
static void make_run(const char *from, const char *out, bool says_where)
{
	struct kmeans_params search = { .k = K, .restarts = 3, .iterations = 20, .threads = 1 };
	struct dataset_files files;
	struct embed_params how;
	struct dataset d;
	struct mat Z;
	struct job job;
	uint32_t sorted[N], *own;
	char *csv = file_join(out, "labels.csv");

	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)JOB, strlen(JOB) }, "job", NULL));
	how = job_embed_params(&job, 1);
	assert_ok(dataset_find(from, DATASET_BOTH, &files));
	assert_ok(dataset_load(&d, files.features, files.edges, files.ids));
	assert_ok(embed(&d.X, &d.g, &how, &Z));
	kmeans(&Z, NULL, &search, sorted, NULL, NULL);
	assert_ok(dataset_write_labels_csv(csv, &d, sorted));
	make_record(out, &job, says_where ? &files : NULL, sorted);
	own = dataset_own_order(&d, sorted);
	memcpy(label, own, sizeof(label));
	mat_release(&points);
	mat_init(&points, N, Z.cols);
	for (size_t i = 0; i < N; i++)
		memcpy(ROW(&points, d.has_ids ? d.ids.row[i] : i), ROW(&Z, i),
		       Z.cols * sizeof(*Z.a));
	free(own);
	free(csv);
	mat_release(&Z);
	dataset_release(&d);
	dataset_files_release(&files);
}

static int make(void **state)
{
	(void)state;
	strcpy(strrchr(dir, '-'), "-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	data = file_join(dir, "data");
	plain = file_join(dir, "plain");
	run = file_join(dir, "run");
	bare = file_join(dir, "bare");
	assert_ok(file_make_dirs(data));
	assert_ok(file_make_dirs(plain));
	assert_ok(file_make_dirs(run));
	assert_ok(file_make_dirs(bare));
	make_data();
	make_run(plain, bare, false);
	make_run(data, run, true);
	return 0;
}

static int unmake(void **state)
{
	char command[64];

	(void)state;
	for (size_t i = 0; i < N; i++)
		free(id[i]);
	free(data);
	free(plain);
	free(run);
	free(bare);
	mat_release(&points);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* ---- what is shown ---- */

static void is_whole(const struct picture *p)
{
	assert_int_equal(p->n, N);
	assert_int_equal(p->total, N);
	assert_int_equal(p->clusters, K);
	assert_int_equal(p->dims, points.cols);
	assert_memory_equal(p->label, label, sizeof(label));
	for (size_t i = 0; i < N; i++)
		assert_int_equal(p->row[i], i);
}

static void same_picture(const struct picture *a, const struct picture *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->xy, b->xy, 2 * a->n * sizeof(*a->xy));
	assert_memory_equal(a->label, b->label, a->n * sizeof(*a->label));
	assert_memory_equal(a->row, b->row, a->n * sizeof(*a->row));
	assert_string_equal(a->caption, b->caption);
}

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
	put_buf(bare, "run.json", &text);
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
		put_buf(bare, "run.json", &text);
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

/* What a launcher made for the run and removed after it. */
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
	put(dir, "party.json", config);
	assert_ok(picture_make(&how, &p));
	is_whole(&p);
	picture_release(&p);
	how.data = data;
	assert_err(picture_make(&how, &p), ERR_INPUT, "expected one of them");
	free(path);
}

/* ---- labels are matched by id ---- */

/* A run like the first one, with the text as its labels.csv. */
static char *run_with(struct buf *csv)
{
	char *other = file_join(dir, "other"), *from = file_join(run, "run.json");
	struct buf text = { 0 };

	assert_ok(file_make_dirs(other));
	assert_ok(file_read(from, JSON_TEXT_MAX, &text));
	put_buf(other, "run.json", &text);
	put_buf(other, "labels.csv", csv);
	free(from);
	return other;
}

static void order_of_labels(void **state)
{
	struct buf csv = { 0 };
	struct picture p;
	char *other;

	(void)state;
	buf_printf(&csv, "id,label\n");
	for (size_t i = N; i-- > 0;)
		buf_printf(&csv, "\"%s\",%u\n", id[i], label[i]);
	other = run_with(&csv);
	assert_ok(picture_make(&(struct picture_params){ .run = other, .threads = 1 }, &p));
	is_whole(&p);
	picture_release(&p);
	free(other);
}

/* One line of labels.csv in place of the last one, and more of them. */
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

static void labels_that_do_not_fit(void **state)
{
	char twice[64], high[64];

	(void)state;
	snprintf(twice, sizeof(twice), "\"%s\",0", id[3]);
	snprintf(high, sizeof(high), "\"%s\",3", id[N - 1]);
	wrong_labels(N, "stranger,0", "data/ids.txt", "has the id stranger, which");
	wrong_labels(N, "7,0", "data/ids.txt", "has the id 7, which");
	wrong_labels(N, twice, "data/ids.txt", "twice");
	wrong_labels(N - 1, twice, "data/ids.txt", "has 239 rows and");
	wrong_labels(N, high, "run.json", "label 3 of the id");
}

/* Row numbers are no ids of a party that has ids, nor the other way round. */
static void data_of_another_kind(void **state)
{
	struct picture p;

	(void)state;
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

/* ---- rows as they are ---- */

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
	assert_ok(file_make_dirs(out));
	assert_ok(features_read(features, &X));
	csr_to_dense(&X.sparse, &dense);
	assert_ok(pca_plane(&dense, 1, &plane, share));
	buf_printf(&csv, "id,label\n");
	for (size_t i = 0; i < N; i++)
		buf_printf(&csv, "%zu,%zu\n", i, i % K);
	put_buf(out, "labels.csv", &csv);
	buf_printf(&json,
		   "{\"schema_version\": 1, \"role\": \"party\", \"status\": \"done\", \"data\": "
		   "{\"features\": \"%s\"}, \"job\": {\"kind\": \"kmeans\", \"clusters\": 3}}",
		   features);
	put_buf(out, "run.json", &json);
	for (int by_data = 0; by_data < 2; by_data++) {
		how.data = by_data ? plain : NULL;
		assert_ok(picture_make(&how, &p));
		assert_int_equal(p.n, N);
		assert_int_equal(p.dims, M);
		assert_memory_equal(p.xy, plane.a, sizeof(double) * 2 * N);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(p.label[i], i % K);
		assert_non_null(strstr(p.caption,
				       "240 points: the party's own features, 90 of them, as they "
				       "are. Shown along"));
		picture_release(&p);
	}
	put(out, "run.json",
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

/* ---- runs that have no picture ---- */

static void wrong_run(const char *text, const char *message)
{
	char *broken = file_join(dir, "broken");
	struct picture p;

	assert_ok(file_make_dirs(broken));
	put(broken, "run.json", text);
	assert_err(picture_make(&(struct picture_params){ .run = broken, .threads = 1 }, &p),
		   ERR_INPUT, message);
	assert_null(p.caption);
	free(broken);
}

static void runs_without_a_picture(void **state)
{
	struct picture p;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_pca),
		cmocka_unit_test(by_tsne),
		cmocka_unit_test(sample),
		cmocka_unit_test(without_ids),
		cmocka_unit_test(data_half_named),
		cmocka_unit_test(order_of_the_run),
		cmocka_unit_test(data_gone),
		cmocka_unit_test(by_config),
		cmocka_unit_test(order_of_labels),
		cmocka_unit_test(labels_that_do_not_fit),
		cmocka_unit_test(data_of_another_kind),
		cmocka_unit_test(of_rows),
		cmocka_unit_test(runs_without_a_picture),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
