/* A value outside the fixed-point bound at one party ends the job for all, with one cause; what the
 * value was stays with that party. */
#include "tests/unit/both/federation.h"
#include "crypto/fixed.h"

#include <math.h>

enum { LOG_MAX = 1 << 16 };

/* What was logged: to stderr, and to the file that may be shipped. */
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

/* The first digits of the value that the log on stderr shows, and the only line to show it. */
static void find_value(const struct logs *g, char digits[static 8])
{
	const char *at = strstr(g->seen, "outside the bound is "), *end;

	assert_non_null(at);
	assert_null(strstr(at + 1, "outside the bound is "));
	at += strlen("outside the bound is ");
	assert_true(isfinite(strtod(at, NULL)));
	end = at + strcspn(at, ";");
	assert_true(end - at > 8);
	snprintf(digits, 8, "%.7s", at);
	assert_null(strstr(end, digits));
	assert_null(strstr(g->shipped, digits));
}

/* says: what its sentence has in it. */
static void assert_cause(const struct half *h, const char *who, const char *const says[2],
			 const char *digits)
{
	if (h->result != ERR_JOB || !strstr(h->why, says[0]) || !strstr(h->why, says[1]))
		fail_msg("%s ended with %s \"%s\"; expected \"%s\", \"%s\"", who,
			 err_name(h->result), h->why, says[0], says[1]);
	if (strstr(h->why, digits))
		fail_msg("%s says the value: %s", who, h->why);
}

/* Party `loud` has values 10^4 times those of the others. terms: of the first sum it is in. */
static void check(size_t L, size_t loud, size_t terms, const char *settings, const char *setting)
{
	static struct logs logs;
	struct planted p;
	struct job job = planted_job(settings);
	struct fixed fixed = { job.modulus_bits, job.fraction_bits, terms };
	struct federation *f = alloc(1, sizeof(*f));
	char limit[64], heard[128], digits[8];

	planted_make(&p, &(struct plan){ .n = 120, .m = 36, .seed = 1, .noise = 1 });
	federation_init(f, &p, L, &job);
	for (size_t i = 0; i < 120 * f->party[loud].X.dense.cols; i++)
		f->party[loud].X.dense.a[i] *= 1e4;
	logs_open(&logs);
	federation_run(f);
	logs_close(&logs);
	find_value(&logs, digits);
	snprintf(limit, sizeof(limit), "bound of %g ", fixed_bound(&fixed));
	snprintf(heard, sizeof(heard), "p%zu says: %s", loud, msg_ending(ENDING_BOUND));
	assert_cause(&f->server, "the coordinator", (const char *[]){ heard, "" }, digits);
	for (size_t l = 0; l < L; l++)
		assert_cause(&f->party[l], f->names[l],
			     l == loud ? (const char *[]){ limit, setting }
				       : (const char *[]){ heard, "says: p" },
			     digits);
	federation_release(f);
	free(f);
	planted_release(&p);
}

static void test_words_of_64_bits(void **state)
{
	static const char setting[] = "lower secure_sum.fraction_bits";

	(void)state;
	check(3, 1, 3, "method=basic projection.unit_rows=false secure_sum.fraction_bits=48",
	      setting);
	check(4, 3, 2, "method=tree projection.unit_rows=false secure_sum.fraction_bits=48",
	      setting);
	check(5, 0, 5, "method=flat projection.unit_rows=false secure_sum.fraction_bits=48",
	      setting);
}

static void test_words_of_32_bits(void **state)
{
	(void)state;
	check(2, 1, 2,
	      "method=basic projection.unit_rows=false secure_sum.modulus_bits=32 "
	      "secure_sum.fraction_bits=12",
	      "lower secure_sum.fraction_bits or set secure_sum.modulus_bits to 64");
}

/* With one term there is nothing to mask, and the bound is there all the same. */
static void test_one_term_is_bounded(void **state)
{
	(void)state;
	check(1, 0, 1, "projection.unit_rows=false secure_sum.fraction_bits=48",
	      "lower secure_sum.fraction_bits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_of_64_bits),
		cmocka_unit_test(test_words_of_32_bits),
		cmocka_unit_test(test_one_term_is_bounded),
	};

	federation_quiet();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
