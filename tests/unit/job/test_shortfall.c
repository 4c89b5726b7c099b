/* Tests each warning about results that fall short of the request, with an input that causes it and
 * one that does not. */
#include "common/base/warnings.h"
#include "common/job/shortfall.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct warnings given;

/* Returns the codes of warnings since the last call, such as "k_at_end k_close ". */
static const char *codes(void)
{
	static char text[400];

	*text = 0;
	for (size_t i = 0; i < given.count; i++) {
		strcat(text, warning_text[given.said[i].what].code);
		strcat(text, " ");
	}
	warnings_release(&given);
	return text;
}

static struct job job_of(const char *text)
{
	struct job job;

	assert_ok(
	    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "job", NULL));
	return job;
}

static const char *of_sizes(const char *job_text, size_t clusters, const uint64_t *size)
{
	struct job job = job_of(job_text);

	shortfall_sizes(&job, size, clusters);
	return codes();
}

TEST(test_sizes)
{
	static const char
	    three[] = "{\"kind\": \"kmeans\", \"clusters\": 3}",
	    range[] = "{\"kind\": \"kmeans\", \"clusters\": {\"from\": 2, \"to\": 9}}",
	    placed[] = "{\"kind\": \"kmeans.columns.predict\", \"clusters\": 3, \"model\": "
		       "\"0000000000000000000000000000000a\"}",
	    noisy[] = "{\"kind\": \"kmeans\", \"clusters\": 3, \"noise\": {\"on\": \"sums\", "
		      "\"eps\": 1, \"delta\": 1e-5, \"clip\": 5}}";

	assert_string_equal(of_sizes(three, 3, (uint64_t[]){ 2, 5, 9 }), "");
	assert_string_equal(of_sizes(three, 3, (uint64_t[]){ 2, 0, 9 }), "fewer_clusters ");
	assert_string_equal(of_sizes(three, 3, (uint64_t[]){ 0, 0, 9 }), "one_cluster ");
	assert_string_equal(of_sizes(three, 3, (uint64_t[]){ 1, 5, 9 }), "single_rows ");
	assert_string_equal(of_sizes(three, 3, (uint64_t[]){ 1, 0, 9 }),
			    "fewer_clusters single_rows ");
	assert_string_equal(of_sizes(range, 3, (uint64_t[]){ 2, 5, 9 }), "");
	assert_string_equal(of_sizes(range, 3, (uint64_t[]){ 2, 0, 9 }), "fewer_clusters ");
	assert_string_equal(of_sizes(placed, 3, (uint64_t[]){ 0, 0, 1 }), "");
	assert_string_equal(of_sizes(noisy, 3, (uint64_t[]){ 0, 1, 9 }), "");
	assert_string_equal(of_sizes(three, 3, (uint64_t[]){ 0, 0, 0 }),
			    ""); /* there is no result */
}

TEST(test_sentence)
{
	struct job job = job_of("{\"kind\": \"kcagc\", \"method\": \"tree\", \"clusters\": 4, "
				"\"filter\": {\"order\": 3}}");

	shortfall_sizes(&job, (uint64_t[]){ 1, 0, 9, 1 }, 4);
	assert_int_equal(given.count, 2);
	assert_memory_equal(given.said[0].sentence, "3 clusters of 4 have rows: set fewer", 36);
	assert_true(given.said[0].number == 3 && given.said[1].number == 2);
	assert_memory_equal(given.said[1].sentence, "2 of 3 clusters have one row: ", 30);
	codes();
}

static const char *of_scores(size_t count, const double *silhouette, const double *stability)
{
	struct selection s = { .from = 2 };

	for (size_t i = 0; i < count; i++) {
		selection_add(&s, (struct selection_point){ .silhouette = silhouette[i] });
		if (stability)
			selection_stability(&s, stability[i]);
	}
	shortfall_selection(&s);
	return codes();
}

TEST(test_selection)
{
	static const double clear[] = { .3, .6, .4 }, close[] = { .3, .6, .595 },
			    first[] = { .6, .4, .3 }, last[] = { .2, .3, .4 };

	assert_string_equal(of_scores(3, clear, NULL), "");
	assert_string_equal(of_scores(3, clear, (double[]){ .9, .8, .9 }), "");
	assert_string_equal(of_scores(3, clear, (double[]){ 1, .78, .9 }), "k_unstable ");
	assert_string_equal(of_scores(3, clear, (double[]){ .7, .6, .7 }), "");
	assert_string_equal(of_scores(3, close, NULL), "k_close ");
	assert_string_equal(of_scores(3, first, NULL), "k_at_end ");
	assert_string_equal(of_scores(3, last, NULL), "k_at_end ");
}

TEST(test_silhouette)
{
	shortfall_silhouette(0.06, 100);
	assert_string_equal(codes(), "");
	shortfall_silhouette(0.04, 100);
	assert_string_equal(codes(), "silhouette_low ");
}

TEST(test_modularity)
{
	shortfall_modularity(0.11);
	assert_string_equal(codes(), "");
	shortfall_modularity(-0.01);
	assert_string_equal(codes(), "modularity_low ");
}

static int begin(void **state)
{
	(void)state;
	warnings_begin(&given);
	return 0;
}

TESTS_BETWEEN(begin, NULL)
