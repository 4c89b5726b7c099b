/* picture_runs.h -- makes runs for tests of pictures: planted data, and the result of one party
 * alone. */
#ifndef TESTS_UNIT_CLI_REPORT_PICTURE_RUNS_H
#define TESTS_UNIT_CLI_REPORT_PICTURE_RUNS_H

#include "tests/unit/dir.h"

#include "cli/report/picture.h"
#include "cli/synth/planted.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "common/data/labels.h"
#include "common/data/mtx.h"
#include "common/job/record.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/job.h"

enum { N = 240, M = 90, K = 3 };
#define JOB                                                                                        \
	"{\"kind\": \"kcagc\", \"method\": \"tree\", \"clusters\": 3, \"seed\": 5, \"filter\": "   \
	"{\"order\": 4}}"

/* `data` has ids, `plain` has none. `run` is a run on `data`, and `bare` is a run on `plain`. */
static char *data, *plain, *run, *bare;
static uint32_t label[N]; /* labels of the runs, in file order */
static char *id[N];
static struct mat points; /* embedding of the runs, N rows in file order */

static inline void put_below(const char *where, const char *name, struct buf *text)
{
	char *path = file_join(where, name);

	put_buf(path, text);
	free(path);
}

/* Ids are shuffled, so that code that matches rows by position fails. */
static inline void make_data(void)
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
	put_below(data, "ids.txt", &text);
	edges_print_tsv(&g.adjacency, id, &text);
	put_below(data, "edges.tsv", &text);
	edges_print_tsv(&g.adjacency, NULL, &text);
	put_below(plain, "edges.tsv", &text);
	for (int i = 0; i < 2; i++) {
		mtx_print(&g.features, &text);
		put_below(i ? data : plain, "features.mtx", &text);
	}
	planted_release(&g);
}

static inline void make_record(const char *out, const struct job *job,
			       const struct dataset_files *files, const uint32_t *sorted)
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

/* Writes to `out` the run of one party that has the data in `from`. The embedding and the clusters
 * are made as in protocols/kcagc/party/kcagc.c. If says_where, run.json names the data. */
static inline void make_run(const char *from, const char *out, bool says_where)
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
	how = kcagc_embed_params(kcagc_job(&job), 1);
	assert_ok(dataset_find(from, DATASET_BOTH, &files));
	assert_ok(dataset_load(&d, files.features, files.edges, files.ids));
	assert_ok(embed(&d.X, &d.g, &how, &Z));
	kmeans(&Z, NULL, &search, sorted, NULL, NULL);
	assert_ok(dataset_write_labels(csv, NULL, &d, sorted, NULL));
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
	if (dir_make(state))
		return -1;
	data = file_join(dir, "data");
	plain = file_join(dir, "plain");
	run = file_join(dir, "run");
	bare = file_join(dir, "bare");
	assert_ok(file_make_dirs(run));
	assert_ok(file_make_dirs(bare));
	make_data();
	make_run(plain, bare, false);
	make_run(data, run, true);
	return 0;
}

static int unmake(void **state)
{
	for (size_t i = 0; i < N; i++)
		free(id[i]);
	free(data);
	free(plain);
	free(run);
	free(bare);
	mat_release(&points);
	return dir_remove(state);
}

static inline void is_whole(const struct picture *p)
{
	assert_int_equal(p->n, N);
	assert_int_equal(p->total, N);
	assert_int_equal(p->clusters, K);
	assert_int_equal(p->dims, points.cols);
	assert_memory_equal(p->label, label, sizeof(label));
	for (size_t i = 0; i < N; i++)
		assert_int_equal(p->row[i], i);
}

static inline void same_picture(const struct picture *a, const struct picture *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->xy, b->xy, 2 * a->n * sizeof(*a->xy));
	assert_memory_equal(a->label, b->label, a->n * sizeof(*a->label));
	assert_memory_equal(a->row, b->row, a->n * sizeof(*a->row));
	assert_string_equal(a->caption, b->caption);
}

#endif
