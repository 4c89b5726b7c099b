/* bases.h -- a job of each kind, method and variant, from which tests make other jobs. */
#ifndef TESTS_UNIT_JOB_BASES_H
#define TESTS_UNIT_JOB_BASES_H

#include "tests/test.h"

#include <string.h>

#define BASE_MODEL "\"model\":\"0123456789abcdef0123456789abcdef\""
#define KCAGC      METHOD("tree")
#define METHOD(m)                                                                                  \
	"{\"kind\":\"kcagc\",\"clusters\":7,\"filter\":{\"order\":9},\"method\":\"" m "\"}"
#define PREDICT     "{\"kind\":\"kcagc.predict\",\"clusters\":7," BASE_MODEL "}"
#define K7(kind, m) "{\"kind\":\"" kind "\",\"clusters\":7" m "}"
#define WALKS(more) "{\"kind\":\"fedwalk\"" more "}"
#define EPS         "\"eps\":2,\"delta\":1e-5,\"clip\":1"

struct base {
	const char *name, *text;
};

/* The first bases have one job of each kind, in the order of kinds[]. */
static const struct base bases[] = {
	{ "kcagc", KCAGC },
	{ "predict", PREDICT },
	{ "fedsc", K7("fedsc", "") },
	{ "kmeans", K7("kmeans", "") },
	{ "fedspectral", K7("fedspectral", "") },
	{ "fedwalk", WALKS("") },
	{ "fedgcn", K7("fedgcn", "") },
	{ "columns", K7("kmeans.columns", "") },
	{ "align", "{\"kind\":\"align\"}" },
	{ "columns predict", K7("kmeans.columns.predict", "," BASE_MODEL) },
	{ "kcagc flat", METHOD("flat") },
	{ "columns matched", K7("kmeans.columns", ",\"align\":\"intersect\"") },
	{ "kcagc basic", METHOD("basic") },
	{ "kcagc landmark", METHOD("landmark") },
	{ "kcagc gcc", METHOD("gcc") },
	{ "fedsc dense", K7("fedsc", ",\"variant\":\"dense\"") },
	{ "fedsc paper", K7("fedsc", ",\"variant\":\"paper\"") },
	{ "fedsc paper, d and r", K7("fedsc", ",\"variant\":\"paper\",\"dims\":9,"
					      "\"kernel\":{\"width\":1},\"noise\":{\"on\":"
					      "\"factors\"," EPS "}") },
	{ "fedsc pairwise", K7("fedsc", ",\"variant\":\"pairwise\"") },
	{ "fedsc data", K7("fedsc", ",\"noise\":{\"on\":\"data\"," EPS "}") },
	{ "fedsc sums", K7("fedsc", ",\"noise\":{\"on\":\"sums\"," EPS "}") },
	{ "kmeans data", K7("kmeans", ",\"noise\":{\"on\":\"data\"," EPS "}") },
	{ "fedspectral sums",
	  K7("fedspectral", ",\"noise\":{\"on\":\"sums\",\"eps\":2,\"delta\":1e-5}") },
	{ "fedspectral+", K7("fedspectral", ",\"variant\":\"fedspectral+\"") },
	{ "fedspectral plain", K7("fedspectral", ",\"variant\":\"fedspectral\"") },
	{ "fedspectral ids", K7("fedspectral", ",\"ids\":\"plain\"") },
	{ "fedwalk dtw", WALKS(",\"dissimilarity\":\"dtw\"") },
	{ "fedwalk response", WALKS(",\"mode\":\"randomized-response\",\"ids\":\"plain\"") },
	{ "fedgcn fedprox", K7("fedgcn", ",\"aggregation\":\"fedprox\"") },
};
enum { BASES = sizeof(bases) / sizeof(*bases) };
enum {
#define KIND(name) KIND_##name,
#include "protocols/kinds.def"
#undef KIND
	KINDS
};

static inline const struct base *base_named(const char *name)
{
	for (size_t i = 0; i < BASES; i++)
		if (!strcmp(bases[i].name, name))
			return &bases[i];
	fail_msg("no base %s", name);
	return NULL;
}

#endif
