/* Tests min_cell: no smaller cell enters a sum, even if the coordinator sends one. */
#include "proto/labels.h"
#include "common/cluster/kmeans.h"
#include "protocols/kcagc/job.h"
#include "tests/unit/both/replay.h"

#include <math.h>

enum { N = 240, M = 30 };

/* ---- cells from an honest coordinator ---- */

struct seen {
	unsigned least;
	size_t cells;    /* number of messages with cells */
	size_t smallest; /* size of the smallest cell */
};

/* Checks the sizes of the cells that a party gets. Each vector is one message here. */
static void look_at_cells(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct seen *seen = arg;
	size_t size[N] = { 0 }, bad;
	uint32_t cell[N];
	struct msg m;

	(void)l;
	if (type != MSG_CELLS)
		return;
	assert_ok(msg_decode(&m, MSG_CELLS, body));
	assert_int_equal(m.labels.count, N);
	assert_true(labels_unpack(cell, m.labels.values, m.labels.packed, N, &bad));
	for (size_t i = 0; i < N; i++)
		size[cell[i]]++;
	for (size_t c = 0; c < m.labels.values; c++) {
		if (size[c] < seen->least)
			fail_msg("a cell of %zu nodes, min_cell is %u", size[c], seen->least);
		seen->smallest = size[c] < seen->smallest ? size[c] : seen->smallest;
	}
	seen->cells++;
}

static size_t merged(const struct record *r)
{
	size_t sum = 0;

	for (size_t i = 0; i < r->sums; i++)
		sum += r->sum[i].merged;
	return sum;
}

/* Runs a job and checks the cells that party 0 gets. Returns the number of merged cells. */
static size_t check_run(const struct planted *p, size_t L, unsigned least, const char *settings)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct seen seen = { .least = least, .smallest = N };
	char line[256];
	struct job job;
	size_t count;

	snprintf(line, sizeof(line), "min_cell=%u %s", least, settings);
	job = planted_job(line);
	assert_int_equal(kcagc_job(&job)->polish, 0);
	federation_init(f, p, L, &job);
	f->party[0].saw = look_at_cells;
	f->party[0].saw_arg = &seen;
	federation_run(f);
	federation_succeeded(f);
	assert_true(seen.cells > 0);
	count = merged(&f->server.record);
	federation_release(f);
	free(f);
	return count;
}

TEST(test_no_smaller_cell_is_sent)
{
	static const char *const settings[] = {
		"method=tree",
		"method=flat local_clusters=4k",
		"method=tree local_clusters=4k exchange=gram",
		"method=tree local_clusters=4k virtual_nodes=centre",
		"method=tree exchange=gram",
	};
	static const unsigned leasts[] = { 2, 5, 20, N / 2 + 1, N };
	struct planted p;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 1, .noise = 2 });
	for (size_t L = 2; L <= 5; L++)
		for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
			for (size_t a = 0; a < sizeof(leasts) / sizeof(*leasts); a++)
				assert_true(check_run(&p, L, leasts[a], settings[i]) > 0);
	planted_release(&p);
}

/* min_cell 1 merges nothing, although there are cells of one node. */
TEST(test_nothing_changes_at_one)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct seen seen = { .least = 1, .smallest = N };
	struct job job = planted_job("method=flat local_clusters=4k");
	struct planted p;

	assert_int_equal(kcagc_job(&job)->min_cell, 1);
	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 1, .noise = 2 });
	federation_init(f, &p, 4, &job);
	f->party[0].saw = look_at_cells;
	f->party[0].saw_arg = &seen;
	federation_run(f);
	federation_succeeded(f);
	assert_int_equal(seen.smallest, 1);
	assert_int_equal(merged(&f->server.record), 0);
	federation_release(f);
	free(f);
	planted_release(&p);
}

TEST(test_too_few_nodes)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct job job = planted_job("min_cell=241");
	struct planted p;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 1, .noise = 2 });
	federation_init(f, &p, 2, &job);
	federation_run(f);
	assert_int_equal(f->server.result, ERR_JOB);
	assert_string_equal(f->server.why, "240 nodes cannot make a cell of job.min_cell, 241");
	for (size_t l = 0; l < 2; l++)
		assert_non_null(strstr(f->party[l].why, f->server.why));
	federation_release(f);
	free(f);
	planted_release(&p);
}

/* ---- cells from a malicious coordinator ---- */

static const struct plan few = { .n = 48, .m = 16, .seed = 1, .noise = 1.5 };

/* Changes recorded CELLS: splits a cell so that one part has fewer than `least` nodes. */
static void shrink(struct msg *m, uint32_t *cell, size_t least, struct buf *packed)
{
	size_t *size = alloc(m->labels.values + 1, sizeof(*size)), count = (size_t)m->labels.count;
	uint32_t from = 0;

	for (size_t i = 0; i < count; i++)
		size[cell[i]]++;
	while (size[from] < least)
		from++;
	/* All but `least` - 1 nodes move to the new cell. */
	for (size_t i = 0, left = size[from] - (least - 1); left; i++)
		if (cell[i] == from) {
			cell[i] = m->labels.values;
			left--;
		}
	m->labels.values++;
	labels_pack(buf_extend(packed, labels_bytes(m->labels.values, count)), m->labels.values,
		    cell, count);
	m->labels.packed = (struct bytes){ packed->p, packed->n };
	free(size);
}

static void check_shrunk(const char *settings, unsigned least, size_t step)
{
	struct recording *r = recording_new(&few, 4, settings, false);
	struct listener to = { r, 1, false };
	const struct note *note = &r->to_party[1].note[step];
	uint32_t cell[48];
	struct buf packed = { 0 };
	struct script s = { 0 };
	struct outcome out;
	struct msg m;
	char why[80];
	size_t bad;

	assert_int_equal(note->type, MSG_CELLS);
	assert_ok(msg_decode(&m, MSG_CELLS, (struct bytes){ note->body, note->len }));
	assert_true(labels_unpack(cell, m.labels.values, m.labels.packed, 48, &bad));
	shrink(&m, cell, least, &packed);
	script_copy(&s, &r->to_party[1], step);
	script_add_msg(&s, &m);
	replay(&to, &s, &out);
	assert_refused(&to, step, "a cell below min_cell", MSG_CELLS, &out);
	snprintf(why, sizeof(why), "%u nodes, fewer than job.min_cell, %u", least - 1, least);
	if (!strstr(out.why, why))
		fail_msg("\"%s\", expected \"%s\"", out.why, why);
	script_release(&s);
	buf_release(&packed);
	recording_free(r);
}

static size_t step_of_cells(const char *settings, size_t which)
{
	struct recording *r = recording_new(&few, 4, settings, false);
	size_t step = 0;

	for (size_t seen = 0; r->to_party[1].note[step].type != MSG_CELLS || seen++ < which; step++)
		assert_true(step + 1 < r->to_party[1].count);
	recording_free(r);
	return step;
}

TEST(test_smaller_cells_are_refused)
{
	static const char *const settings[] = { "method=flat min_cell=4",
						"method=tree min_cell=4 exchange=gram" };

	for (int i = 0; i < 2; i++)
		for (size_t which = 0; which <= (size_t)i; which++) /* the CELLS of each level */
			check_shrunk(settings[i], 4, step_of_cells(settings[i], which));
}

/* ---- virtual nodes that are local centres (line 13 of Protocol 3) ---- */

#define LINE_13                                                                                    \
	"method=flat min_cell=20 local_clusters=4k virtual_nodes=centre exchange=gram "            \
	"secure_sum.modulus_bits=64 secure_sum.fraction_bits=36"

/* Writes the cells that party 0 got. Returns their number. */
static size_t recorded_cells(const struct recording *r, uint32_t *cell)
{
	const struct note *note = &r->to_party[0].note[0];
	struct msg m;
	size_t bad;

	assert_int_equal(note->type, MSG_CELLS);
	assert_ok(msg_decode(&m, MSG_CELLS, (struct bytes){ note->body, note->len }));
	assert_true(labels_unpack(cell, m.labels.values, m.labels.packed, N, &bad));
	return m.labels.values;
}

/* Adds to G (m x m) party l's inner products of cell means, where a node counts as the centre of
 * its local cluster. Returns the number of pairs of nodes that share a cell but no local
 * cluster. */
static size_t add_products(const struct recording *r, size_t l, const uint32_t *cell, size_t m,
			   double *G)
{
	struct embed_params how = kcagc_embed_params(kcagc_job(&r->job), 1);
	struct kmeans_params search = { .k = 4 * PLANTED_K,
					.restarts = kcagc_job(&r->job)->local_restarts,
					.iterations = kcagc_job(&r->job)->iterations,
					.ninth = true,
					.seed = r->job.seed,
					.threads = 1 };
	double weight[N] = { 0 };
	size_t mixed = 0;
	struct features X;
	struct mat Z, centre, Y;
	uint32_t own[N];

	planted_slice(&r->data, l, 2, &X);
	assert_ok(embed(&X, &r->data.g, &how, &Z));
	kmeans(&Z, NULL, &search, own, &centre, NULL);
	mat_init(&Y, m, Z.cols);
	for (size_t i = 0; i < N; i++)
		weight[cell[i]]++;
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < Z.cols; j++)
			MAT(&Y, cell[i], j) += MAT(&centre, own[i], j) / weight[cell[i]];
		for (size_t o = 0; o < i; o++)
			mixed += cell[o] == cell[i] && own[o] != own[i];
	}
	for (size_t a = 0; a < m; a++)
		for (size_t b = 0; b < m; b++)
			for (size_t j = 0; j < Z.cols; j++)
				G[a * m + b] += MAT(&Y, a, j) * MAT(&Y, b, j);
	mat_release(&Z);
	mat_release(&centre);
	mat_release(&Y);
	return mixed;
}

/* Adds up both parties' first masked vectors; their masks cancel. */
static void recorded_sum(const struct recording *r, uint64_t *sum, size_t words)
{
	for (size_t l = 0; l < 2; l++) {
		const struct note *sent = &r->from_party[l].note[1];
		struct msg m;

		assert_int_equal(sent->type, MSG_MASKED);
		assert_ok(msg_decode(&m, MSG_MASKED, (struct bytes){ sent->body, sent->len }));
		assert_int_equal(m.masked.words.n, (words + 1) * 8); /* one more word: the canary */
		for (size_t w = 0; w < words; w++) {
			uint64_t word;

			memcpy(&word, m.masked.words.p + w * 8, 8);
			sum[w] += word;
		}
	}
}

/* A merged cell lies in several of a party's local clusters, so no single centre represents it.
 * Each node of the cell counts as the centre of its own cluster. */
TEST(test_centres_of_merged_cells)
{
	struct recording *r = recording_new(&(struct plan){ .n = N, .m = M, .seed = 2, .noise = 2 },
					    2, LINE_13, false);
	size_t m, mixed = 0;
	uint32_t cell[N];
	uint64_t *sum;
	double *G;

	m = recorded_cells(r, cell);
	ALLOC(G, m * m);
	ALLOC(sum, m * (m + 1) / 2);
	for (size_t l = 0; l < 2; l++)
		mixed += add_products(r, l, cell, m, G);
	assert_true(mixed > 0);
	recorded_sum(r, sum, m * (m + 1) / 2);
	for (size_t a = 0, at = 0; a < m; a++)
		for (size_t b = 0; b <= a; b++, at++) {
			double x = ldexp((double)(int64_t)sum[at], -36);

			if (fabs(x - G[a * m + b]) > 1e-9)
				fail_msg("cells %zu and %zu: %.12f, expected %.12f", a, b, x,
					 G[a * m + b]);
		}
	free(G);
	free(sum);
	recording_free(r);
}
