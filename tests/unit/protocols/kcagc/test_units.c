/* The parties agree on a bound that scales the sums. Data without a bound are refused. If the
 * parties' bounds differ too much, the coordinator warns. test_invariance.c checks that labels do
 * not depend on the unit. */
#include "tests/unit/protocols/kcagc/predict.h"
#include "common/privacy/bound.h"

#include <math.h>

enum { N = 90, L = 3 };
static const struct plan data = { .n = N, .m = 12, .seed = 3, .noise = 0.4 };

static const struct {
	const char *settings;
	const char
	    *nothing;  /* the error for features of 0; NULL: the parties agree on no scale, because
			  each party scales its rows or brings its columns to deviation 1 */
	bool own_size; /* each party scales its features itself, so any unit works */
} method[] = {
	{ "filter.order=2 method=basic projection.unit_rows=false",
	  "all features of all parties are 0", false },
	{ "filter.order=2 method=basic joint_norm=true", "all features of all parties are 0",
	  false },
	{ "filter.order=auto method=tree projection.unit_rows=false",
	  "all rows are equal, so there is no distance", false },
	{ "filter.order=2 method=tree projection.unit_rows=false exchange=gram",
	  "all features of all parties are 0", false },
	{ "filter.order=2 method=flat projection.unit_rows=false",
	  "all features of all parties are 0", false },
	{ "method=landmark", "all features of all parties are 0", true },
	{ "method=landmark secure_sum.modulus_bits=64", "all features of all parties are 0", true },
	{ "method=gcc", "all features of all parties are 0", true },
	{ "kind=kmeans.columns standardize=none", "all features of all parties are 0", false },
	{ "kind=kmeans.columns", NULL, false },
	{ "filter.order=2 method=flat", NULL, false },
};
enum { METHODS = sizeof(method) / sizeof(*method) };

static struct job unit_job(const char *settings)
{
	static const char text
	    [] = "{\"kind\":\"kcagc\",\"method\":\"tree\",\"clusters\":3,\"secure_sum\":{\"group\":"
		 "\"x25519\"}}",
	columns[] =
	    "{\"kind\":\"kmeans.columns\",\"clusters\":3,\"secure_sum\":{\"group\":\"x25519\"}}",
	kind[] = "kind=kmeans.columns";

	if (!strncmp(settings, kind, sizeof(kind) - 1))
		return job_of(columns, sizeof(columns) - 1, settings + sizeof(kind) - 1);
	return job_of(text, sizeof(text) - 1, settings);
}

/* Runs a federation on the data times `by`. */
static struct federation *run(const struct planted *p, const struct job *job, double by)
{
	struct federation *f = alloc(1, sizeof(*f));

	federation_open(f, p, L, job);
	for (size_t l = 0; l < L; l++) {
		struct mat *X = &f->party[l].X.dense;

		if (!strcmp(job->kind->name, "kmeans.columns"))
			f->party[l].g = NULL;
		for (size_t i = 0; i < X->rows * X->cols; i++)
			X->a[i] *= by;
	}
	federation_join(f);
	federation_run(f);
	return f;
}

static void end(struct federation *f)
{
	federation_release(f);
	free(f);
}

static void refused(const char *settings, double by, const char *why)
{
	struct job job = unit_job(settings);
	struct federation *f;
	struct planted p;

	planted_make(&p, &data);
	f = run(&p, &job, by);
	if (f->server.result == ERR_OK || !federation_says(f, L, why))
		fail_msg("%s: times %g: \"%s\", \"%s\", expected \"%s\"", settings, by,
			 f->server.why, f->party[0].why, why);
	end(f);
	planted_release(&p);
}

TEST(test_what_has_no_scale)
{
	static const char far[] = "the longest row is shorter than 8e-25 or longer than 9e+29";

	for (size_t m = 0; m < METHODS; m++) {
		if (!method[m].nothing)
			continue;
		refused(method[m].settings, 0, method[m].nothing);
		if (method[m].own_size)
			continue;
		refused(method[m].settings, 1e-30, far);
		refused(method[m].settings, 1e35, far);
	}
	refused("kind=kmeans.columns", 0, "has the same value in all rows");
}

/* Multiplies party 0's features by `by`. Returns whether the coordinator warns that the parties'
 * features differ much in size. Sums then keep few digits of the smaller features. There is no
 * warning if each party scales its features or rows itself. */
static bool warned(const char *settings, double by)
{
	struct job job = unit_job(settings);
	char text[4096];
	FILE *log = tmpfile();
	struct planted p;

	assert_non_null(log);
	log_init("test", LOG_WARN);
	log_set_stream(fileno(log), false);
	planted_make(&p, &data);
	for (size_t i = 0; i < p.n; i++)
		for (size_t j = 0; j < p.m; j += L)
			MAT(&p.X, i, j) *= by;
	end(run(&p, &job, 1));
	planted_release(&p);
	federation_quiet();
	rewind(log);
	text[fread(text, 1, sizeof(text) - 1, log)] = '\0';
	fclose(log);
	return strstr(text, "longest row of one party is") && strstr(text, "bring the features");
}

TEST(test_range)
{
	for (size_t m = 0; m < METHODS; m++) {
		assert_int_equal(warned(method[m].settings, 0x1p30),
				 method[m].nothing && !method[m].own_size);
		assert_false(warned(method[m].settings, 0x1p10));
	}
}
