/* Tests jobs: given values override presets and defaults; the canonical text; refusals. */
#include "protocols/fedsc/job.h"
#include "protocols/kcagc/job.h"
#include "jobs.h"

#include <glob.h>
#include <stdio.h>

static void text_of(const struct job *job, char *out, size_t len)
{
	struct buf b = { 0 };

	job_write(job, &b);
	assert_true(b.n < len);
	memcpy(out, b.p, b.n);
	out[b.n] = 0;
	buf_release(&b);
}

TEST(test_default_preset)
{
	/* The canonical text has all keys in this order, on one line. */
	static const char *const parts[] = {
		"{\"kind\":\"kcagc\",\"clusters\":7,\"seed\":1,\"allow_single\":false,\"on_loss\":"
		"\"end\",",
		"\"align\":\"same\",\"align_bound\":0,\"min_common\":100,",
		"\"graphs\":\"shared\",",
		"\"preset\":\"default\",\"method\":\"tree\",\"local_clusters\":\"2k\",",
		"\"filter\":{\"kind\":\"half\",\"order\":9},\"degrees\":\"off\",\"features\":"
		"\"idf\",",
		"\"projection\":{\"basis\":\"scaled\",\"dims\":\"k\",\"unit_rows\":true,\"row_"
		"power\":0.8},",
		"\"virtual_nodes\":\"mean\",\"local_restarts\":5,\"starts\":200,",
		"\"screen\":2,\"restarts\":20,",
		"\"iterations\":10,\"polish\":3,\"exchange\":"
		"\"distances\",",
		"\"joint_norm\":false,\"min_cell\":1,\"landmark\":{\"power\":true}"
		",",
		"\"secure_sum\":{\"group\":\"ffdhe3072\",\"modulus_bits\":32,\"fraction_bits\":"
		"\"auto\"}"
		"}",
	};
	char text[4096], *at = text;
	struct job j;

	assert_ok(parse(&j, "{" MIN TREE "}", NULL));
	text_of(&j, text, sizeof(text));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		at = strstr(at, parts[i]);
		if (!at)
			fail_msg("part %zu is not there in its place: %s", i, text);
	}
	assert_int_equal(kcagc_local_clusters(kcagc_job(&j)), 14);
	assert_int_equal(kcagc_dims(kcagc_job(&j)), 7);
	assert_string_equal(j.kind->name, "kcagc");
}

TEST(test_paper_preset_and_precedence)
{
	struct job j;
	struct embed_params e;

	assert_ok(parse(
	    &j, "{" MIN ", \"preset\": \"paper\", \"polish\": 2, \"local_clusters\": 21}", NULL));
	assert_int_equal(kcagc_job(&j)->polish, 2); /* a given value overrides the preset */
	assert_false(kcagc_job(&j)->idf);
	assert_true(kcagc_job(&j)->unit_basis);
	assert_false(kcagc_job(&j)->unit_rows);
	assert_int_equal(kcagc_job(&j)->virtual_nodes, VIRTUAL_CENTRE);
	assert_int_equal(kcagc_dims(kcagc_job(&j)), 21); /* "local" means local_clusters */
	e = kcagc_embed_params(kcagc_job(&j), 3);
	assert_true(!e.idf && e.unit_basis && !e.unit_rows && e.filter == FILTER_HALF);
	assert_int_equal(e.order, 9);
	assert_int_equal(e.dims, 21);
	assert_int_equal(e.threads, 3);
	assert_ok(parse(&j, "{" MIN ", \"preset\": \"paper\"}", NULL));
	assert_int_equal(kcagc_job(&j)->polish, 0);
	/* "basic" already uses all nodes, so its default is no polish for any preset. */
	assert_ok(parse(&j, "{" MIN ", \"method\": \"basic\"}", NULL));
	assert_int_equal(kcagc_job(&j)->polish, 0);
	assert_true(kcagc_job(&j)->idf);
	assert_ok(parse(&j, "{" MIN ", \"method\": \"basic\", \"preset\": \"paper\"}", NULL));
	assert_int_equal(kcagc_job(&j)->polish, 0);
	assert_false(kcagc_job(&j)->idf);
}

/* A kcagc job without a method has the method landmark, or with preset "paper" tree; a
 * kmeans.columns job has tree. A job refuses parameters that its default method landmark does not
 * read. */
TEST(test_default_method)
{
	static const struct {
		const char *text;
		enum kcagc_method method;
	} cases[] = {
		{ "{" JOB "}", METHOD_LANDMARK },
		{ "{" MIN ", \"preset\": \"default\"}", METHOD_LANDMARK },
		{ "{" MIN ", \"preset\": \"paper\"}", METHOD_TREE },
		{ "{" MIN ", \"preset\": \"paper\", \"method\": \"flat\"}", METHOD_FLAT },
		{ "{\"kind\": \"kmeans.columns\", \"clusters\": 7}", METHOD_TREE },
	};
	char *unread[] = { "starts=300", "exchange=gram", "filter.kind=spectral" };
	struct job j;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_ok(parse(&j, cases[i].text, NULL));
		if (kcagc_job(&j)->method != cases[i].method)
			fail_msg("case %zu: method %u", i, kcagc_job(&j)->method);
	}
	for (size_t i = 0; i < sizeof(unread) / sizeof(*unread); i++) {
		char *set[] = { unread[i], NULL };

		assert_err(parse(&j, "{" JOB "}", set), ERR_INPUT,
			   " only; remove it, or change job.method, which is \"landmark\"");
	}
}

/* Some methods have defaults of their own. Given values override the defaults of methods and of
 * presets. */
TEST(test_method_presets)
{
	static const struct {
		const char *text;
		unsigned order, polish, bits;
	} cases[] = {
		/* 0 */ { "{" JOB ", \"method\": \"landmark\"}", KCAGC_ORDER_AUTO, 1, JOB_AUTO },
		/* 1 */ { "{" JOB ", \"method\": \"gcc\"}", KCAGC_ORDER_AUTO, 0, JOB_AUTO },
		/* 2 */ { "{" MIN ", \"method\": \"basic\"}", 9, 0, JOB_AUTO },
		/* 3 */ { "{" MIN ", \"method\": \"flat\"}", 9, 3, JOB_AUTO },
		/* 4 */
		{ "{" MIN ", \"method\": \"landmark\", \"polish\": 2, \"secure_sum\": "
		  "{\"fraction_bits\": 20}}",
		  9, 2, 20 },
		/* 5 */
		{ "{" MIN ", \"method\": \"gcc\", \"secure_sum\": {\"fraction_bits\": 40}}", 9, 0,
		  40 },
		/* 6: the method's default overrides the preset's */
		{ "{" MIN ", \"method\": \"basic\", \"preset\": \"paper\"}", 9, 0, JOB_AUTO },
		/* 7 */ { "{" MIN ", \"preset\": \"paper\"}", 9, 0, JOB_AUTO },
		/* 8: cells of fewer than min_cell nodes are left out, so polish is 0 */
		{ "{" MIN TREE ", \"min_cell\": 2}", 9, 0, JOB_AUTO },
		/* 9 */ { "{" MIN TREE ", \"min_cell\": 1}", 9, 3, JOB_AUTO },
		/* 10 */
		{ "{" JOB ", \"method\": \"landmark\", \"min_cell\": 5}", KCAGC_ORDER_AUTO, 0,
		  JOB_AUTO },
		/* 11 */ { "{" AUTO TREE "}", KCAGC_ORDER_AUTO, 3, JOB_AUTO },
		/* 12 */ { "{" JOB "}", KCAGC_ORDER_AUTO, 1, JOB_AUTO },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct job j;

		print_message("case %zu\n", i);
		assert_ok(parse(&j, cases[i].text, NULL));
		assert_int_equal(kcagc_job(&j)->filter_order, cases[i].order);
		assert_int_equal(kcagc_job(&j)->polish, cases[i].polish);
		assert_int_equal(j.fraction_bits, cases[i].bits);
	}
}

/* By default words of sums have 32 bits in method landmark. They also have 32 bits in tree, flat
 * and basic if rows have about unit length (row_power 0.5 to 1) and at most 16 fraction bits are
 * given. Other sums have words of 64 bits. */
TEST(test_words_of_32_bits)
{
	static const struct {
		const char *text;
		unsigned bits;
	} cases[] = {
		/* 0 */ { "{" MIN TREE "}", 32 },
		/* 1 */ { "{" MIN ", \"method\": \"basic\"}", 32 },
		/* 2 */ { "{" MIN ", \"method\": \"flat\", \"exchange\": \"gram\"}", 32 },
		/* 3 */ { "{" MIN TREE ", \"secure_sum\": {\"modulus_bits\": 64}}", 64 },
		/* 4 */ { "{" MIN TREE ", \"secure_sum\": {\"fraction_bits\": 16}}", 32 },
		/* 5 */ { "{" MIN TREE ", \"secure_sum\": {\"fraction_bits\": 17}}", 64 },
		/* 6 */ { "{" MIN TREE ", \"projection\": {\"unit_rows\": false}}", 64 },
		/* 7 */ { "{" MIN TREE ", \"projection\": {\"row_power\": 0.4}}", 64 },
		/* 8 */ { "{" MIN TREE ", \"joint_norm\": true}", 32 },
		/* 9 */ { "{" AUTO TREE "}", 32 },
		/* 10 */ { "{" MIN ", \"preset\": \"paper\"}", 64 },
		/* 11 */
		{ "{" MIN ", \"method\": \"landmark\", \"secure_sum\": {\"fraction_bits\": 24}}",
		  32 },
		/* 12 */
		{ "{" MIN ", \"method\": \"gcc\", \"secure_sum\": {\"fraction_bits\": 16}}", 64 },
		/* 13 */ { "{" MODEL "}", 64 },
		/* 14 */ { "{" MIN TREE ", \"projection\": {\"row_power\": 0.5}}", 32 },
		/* 15 */ { "{" AUTO TREE ", \"secure_sum\": {\"modulus_bits\": 32}}", 32 },
		/* 16 */ { "{" MIN TREE ", \"projection\": {\"row_power\": 1.1}}", 64 },
	};
	char *set[] = { "secure_sum.modulus_bits=64", NULL };
	struct job j;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		print_message("case %zu\n", i);
		assert_ok(parse(&j, cases[i].text, NULL));
		assert_int_equal(j.modulus_bits, cases[i].bits);
	}
	assert_ok(parse(&j, "{" MIN TREE "}", set));
	assert_int_equal(j.modulus_bits, 64);
}

/* A prediction job has its model, the parameters that all kinds have, `graphs` and `joint_norm`. It
 * refuses a parameter of kcagc only, such as `filter`. */
TEST(test_predict)
{
	static const char effective[] =
	    "{\"kind\":\"kcagc.predict\",\"clusters\":7,\"seed\":1,\"allow_single\":false,"
	    "\"on_loss\":\"end\",\"align\":\"same\",\"align_bound\":0,\"min_common\":100,"
	    "\"graphs\":\"shared\","
	    "\"joint_norm\":false,\"model\":"
	    "\"0123456789abcdef0123456789abcdef\",\"secure_sum\":{"
	    "\"group\":\"ffdhe3072\",\"modulus_bits\":64,\"fraction_bits\":\"auto\"}}";
	static const uint8_t model[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
					 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	char *of_kcagc[] = { "filter.order=9", NULL };
	char text[1024];
	struct job j;

	assert_ok(parse(&j, "{" MODEL "}", NULL));
	assert_ptr_equal(j.kind, &kind_kcagc_predict);
	assert_string_equal(j.kind->name, "kcagc.predict");
	assert_memory_equal(kcagc_job(&j)->model, model, sizeof(model));
	text_of(&j, text, sizeof(text));
	assert_string_equal(text, effective);
	assert_err(
	    parse(&j, "{" MODEL "}", of_kcagc), ERR_INPUT,
	    "job.json with --set: job.filter is unknown, expected one of: kind, clusters, "
	    "seed, allow_single, on_loss, align, align_bound, min_common, graphs, joint_norm, "
	    "model, secure_sum");
}

TEST(test_flat_sums)
{
	static const struct {
		const char *text;
		bool flat;
	} cases[] = {
		{ "{" JOB "}", true },
		{ "{" MIN ", \"method\": \"tree\"}", false },
		{ "{" MIN ", \"method\": \"flat\"}", true },
		{ "{" MIN ", \"method\": \"basic\"}", true },
		{ "{" JOB ", \"method\": \"landmark\"}", true },
		{ "{" JOB ", \"method\": \"gcc\"}", true },
		{ "{" MODEL "}", true },
	};
	struct job j;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_ok(parse(&j, cases[i].text, NULL));
		if (job_is_flat(&j) != cases[i].flat)
			fail_msg("case %zu", i);
	}
}

/* Checks the size of the first large vector, which determines the padding before it. */
TEST(test_burst)
{
	static const struct {
		const char *text;
		size_t n, up, down;
	} cases[] = {
		/* Two parties with 14 clusters each have up to 196 cells. For each cell the vector
		 * has 200 starts x 7 centres x 4 bytes. */
		{ "{" MIN TREE ", \"local_clusters\": 14}", 2708, 196 * 200 * 7 * 4,
		  196 * 200 / 2 },
		{ "{" MIN TREE ", \"local_clusters\": 14}", 100, 100 * 200 * 7 * 4, 100 * 200 / 2 },
		{ "{" MIN ", \"method\": \"basic\"}", 1000, 1000 * 40 * 7 * 4, 1000 * 40 / 2 },
		{ "{" MIN TREE ", \"exchange\": \"gram\"}", 2708, 0, 0 },
		{ "{" JOB ", \"method\": \"landmark\"}", 1000, 1000 * 24 * 4, 1000 * 17 * 4 },
		{ "{" JOB ", \"method\": \"gcc\"}", 1000, 1000 * 17 * 8, 1000 * 17 * 4 },
		{ "{" MODEL "}", 1000, 0, 0 },
	};
	struct job j;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_ok(parse(&j, cases[i].text, NULL));
		if (job_burst(&j, cases[i].n, false) != cases[i].up ||
		    job_burst(&j, cases[i].n, true) != cases[i].down)
			fail_msg("case %zu: %zu up, %zu down", i, job_burst(&j, cases[i].n, false),
				 job_burst(&j, cases[i].n, true));
	}
	assert_ok(parse(&j, "{" MIN TREE "}", NULL));
	assert_true(job_burst(&j, 0, true) > 0); /* before n is known */
}

TEST(test_effective_text_is_a_fixed_point)
{
	static const char *const jobs[] = {
		"{" MIN TREE "}",
		"{" MIN ", \"preset\": \"paper\", \"method\": \"flat\"}",
		"{" MIN ", \"method\": \"basic\", \"seed\": 9007199254740991}",
		"{" MIN TREE ", \"secure_sum\": {\"modulus_bits\": 32, \"group\": \"ffdhe2048\"}, "
		"\"projection\": {\"row_power\": 0.3}}",
		"{" AUTO TREE ", \"joint_norm\": true}",
		"{" MIN ", \"exchange\": \"gram\", \"method\": \"flat\"}",
		"{" MIN TREE ", \"min_cell\": 1073741824}",
		"{" JOB
		", \"method\": \"landmark\", \"landmark\": {\"power\": false}, \"min_cell\": 9}",
		"{" JOB ", \"method\": \"landmark\", \"filter\": {\"order\": 15}}",
		"{" JOB ", \"method\": \"gcc\"}",
		"{" MODEL "}",
		"{" MODEL ", \"graphs\": \"own\", \"secure_sum\": {\"fraction_bits\": 24}}",
	};

	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		char a[4096], b[4096], why[256];
		struct job j, again;

		assert_ok(parse(&j, jobs[i], NULL));
		text_of(&j, a, sizeof(a));
		assert_ok(parse(&again, a, NULL));
		text_of(&again, b, sizeof(b));
		assert_string_equal(a, b);
		assert_false(job_difference(&j, &again, why, sizeof(why)));
	}
}

TEST(test_difference)
{
	struct job a, b;
	char why[256];

	assert_ok(parse(&a, "{" MIN TREE "}", NULL));
	b = a;
	b.clusters = 8;
	assert_true(job_difference(&a, &b, why, sizeof(why)));
	assert_string_equal(why, "job.clusters: 7 here, 8 offered");
	b = a;
	b.group_bits = 4096;
	assert_true(job_difference(&a, &b, why, sizeof(why)));
	assert_string_equal(why, "job.secure_sum.group: \"ffdhe3072\" here, \"ffdhe4096\" offered");
	b = a;
	kcagc_job(&b)->filter_order = KCAGC_ORDER_AUTO;
	assert_true(job_difference(&a, &b, why, sizeof(why)));
	assert_string_equal(why, "job.filter.order: 9 here, \"auto\" offered");
	assert_ok(parse(&a, "{" MODEL "}", NULL));
	assert_true(job_difference(&a, &b, why, sizeof(why)));
	assert_string_equal(why, "job.kind: \"kcagc.predict\" here, \"kcagc\" offered");
	b = a;
	kcagc_job(&b)->polish = 17; /* this kind does not have `polish` */
	assert_false(job_difference(&a, &b, why, sizeof(why)));
	kcagc_job(&b)->model[0] = 0xff;
	assert_true(job_difference(&a, &b, why, sizeof(why)));
	assert_string_equal(why, "job.model: \"0123456789abcdef0123456789abcdef\" here, "
				 "\"ff23456789abcdef0123456789abcdef\" offered");
}

TEST(test_set_overrides)
{
	char *set[] = { "clusters=3", "filter.order=60", "method=flat", NULL },
	     *bad[] = { "clusters=x", NULL };
	struct job j;

	assert_ok(parse(&j, "{" MIN TREE "}", set));
	assert_int_equal(j.clusters, 3);
	assert_int_equal(kcagc_job(&j)->filter_order, 60);
	assert_int_equal(kcagc_job(&j)->method, METHOD_FLAT);
	assert_err(parse(&j, "{" MIN TREE "}", bad), ERR_INPUT,
		   "job.json with --set: job.clusters is \"x\"");
}

TEST(test_size_bound)
{
	static uint8_t big[JOB_TEXT_MAX + 1];
	struct job j;

	memset(big, ' ', sizeof(big));
	assert_err(job_parse(&j, (struct bytes){ big, sizeof(big) }, "offer", NULL), ERR_INPUT,
		   "offer: a job of 65537 bytes");
}

TEST(test_example_jobs)
{
	static const struct {
		const char *name;
		unsigned k, psi;
	} jobs[] = {
		{ "cora", 7, 9 }, { "citeseer", 6, 15 }, { "pubmed", 3, 60 }, { "wiki", 17, 2 }
	};

	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		char path[64];
		struct job j;

		snprintf(path, sizeof(path), "configs/jobs/kcagc-%s.json", jobs[i].name);
		assert_ok(job_read(&j, path, NULL));
		assert_int_equal(j.clusters, jobs[i].k);
		assert_int_equal(kcagc_job(&j)->filter_order, jobs[i].psi);
		assert_int_equal(kcagc_local_clusters(kcagc_job(&j)), 2 * jobs[i].k);
	}
	{
		struct job j;

		assert_err(job_read(&j, "/nonexistent/job.json", NULL), ERR_INPUT,
			   "/nonexistent/job.json: No such file");
	}
}

static struct job example(const char *name)
{
	char path[64];
	struct job j;

	snprintf(path, sizeof(path), "configs/jobs/%s.json", name);
	assert_ok(job_read(&j, path, NULL));
	return j;
}

TEST(test_example_jobs_of_rows)
{
	struct job j = example("fedsc-iris");

	assert_int_equal(j.clusters, 3);
	assert_int_equal(fedsc_job(&j)->how.variant, FEDSC_BY_ANCHORS);
	assert_string_equal(job_permission(&j), "fedsc");
	j = example("fedsc-dense");
	assert_int_equal(j.clusters, 40);
	assert_int_equal(fedsc_job(&j)->how.variant, FEDSC_BY_DENSE);
	j = example("fedsc-paper");
	assert_int_equal(fedsc_job(&j)->how.variant, FEDSC_BY_PAPER);
	assert_int_equal(fedsc_job(&j)->how.rounds, 20);
	assert_string_equal(job_permission(&j), "fedsc.paper");
	j = example("fedsc-pairwise");
	assert_int_equal(fedsc_job(&j)->how.variant, FEDSC_BY_PAIRWISE);
	assert_string_equal(job_permission(&j), "fedsc.pairwise");
	j = example("fedsc-private");
	assert_int_equal(fedsc_job(&j)->noise, NOISE_DATA);
	assert_true(fedsc_job(&j)->noise_eps == 4 && fedsc_job(&j)->noise_delta == 1e-5 &&
		    fedsc_job(&j)->noise_clip == 1);
	j = example("kmeans");
	assert_ptr_equal(j.kind, &kind_kmeans);
	assert_int_equal(fedsc_job(&j)->how.lloyd, 100);
	assert_string_equal(job_permission(&j), "kmeans");
}

/* Reads every example; examples of prediction need a model id, and the error says so. */
TEST(test_all_examples)
{
	glob_t found;

	assert_int_equal(glob("configs/jobs/*.json", 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 16);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct job j;

		if (strstr(found.gl_pathv[i], "predict"))
			assert_err(job_read(&j, found.gl_pathv[i], NULL), ERR_INPUT, "job.model");
		else
			assert_ok(job_read(&j, found.gl_pathv[i], NULL));
	}
	globfree(&found);
}
