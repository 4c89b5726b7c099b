/* What reaches whom in FedSC and k-means: masked words, and in variant paper the rows themselves.
 */
#include "tests/unit/both/points.h"
#include "tests/unit/math/trilaterate.h"

enum { K = 3, EACH = 40, N = K * EACH, M = 5 };

/* ---- what reaches whom ---- */

struct seen {
	size_t server[256], party[256];
	size_t upload; /* numbers in clear */
};

static void server_saw(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct seen *seen = arg;
	struct msg m;

	(void)l;
	seen->server[type]++;
	if (type != MSG_UPLOAD)
		return;
	assert_ok(msg_decode(&m, type, body));
	seen->upload += m.reals.values.n / sizeof(double);
}

static void party_saw(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct seen *seen = arg;

	(void)body;
	if (l == 0)
		seen->party[type]++;
}

static void watch(const struct points *p, const char *settings, struct seen *seen)
{
	struct job job = points_job(settings);
	struct federation *f = points_federation(p, 3, &job);

	*seen = (struct seen){ 0 };
	f->server.saw = server_saw;
	f->server.saw_arg = seen;
	f->party[0].saw = party_saw;
	f->party[0].saw_arg = seen;
	federation_run(f);
	assert_all_done(f);
	products_end(f);
}

/* The coordinator gets masked words and nothing else, but for variant paper; a party gets no label
 * but from there. */
static void test_what_is_sent(void **state)
{
	static const char *const masked[] = { "variant=anchor", "variant=dense",
					      "variant=dense participants=2", "kind=kmeans" };
	struct points p;
	struct seen seen;

	(void)state;
	points_make(&p, K, EACH, M, 4, 3, 1);
	for (size_t s = 0; s < 4; s++) {
		watch(&p, masked[s], &seen);
		for (int t = 0; t < 256; t++) {
			if (t == MSG_MASKED ? !seen.server[t] : seen.server[t])
				fail_msg("%s: %zu %s reached the coordinator", masked[s],
					 seen.server[t], msg_name((enum msg_type)t));
			if (t != MSG_CHOICE && t != MSG_MATRIX && seen.party[t])
				fail_msg("%s: a party got %s", masked[s],
					 msg_name((enum msg_type)t));
		}
	}
	watch(&p, "variant=paper dims=8", &seen);
	assert_int_equal(seen.upload, N * 8);
	assert_int_equal(seen.party[MSG_RESULT], 1);
	for (int t = 0; t < 256; t++)
		assert_true(!seen.server[t] || t == MSG_MASKED || t == MSG_UPLOAD);
	points_release(&p);
}

/* ---- the attack on what variant paper sends ---- */

struct loot {
	struct mat Z, C; /* of the last MATRIX, and of party 0's UPLOAD */
	double r;        /* the last MATRIX of one number after the scale */
};

static void take(struct mat *to, const struct msg *m, size_t rows, size_t cols)
{
	mat_release(to);
	mat_init(to, rows, cols);
	assert_int_equal(m->reals.values.n, rows * cols * sizeof(double));
	memcpy(to->a, m->reals.values.p, m->reals.values.n);
}

static void loot_server(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct loot *loot = arg;
	struct msg m;

	assert_ok(msg_decode(&m, type, body));
	if (l == 0 && type == MSG_UPLOAD)
		take(&loot->C, &m, m.reals.count / loot->Z.rows, loot->Z.rows);
}

/* What a party is told the coordinator said: its own loot. */
static void loot_party(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct loot *loot = arg;
	struct msg m;

	assert_ok(msg_decode(&m, type, body));
	if (l == 0 && type == MSG_MATRIX && m.reals.count == 1)
		memcpy(&loot->r, m.reals.values.p, sizeof(loot->r));
	else if (l == 0 && type == MSG_MATRIX && m.reals.count % M == 0)
		take(&loot->Z, &m, m.reals.count / M, M);
}

/* The median relative error of party 0's rows as the coordinator can compute them. */
static double attack(const struct points *p, const char *settings)
{
	struct job job = points_job(settings);
	struct federation *f = points_federation(p, 3, &job);
	struct loot loot = { .r = 0 };
	struct mat S, own;
	double error;

	f->server.saw = loot_server;
	f->server.saw_arg = f->party[0].saw_arg = &loot;
	f->party[0].saw = loot_party;
	federation_run(f);
	assert_all_done(f);
	assert_true(loot.r == points_fact(&f->server.record, "r"));
	points_scaled(&p->X, &S);
	fedsc_deal(&S, p->part, 0, &own);
	assert_int_equal(loot.C.rows, own.rows);
	error = trilaterate(&loot.Z, &loot.C, loot.r, job.lambda, &own);
	mat_release(&own);
	mat_release(&S);
	mat_release(&loot.Z);
	mat_release(&loot.C);
	products_end(f);
	return error;
}

/* Why a party's policy must name fedsc.paper: its rows are there, to the last digits. Noise on the
 * factors hides them; the other variants send nothing of the kind (test_what_is_sent). */
static void test_rows_from_an_upload(void **state)
{
	struct points p;

	(void)state;
	points_make(&p, K, EACH, M, 4, 3, 1);
	assert_true(attack(&p, "variant=paper dims=12") < 1e-6);
	assert_true(attack(&p, "variant=paper dims=12 noise.on=factors noise.beta=0.5") > 0.1);
	points_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_sent),
		cmocka_unit_test(test_rows_from_an_upload),
	};

	federation_quiet();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
