/* Parties compare the messages that they received. The job succeeds if all received the same, and
 * fails if one party received a changed message. */
#include "common/base/rng.h"
#include "common/base/sanitized.h"
#include "tests/unit/both/wire.h"

enum { N = 120, M = 24, L = 4, VICTIM = 1 };

static const char *const jobs[] = {
	"method=tree polish=0 virtual_nodes=centre",
	"method=tree polish=2",
	"method=flat exchange=gram",
	"method=basic",
	"method=landmark",
	"method=gcc",
};
enum { JOBS = sizeof(jobs) / sizeof(*jobs) };

/* Flips one bit of the at-th message to one party; if `at` is SIZE_MAX, flips no bit. */
struct liar {
	size_t at, seen;
	struct rng rng;
	enum msg_type type;
};

static void lie(void *arg, size_t l, enum msg_type type, struct buf *body)
{
	struct liar *liar = arg;

	if (l != VICTIM || !(msg_sender(type) & COORD) || body->n == 0 ||
	    (type == MSG_TOLD &&
	     body->n > 4 + MSG_TOLD_LEN)) /* the victim's own TOLD, on its way to the others */
		return;
	if (liar->seen++ == liar->at) {
		uint64_t bit = rng_below(&liar->rng, 8 * body->n);

		body->p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		liar->type = type;
	}
}

/* Runs a job with the liar between the coordinator and one party. */
static struct federation *run_with(const struct planted *p, const struct job *job,
				   struct liar *liar)
{
	struct federation *f = alloc(1, sizeof(*f));
	struct wire w = { .pass = lie, .arg = liar };

	federation_open(f, p, L, job);
	f->server.compares = true;
	for (size_t l = 0; l < L; l++)
		f->party[l].compares = true;
	wire_federation_run(&w, f);
	return f;
}

static void close_federation(struct federation *f)
{
	federation_release(f);
	free(f);
}

TEST(test_all_alike)
{
	struct planted p;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 1, .noise = 0.5 });
	for (size_t i = 0; i < JOBS; i++) {
		struct liar liar = { .at = SIZE_MAX };
		struct job job = planted_job(jobs[i]);
		struct federation *f = run_with(&p, &job, &liar);

		federation_succeeded(f);
		close_federation(f);
	}
	planted_release(&p);
}

/* Changes every message in turn. The party that receives the changed message must fail. */
static void check_lies(const struct planted *p, const char *settings, uint64_t seed)
{
	struct job job = planted_job(settings);
	struct liar liar = { .at = SIZE_MAX };
	size_t messages;

	close_federation(run_with(p, &job, &liar));
	messages = liar.seen;
	for (size_t at = 0; at < messages; at++) {
		struct federation *f;

		liar = (struct liar){ .at = at };
		rng_seed(&liar.rng, seed, at);
		f = run_with(p, &job, &liar);
		if (f->party[VICTIM].result == ERR_OK)
			fail_msg("%s: message %zu of %zu, %s, was changed, and nobody says so",
				 settings, at, messages, msg_name(liar.type));
		assert_int_equal(f->party[VICTIM].result, ERR_PEER);
		close_federation(f);
	}
}

TEST(test_lie_is_found)
{
	struct planted p;

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 2, .noise = 1 });
	for (size_t i = 0; i < JOBS; i++)
		for (uint64_t seed = 0; seed < (SANITIZED || sampling() ? 1 : 3); seed++)
			check_lies(&p, jobs[i], seed);
	planted_release(&p);
}

/* Changes both CLUSTERS and RESULT, the last messages, in the same way: one node is in another
 * cluster. No sum follows that could fail, so only a comparison among the parties detects the
 * change. */
static void lie_at_the_end(void *arg, size_t l, enum msg_type type, struct buf *body)
{
	const size_t *byte = arg;

	if (l == VICTIM && (type == MSG_CLUSTERS || type == MSG_RESULT))
		body->p[*byte] ^= 1;
}

TEST(test_two_lies_that_fit)
{
	enum { HEAD = 28, PER_BYTE = 4 }; /* bytes before the labels, labels in a byte */
	struct job job = planted_job("method=basic");
	struct liar none = { .at = SIZE_MAX };
	struct federation *f;
	struct planted p;
	size_t node = 0, byte;
	struct wire w = { .pass = lie_at_the_end, .arg = &byte };

	planted_make(&p, &(struct plan){ .n = N, .m = M, .seed = 1, .noise = 0.5 });
	f = run_with(&p, &job, &none);
	while (f->server.label[node] > 1)
		node += PER_BYTE;
	assert_true(node < N);
	byte = HEAD + node / PER_BYTE;
	close_federation(f);

	ALLOC(f, 1);
	federation_open(f, &p, L, &job);
	f->server.compares = true;
	for (size_t l = 0; l < L; l++)
		f->party[l].compares = true;
	wire_federation_run(&w, f);
	for (size_t l = 0; l < L; l++) {
		assert_int_equal(f->party[l].result, ERR_PEER);
		assert_non_null(strstr(
		    f->party[l].why, "than to this party, or a member's TOLD "
				     "was altered (during result): one of them cannot be trusted"));
	}
	close_federation(f);
	planted_release(&p);
}
