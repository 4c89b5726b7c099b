/* A value outside the fixed-point bound at one party ends the job for all parties with the same
 * cause. No log has the value. */
#include "tests/unit/both/federation.h"
#include "crypto/fixed.h"

#include <math.h>

enum { LOG_MAX = 1 << 16 };

/* The two logs of a process: `seen` from stderr, and `shipped` from the log file, which may go to
 * other hosts. */
struct logs {
	char dir[64], path[96];
	FILE *stream;
	char seen[LOG_MAX], shipped[LOG_MAX];
};

static void logs_open(struct logs *g)
{
	lab_dir(g->dir);
	snprintf(g->path, sizeof(g->path), "%s/log.jsonl", g->dir);
	g->stream = tmpfile();
	assert_non_null(g->stream);
	log_set_level(LOG_DEBUG);
	log_set_stream(fileno(g->stream), false);
	assert_ok(log_open(g->path));
}

static void read_all(FILE *f, char text[static LOG_MAX])
{
	assert_non_null(f);
	rewind(f);
	text[fread(text, 1, LOG_MAX - 1, f)] = '\0';
	fclose(f);
}

static void logs_close(struct logs *g)
{
	log_close();
	federation_quiet();
	read_all(g->stream, g->seen);
	read_all(fopen(g->path, "r"), g->shipped);
	lab_remove(g->dir);
}

/* Requires that the text has no number with a fraction above twice the bound, because this could be
 * the value that is outside the bound. Byte counts have no fraction. */
static void assert_no_value(const char *text, double bound)
{
	for (const char *at = text, *end; (at = strpbrk(at, "0123456789")); at = end) {
		double x = strtod(at, (char **)&end);

		if (memchr(at, '.', (size_t)(end - at)) && fabs(x) > 2 * bound)
			fail_msg("a value is shown: %.60s", at);
	}
}

/* `says` has texts that the error must contain. */
static void assert_cause(const struct half *h, const char *who, const char *const says[2],
			 double bound)
{
	if (h->result != ERR_JOB || !strstr(h->why, says[0]) || !strstr(h->why, says[1]))
		fail_msg("%s ended with %s \"%s\"; expected \"%s\", \"%s\"", who,
			 err_name(h->result), h->why, says[0], says[1]);
	assert_no_value(h->why, bound);
}

static const char *limit_of(double bound, char limit[static 64])
{
	snprintf(limit, 64, "bound of %g ", bound);
	return limit;
}

/* Party `loud` has values 10^4 times as large as the others'. terms: number of terms of its first
 * sum. */
static void check(size_t L, size_t loud, size_t terms, const char *settings, const char *setting)
{
	static struct logs logs;
	struct planted p;
	struct job job = planted_job(settings);
	struct fixed fixed = { job.modulus_bits, job.fraction_bits, terms };
	struct federation *f = alloc(1, sizeof(*f));
	double bound = fixed_bound(&fixed);
	char limit[64], heard[128];

	planted_make(&p, &(struct plan){ .n = 120, .m = 36, .seed = 1, .noise = 1 });
	federation_init(f, &p, L, &job);
	for (size_t i = 0; i < 120 * f->party[loud].X.dense.cols; i++)
		f->party[loud].X.dense.a[i] *= 1e4;
	logs_open(&logs);
	federation_run(f);
	logs_close(&logs);
	assert_non_null(strstr(logs.seen, limit_of(bound, limit)));
	assert_no_value(logs.seen, bound);
	assert_no_value(logs.shipped, bound);
	snprintf(heard, sizeof(heard), "p%zu says: %s", loud, msg_ending(ENDING_BOUND));
	assert_cause(&f->server, "the coordinator", (const char *[]){ heard, "" }, bound);
	for (size_t l = 0; l < L; l++)
		assert_cause(&f->party[l], f->names[l],
			     l == loud ? (const char *[]){ limit, setting }
				       : (const char *[]){ heard, "says: p" },
			     bound);
	federation_release(f);
	free(f);
	planted_release(&p);
}

TEST(test_words_of_64_bits)
{
	static const char setting[] = "lower secure_sum.fraction_bits";

	check(3, 1, 3, "method=basic projection.unit_rows=false secure_sum.fraction_bits=48",
	      setting);
	check(4, 3, 2, "method=tree projection.unit_rows=false secure_sum.fraction_bits=48",
	      setting);
	check(5, 0, 5, "method=flat projection.unit_rows=false secure_sum.fraction_bits=48",
	      setting);
}

TEST(test_words_of_32_bits)
{
	check(2, 1, 2,
	      "method=basic projection.unit_rows=false secure_sum.modulus_bits=32 "
	      "secure_sum.fraction_bits=12",
	      "lower secure_sum.fraction_bits or set secure_sum.modulus_bits to 64");
}

/* With one party a sum has one term and no mask, but the bound still applies. */
TEST(test_one_term_is_bounded)
{
	check(1, 0, 1, "projection.unit_rows=false secure_sum.fraction_bits=48",
	      "lower secure_sum.fraction_bits");
}
