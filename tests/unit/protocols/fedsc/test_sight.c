/* Tests the data that each side receives in FedSC and k-means: masked words, and in variant paper
 * the rows themselves. */
#include "tests/unit/protocols/fedsc/points.h"

enum { K = 3, EACH = 40, N = K * EACH, M = 5 };

/* ---- messages by receiver ---- */

struct seen {
	size_t server[256], party[256];
	size_t upload; /* plaintext numbers */
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

/* Outside variant paper the coordinator gets masked words and sealed boxes (the group key and
 * column names), and parties get no labels. */
TEST(test_what_is_sent)
{
	static const char *const masked[] = { "variant=anchor", "variant=dense", "kind=kmeans" };
	struct points p;
	struct seen seen;

	points_make(&p, K, EACH, M, 4, 3, 1);
	for (size_t s = 0; s < 3; s++) {
		watch(&p, masked[s], &seen);
		for (int t = 0; t < 256; t++) {
			if (t != MSG_SEALED && (t == MSG_MASKED ? !seen.server[t] : seen.server[t]))
				fail_msg("%s: %zu %s reached the coordinator", masked[s],
					 seen.server[t], msg_name((enum msg_type)t));
			if (t != MSG_SUM && t != MSG_MATRIX && t != MSG_SEALED && seen.party[t])
				fail_msg("%s: a party got %s", masked[s],
					 msg_name((enum msg_type)t));
		}
	}
	watch(&p, "variant=paper dims=8", &seen);
	assert_int_equal(seen.upload, N * 8);
	assert_int_equal(seen.party[MSG_RESULT], 1);
	for (int t = 0; t < 256; t++)
		assert_true(!seen.server[t] || t == MSG_MASKED || t == MSG_UPLOAD ||
			    t == MSG_SEALED);
	/* The coordinator forwards the group key, and forwards each party's column names to every
	 * other party. It can open neither the key nor the names. */
	assert_int_equal(seen.server[MSG_SEALED], 2 + 3 * 2);
	points_release(&p);
}

/* ---- phases ---- */

TEST(test_phases)
{
	static const struct {
		const char *settings, *phases;
	} runs[] = {
		{ "variant=anchor", "totals landmarks anchor kmeans" },
		{ "variant=dense", "totals landmarks dims landmarks stage-1 dense kmeans" },
		{ "variant=dense dims=9", "totals landmarks stage-1 dense kmeans" },
		{ "variant=paper dims=9", "totals landmarks stage-1 upload result" },
		{ "kind=kmeans", "totals kmeans" },
	};
	struct points p;

	points_make(&p, K, EACH, M, 4, 3, 1);
	for (size_t s = 0; s < sizeof(runs) / sizeof(*runs); s++) {
		struct job job = points_job(runs[s].settings);
		struct federation *f;

		free(points_run(&p, 3, &job, &f));
		assert_phases(&f->server, runs[s].phases);
		assert_phases(&f->party[2], runs[s].phases);
		for (size_t i = 0; i < f->server.record.phases; i++)
			assert_int_equal(f->server.record.phase[i].rounds,
					 f->party[2].record.phase[i].rounds);
		products_end(f);
	}
	points_release(&p);
}
