/* Tests the messages that each side of FedSC and federated k-means refuses. */
#include "tests/unit/protocols/fedsc/points.h"

#include <math.h>

enum { K = 3, EACH = 8, N = K * EACH, M = 2, L = 2 };

/* Settings of small runs with few rounds. Together these runs send each kind of message. */
static const char *const runs[] = {
	"variant=anchor min_cluster=1 restarts=1 iterations=1 dims=5",
	"variant=dense min_cluster=1 restarts=1 iterations=1 rounds=1",
	"variant=paper min_cluster=1 restarts=1 dims=4 rounds=2 inner=1",
	"kind=kmeans min_cluster=1 restarts=1 iterations=1",
	"variant=anchor restarts=1 iterations=5 dims=5 noise.on=sums noise.eps=50 "
	"noise.delta=1e-5 noise.clip=40",
};
enum { NOISY = 4 };

struct lab {
	struct points points;
	struct recording *r;
};

static void lab_open(struct lab *lab, const char *settings)
{
	struct recording *r;

	ALLOC(r, 1);
	points_make(&lab->points, K, EACH, M, 6, L, 1);
	r->rows = &lab->points.X;
	r->part = lab->points.part;
	r->job = points_job(settings);
	points_open(&r->f, r->rows, r->part, L, &r->job);
	federation_join(&r->f);
	recording_hear(r);
	federation_run(&r->f);
	assert_all_done(&r->f);
	lab->r = r;
}

static void lab_close(struct lab *lab)
{
	recording_free(lab->r);
	points_release(&lab->points);
}

/* ---- each message of the catalogue at each step ---- */

static unsigned what_of(const struct note *note)
{
	struct msg m;

	if (note->type != MSG_CHOICE)
		return 0;
	assert_ok(msg_decode(&m, note->type, (struct bytes){ note->body, note->len }));
	return m.choice.what;
}

/* Returns whether a message is the first or the last of its kind in its phase. Rounds in between
 * repeat the same messages. */
static bool is_border(const struct script *s, size_t step)
{
	const struct note *note = &s->note[step];
	bool before = false, after = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct note *other = &s->note[i];

		if (other->type != note->type || strcmp(other->step, note->step) ||
		    what_of(other) != what_of(note))
			continue;
		before |= i < step;
		after |= i > step;
	}
	return !before || !after;
}

static void check_borders(const struct listener *to)
{
	const struct script *s = listener_script(to);

	check_prefixes(to);
	for (size_t step = 0; step < s->count; step++) {
		if (!is_border(s, step))
			continue;
		check_types(to, step);
		check_garbage(to, step);
	}
}

TEST(test_every_message)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct lab lab;

		lab_open(&lab, runs[i]);
		check_borders(&(struct listener){ lab.r, 1, false });
		check_borders(&(struct listener){ lab.r, 1, true });
		lab_close(&lab);
	}
}

/* ---- a coordinator that changes its messages ---- */

static size_t step_in(const struct script *s, const char *phase, enum msg_type type, unsigned what,
		      size_t nth)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->note[i].type == type && strcmp(s->note[i].step, phase) == 0 &&
		    (!what || what_of(&s->note[i]) == what) && nth-- == 0)
			return i;
	fail_msg("no such %s during %s", msg_name(type), phase);
	return 0;
}

/* Decodes a note of to_party[1]. The message points into the script's bytes. */
static struct msg message(const struct lab *lab, size_t step)
{
	const struct note *note = &lab->r->to_party[1].note[step];
	struct msg m;

	assert_ok(msg_decode(&m, note->type, (struct bytes){ note->body, note->len }));
	return m;
}

/* Changes number `at` in the nth MATRIX of a phase. The party must refuse it with these words. */
static void refuse_number(struct lab *lab, const char *phase, size_t nth, size_t at, double value,
			  const char *words)
{
	const struct script *full = &lab->r->to_party[1];
	size_t step = step_in(full, phase, MSG_MATRIX, 0, nth);
	struct script s = { 0 };
	struct outcome out;
	struct note *note;

	script_copy(&s, full, full->count);
	note = &s.note[step];
	memcpy(note->body + note->len - 8 * (message(lab, step).reals.count - at), &value,
	       sizeof(value));
	replay(&(struct listener){ lab->r, 1, false }, &s, &out);
	if (out.code != ERR_PEER || !strstr(out.why, "hub sent MATRIX") || !strstr(out.why, words))
		fail_msg("%s: \"%s\", expected \"%s\"", err_name(out.code), out.why, words);
	script_release(&s);
}

/* Refuses wrong eigenvalues (the first MATRIX) and wrong eigenvectors (the second). */
static void check_basis(struct lab *lab, const char *phase)
{
	refuse_number(lab, phase, 0, 0, 3, "with vectors that are not eigenvectors");
	refuse_number(lab, phase, 0, 1, -1, "with eigenvalue 2 of 3 is");
	refuse_number(lab, phase, 0, 0, NAN, "no finite number");
	/* The error says "not eigenvectors" or, if noise has separated the changed point from all
	 * others, "not orthonormal". */
	refuse_number(lab, phase, 1, 0, 0.5, "vectors that are not ");
	refuse_number(lab, phase, 1, 1, INFINITY, "no finite number");
}

/* A party gets sums, which it verifies, eigenvectors, which it checks, boxes sealed by other
 * parties and, in variant "paper" only, labels. It refuses changed sums and eigenvectors. */
TEST(test_wrong_numbers)
{
	struct rng rng;

	rng_seed(&rng, 1, 2);
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		const struct script *full;
		struct lab lab;

		lab_open(&lab, runs[i]);
		full = &lab.r->to_party[1];
		for (size_t step = 0; step < full->count; step++)
			assert_true(full->note[step].type == MSG_SUM ||
				    full->note[step].type == MSG_SEALED ||
				    full->note[step].type == MSG_MATRIX ||
				    full->note[step].type == MSG_RESULT);
		assert_refuses_sums(lab.r, 1, &rng, 6);
		if (i < 2 || i == NOISY)
			check_basis(&lab, i == 1 ? "dense" : "anchor");
		lab_close(&lab);
	}
}

/* Refuses an earlier sum in place of the next one, and the right sum with a wrong tag or none. */
TEST(test_other_sums)
{
	struct lab lab;
	struct msg m;
	size_t first, second;

	lab_open(&lab, runs[3]);
	first = step_in(&lab.r->to_party[1], "kmeans", MSG_SUM, 0, 0);
	second = step_in(&lab.r->to_party[1], "kmeans", MSG_SUM, 0, 1);
	m = message(&lab, first);
	assert_party_refuses(lab.r, 1, second, &m, "due were words from 0 of");
	/* The right sum is sent with another sum's tag, then without a tag. */
	m = message(&lab, second);
	m.masked.tag = message(&lab, first).masked.tag;
	assert_party_refuses(lab.r, 1, second, &m, "is not the sum of the parties' terms and tags");
	m.masked.tag.n = 0;
	assert_party_refuses(lab.r, 1, second, &m, "with 0 bytes of a tag behind");
	lab_close(&lab);
}

/* A party refuses sums of fewer rows than its policy allows. */
TEST(test_policy_of_a_party)
{
	struct points p;
	struct job job = points_job("variant=anchor min_cluster=3");
	struct federation *f;

	points_make(&p, K, 20, M, 4, 3, 1);
	f = points_federation(&p, 3, &job);
	f->party[1].min_cluster = 4;
	federation_run(f);
	assert_int_equal(f->party[1].result, ERR_PEER);
	assert_non_null(strstr(f->party[1].why, "none of fewer than 4 (min_cluster)"));
	assert_int_not_equal(f->server.result, ERR_OK);
	products_end(f);
	points_release(&p);
}

/* ---- parties that change their messages ---- */

/* Replaces the canary of each masked vector of a party in turn by random bytes. Each run still
 * returns labels or an error. */
TEST(test_wrong_words)
{
	struct rng rng;

	rng_seed(&rng, 1, 1);
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		size_t refused = 0, steps;
		struct lab lab;

		lab_open(&lab, runs[i]);
		steps = lab.r->from_party[0].count;
		for (size_t step = 0; step < steps; step++) {
			struct script s = { 0 };
			struct outcome out;
			struct note *note;

			script_copy(&s, &lab.r->from_party[0], steps);
			note = &s.note[step];
			/* Changes the canary. The coordinator ignores the tags behind it, which
			 * parties check. */
			for (size_t b = 0; note->type == MSG_MASKED && b < 8; b++)
				note->body[note->len - 24 + b] = (uint8_t)rng_u64(&rng);
			replay(&(struct listener){ lab.r, 0, true }, &s, &out);
			assert_true(out.code == ERR_OK || out.code == ERR_PEER ||
				    out.code == ERR_JOB || out.code == ERR_INPUT);
			refused += out.code != ERR_OK;
			script_release(&s);
		}
		assert_true(refused >= steps / 2);
		lab_close(&lab);
	}
}

/* Adds `more` to word `at` of party 0's nth vector of a phase, and so to the sum. The coordinator
 * must refuse the sum with these words. */
static void refuse_sum(struct lab *lab, const char *phase, size_t nth, size_t at, double more,
		       const char *words)
{
	const struct script *full = &lab->r->from_party[0];
	size_t step = step_in(full, phase, MSG_MASKED, 0, nth), head = 4 + 8 + 8 + 8 + 4;
	uint64_t add = (uint64_t)(int64_t)ldexp(more, JOB_WIDE_FRACTION), word = 0;
	struct script s = { 0 };
	struct outcome out;
	uint8_t *p;

	script_copy(&s, full, full->count);
	p = s.note[step].body + head + 8 * at;
	for (int b = 0; b < 8; b++)
		word |= (uint64_t)p[b] << 8 * b;
	word += add;
	for (int b = 0; b < 8; b++)
		p[b] = (uint8_t)(word >> 8 * b);
	replay(&(struct listener){ lab->r, 0, true }, &s, &out);
	if (!strstr(out.why, words))
		fail_msg("%s: \"%s\", expected \"%s\"", err_name(out.code), out.why, words);
	script_release(&s);
}

TEST(test_wrong_sums)
{
	struct lab lab;

	lab_open(&lab, runs[0]);
	refuse_sum(&lab, "totals", 0, 2, 0.5, "they have 24.5 rows");
	refuse_sum(&lab, "totals", 0, 2, -21, "they have 3 rows, expected 4");
	refuse_sum(&lab, "totals", 0, 2, -22, "they have 2 rows, expected 4");
	refuse_sum(&lab, "totals", 0, 1, 0x1p-24, "they have 1073741848 rows");
	refuse_sum(&lab, "landmarks", 0, 0, 1, "counts of rows of cluster 0 add to 25, ");
	refuse_sum(&lab, "landmarks", 0, 0, -0.5, "counts of rows of cluster 0 add to 23.5, ");
	refuse_sum(&lab, "landmarks", 0, 0, -25, "counts of rows of cluster 0 add to -1, ");
	refuse_sum(&lab, "anchor", 0, 0, 1, "weights of 5 landmarks add to 25 for 24 rows");
	refuse_sum(&lab, "anchor", 0, 1, -25, "weights of 5 landmarks add to -26 for 24 rows");
	refuse_sum(&lab, "kmeans", 0, 1, 1, "3 clusters have 25 rows of 24");
	lab_close(&lab);
}

static void upload_of(struct lab *lab, size_t l, size_t rows, size_t cols, const char *words)
{
	const struct script *full = &lab->r->from_party[l];
	size_t step = step_in(full, "upload", MSG_UPLOAD, 0, 0);
	double *x = alloc(rows * cols, sizeof(*x));
	struct msg m = { .type = MSG_UPLOAD,
			 .reals = {
			     (uint32_t)l, rows * cols, 0, { (uint8_t *)x, rows * cols * 8 } } };
	struct script s = { 0 };
	struct outcome out;

	script_copy(&s, full, step);
	script_add_msg(&s, &m);
	replay(&(struct listener){ lab->r, l, true }, &s, &out);
	assert_int_equal(out.code, ERR_PEER);
	if (!strstr(out.why, words))
		fail_msg("\"%s\", expected \"%s\"", out.why, words);
	script_release(&s);
	free(x);
}

TEST(test_wrong_uploads)
{
	struct lab lab;

	lab_open(&lab, runs[2]);
	upload_of(&lab, 0, N - 1, 4, "p0 sent UPLOAD of group 0, count 92");
	upload_of(&lab, 1, 1, 4, "p1 sent UPLOAD of group 1, count 4");
	upload_of(&lab, 1, N, 4, "p1 sent UPLOAD of group 1, count 96");
	upload_of(&lab, 1, 7, 5, "p1 sent UPLOAD of group 1, count 35");
	upload_of(&lab, 1, N / L - 1, 4, "uploaded 23 rows of 24");
	lab_close(&lab);
}

/* ---- bad input ---- */

typedef void spoil(struct federation *f);

static void spoil_value(struct federation *f)
{
	MAT(&f->party[1].X.dense, 3, 1) = NAN;
}

static void spoil_bound(struct federation *f)
{
	MAT(&f->party[1].X.dense, 3, 1) = 1e40;
}

static void spoil_rows(struct federation *f)
{
	f->party[1].X.dense.rows = 1;
}

static void spoil_spread(struct federation *f)
{
	for (size_t l = 0; l < f->server.L; l++)
		for (size_t e = 0; e < f->party[l].X.dense.rows * M; e++)
			f->party[l].X.dense.a[e] = 7.25;
}

static void spoil_nothing(struct federation *f)
{
	(void)f;
}

/* The side that finds the error must report these words. All other sides end with an error too. */
static void fails(const char *settings, spoil *how, bool at_party, enum err code, const char *words)
{
	struct points p;
	struct job job = points_job(settings);
	struct federation *f;
	const struct half *h;

	points_make(&p, K, EACH, M, 6, L, 1);
	f = points_federation(&p, L, &job);
	how(f);
	h = at_party ? &f->party[1] : &f->server;
	federation_run(f);
	assert_int_equal(h->result, code);
	if (!strstr(h->why, words))
		fail_msg("\"%s\", expected \"%s\"", h->why, words);
	for (size_t l = 0; l < L; l++)
		assert_int_not_equal(f->party[l].result, ERR_OK);
	assert_int_not_equal(f->server.result, ERR_OK);
	products_end(f);
	points_release(&p);
}

TEST(test_bad_input)
{
	fails("variant=anchor", spoil_value, true, ERR_INPUT, "row 3, column 1 is nan");
	fails("variant=anchor", spoil_bound, true, ERR_INPUT,
	      "sums of its numbers, or of their squares, are 3.48449e+41 or more");
	fails("variant=anchor", spoil_rows, true, ERR_INPUT, "features are 1 x 2");
	fails("variant=dense", spoil_spread, false, ERR_JOB, "all 24 rows are equal");
	fails("kind=kmeans clusters=25", spoil_nothing, false, ERR_JOB,
	      "job.clusters is 25, of 24 rows");
	fails("variant=anchor dims=25", spoil_nothing, false, ERR_JOB,
	      "job.dims is 25, of 24 rows");
	fails("variant=anchor min_cluster=10", spoil_nothing, false, ERR_JOB,
	      "landmarks have 10 rows or more");
	fails("variant=dense dims=6 rounds=1 kernel.lambda=0 kernel.width=1e8", spoil_nothing, true,
	      ERR_JOB, "with lambda 0, r 1e+08");
}
