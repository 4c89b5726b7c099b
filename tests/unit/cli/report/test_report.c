/* Tests the data that the report gathers from runs, including damaged and hostile ones, and the
 * page. */
#include "tests/test.h"
#include "tests/unit/dir.h"

#include "cli/report/evaluation.h"
#include "cli/report/gather.h"
#include "cli/report/page.h"
#include "cli/report/shown.h"
#include "cli/run/report_read.h"
#include "common/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *text_of(struct buf *b)
{
	buf_add(b, "", 1);
	b->n--;
	return (const char *)b->p;
}

TEST(test_numbers)
{
	assert_string_equal(show_count(12345).s, "12345");
	assert_string_equal(show_bytes(612).s, "612 B");
	assert_string_equal(show_bytes(25900).s, "25.9 kB");
	assert_string_equal(show_bytes(8231100).s, "8.2 MB");
	assert_string_equal(show_bytes(1e15).s, "1000 TB");
	assert_string_equal(show_seconds(0).s, "0 s");
	assert_string_equal(show_seconds(0.00041).s, "0.41 ms");
	assert_string_equal(show_seconds(0.3816).s, "382 ms");
	assert_string_equal(show_seconds(6.259).s, "6.26 s");
	assert_string_equal(show_seconds(1234).s, "1234 s");
	assert_string_equal(show_plain(0.1).s, "0.1");
	assert_true(strtod(show_plain(0.1 + 0.2).s, NULL) == 0.1 + 0.2);
}

/* ---- truncated JSON ---- */

static void expect_mended(const char *text, const char *mended)
{
	struct buf b = { 0 };
	bool ok = run_mend((struct bytes){ (const uint8_t *)text, strlen(text) }, &b);

	if (!mended)
		assert_false(ok);
	else
		assert_string_equal(ok ? text_of(&b) : "nothing", mended);
	buf_release(&b);
}

TEST(test_mend)
{
	static const char whole[] = "{\"a\": [1, {\"b\": \"x,]}\\\"\"}, [true]], \"c\": 12, "
				    "\"d\": {\"e\": null, \"f\": []}, \"g\": \"h\"}";

	expect_mended("{\"a\": 1, \"b\": 2", "{\"a\": 1}");
	expect_mended("{\"a\": [1, 2", "{\"a\": [1]}");
	expect_mended("{\"a\": {\"b\": \"x, ]", "{\"a\": {}}");
	expect_mended("{\"a\": {}", "{\"a\": {}}");
	expect_mended("{\"a\": \"x\\\",y\", \"b\": 2", "{\"a\": \"x\\\",y\"}");
	expect_mended("{\"a", "{}");
	expect_mended("", NULL);
	expect_mended("12", NULL);
	for (size_t n = 1; n < sizeof(whole) - 1; n++) { /* each prefix can be repaired */
		struct buf b = { 0 };
		struct json *v = NULL;

		assert_true(run_mend((struct bytes){ (const uint8_t *)whole, n }, &b));
		assert_ok(json_parse((struct bytes){ b.p, b.n }, "mended", &v));
		json_free(v);
		buf_release(&b);
	}
}

TEST(test_values)
{
	static const char text[] =
	    "{\"n\": 1.5, \"minus\": -1, \"huge\": 1e16, \"s\": \"x\", \"l\": [3, "
	    "{\"k\": 1}, {\"k\": 2}], \"o\": {}}";
	struct json *v;
	const struct json *m;

	assert_ok(json_parse((struct bytes){ (const uint8_t *)text, strlen(text) }, "text", &v));
	assert_true(run_has(v, "n") && run_number(v, "n") == 1.5);
	assert_true(!run_has(v, "minus") && !run_has(v, "huge") && !run_has(v, "s") &&
		    !run_has(v, "none") && !run_has(NULL, "n"));
	assert_true(run_number(v, "huge") == 0 && run_number(NULL, "n") == 0);
	assert_string_equal(json_text(v, "s"), "x");
	assert_string_equal(json_text(v, "n"), "");
	assert_true(run_object(v, "o") && !run_object(v, "l") && run_list(v, "l"));
	m = run_first(v, "l");
	assert_true(run_number(m, "k") == 1 && run_number(run_next(m), "k") == 2 &&
		    !run_next(run_next(m)));
	json_free(v);
}

/* ---- a directory ---- */

TEST_WITH(test_directory, dir_enter, dir_leave)
{
	struct run_dir r;

	put("out/a-party/run.json", "{\"schema_version\": 1, \"role\": \"party\", \"name\": \"a\", "
				    "\"job_id\": \"7\"}");
	put("out/hub/run.json",
	    "{\"schema_version\": 1, \"role\": \"coordinator\", \"name\": \"hub\", "
	    "\"job_id\": \"7\", \"parties\": [\"a\", \"b\", \"c\", \"d\"]}");
	put("out/b/run.json",
	    "{\"schema_version\": 1, \"role\": \"party\", \"name\": \"b\", \"job_id\"");
	put("out/c/log.jsonl", "");
	put("out/work/x", "");
	put("out/network.json", "{\"network\": \"wan\"}");
	assert_ok(run_dir_read("out", &r));
	assert_false(r.alone);
	/* b's run.json ends before the value of its job_id, so b is not in this job */
	assert_int_equal(r.n, 2);
	assert_string_equal(r.process[0].name, "hub");
	assert_string_equal(r.process[1].name, "a");
	assert_true(r.process[0].sound && r.process[1].sound);
	assert_ptr_equal(run_dir_party(&r), &r.process[1]);
	assert_string_equal(json_text(r.network, "network"), "wan");
	assert_true(notes_about(&r.missing, "b") && notes_about(&r.missing, "c") &&
		    notes_about(&r.missing, "d") && !notes_about(&r.missing, "a") &&
		    !notes_about(&r.missing, "work"));
	run_dir_release(&r);
	assert_ok(run_dir_read("out/a-party", &r));
	assert_true(r.alone && r.n == 1 && !r.missing.n);
	run_dir_release(&r);
	assert_err(run_dir_read("out/c", &r), ERR_INPUT, "out/c/run.json: No such file");
	assert_err(run_dir_read("none", &r), ERR_INPUT, "none/run.json: No such file");
	put("bad/x/run.json", "{\"a\": NaN}");
	assert_err(run_dir_read("bad", &r), ERR_INPUT,
		   "bad: no run.json can be read; x: bad/x/run.json");
}

/* ---- the matrix ---- */

TEST(test_confusion)
{
	/* Class 2 is cluster 0, and class 5 is cluster 7. There are as many classes as clusters, so
	 * the remaining class 9 is matched with cluster 4. */
	static const uint32_t truth[] = { 2, 2, 2, 5, 5, 9, 9, 9 };
	static const uint32_t label[] = { 0, 0, 7, 7, 7, 0, 7, 4 };
	struct json *e = json_object();
	struct buf b = { 0 };

	evaluation_confusion(e, truth, label, 8);
	json_write(e, &b);
	assert_string_equal(text_of(&b), "{\"classes\":[2,5,9],\"clusters\":[0,7,4],"
					 "\"confusion\":[[2,1,0],[0,2,0],[1,1,1]]}");
	buf_release(&b);
	json_free(e);
	/* With more clusters than classes, clusters without a class come last. With fewer clusters
	 * than classes, no column is missing. */
	e = json_object();
	evaluation_confusion(e, (const uint32_t[]){ 1, 1, 1, 0 }, (const uint32_t[]){ 3, 8, 8, 3 },
			     4);
	json_write(e, &b);
	assert_string_equal(text_of(&b),
			    "{\"classes\":[0,1],\"clusters\":[3,8],\"confusion\":[[1,0],[1,2]]}");
	buf_release(&b);
	json_free(e);
	e = json_object();
	evaluation_confusion(e, (const uint32_t[]){ 6, 6, 6 }, (const uint32_t[]){ 1, 2, 2 }, 3);
	json_write(e, &b);
	assert_string_equal(text_of(&b),
			    "{\"classes\":[6],\"clusters\":[2,1],\"confusion\":[[2,1]]}");
	buf_release(&b);
	json_free(e);
}

TEST(test_large_confusion)
{
	uint32_t label[CONFUSION_MAX + 1];
	struct json *e = json_object();

	for (uint32_t i = 0; i <= CONFUSION_MAX; i++)
		label[i] = i;
	evaluation_confusion(e, label, label, CONFUSION_MAX + 1);
	assert_null(json_get(e, "confusion"));
	evaluation_confusion(e, label, label, CONFUSION_MAX);
	assert_int_equal(json_count(json_get(e, "confusion")), CONFUSION_MAX);
	json_free(e);
}

/* ---- the data of the page ---- */

static struct json *gathered(const char *run)
{
	struct report r = { .picture_of = "" };
	struct json *page;

	put("out/run.json", run);
	assert_ok(run_dir_read("out", &r.runs));
	page = report_gather(&r);
	run_dir_release(&r.runs);
	return page;
}

static void expect_json(const struct json *v, const char *text)
{
	struct buf b = { 0 };

	assert_non_null(v);
	json_write(v, &b);
	assert_string_equal(text_of(&b), text);
	buf_release(&b);
}

static const struct json *run_of(const struct json *page)
{
	return json_get(json_first(json_get(page, "processes")), "run");
}

/* The report's data have the values of run.json except paths and hashes. They also name the values
 * that run.json lacks. */
TEST_WITH(test_gather, dir_enter, dir_leave)
{
	struct json *page;

	put("out/profile.csv", "cluster,rows\n0,\"<5\"\n");
	page = gathered(
	    "{\"schema_version\": 1, \"name\": \"a\", \"role\": \"party\", \"status\": \"done\", "
	    "\"job\": {\"kind\": \"fedsc\", \"variant\": \"anchor\"}, \"round_trips\": 4, "
	    "\"data\": {\"features\": \"/home/a\"}, \"files\": [1], \"ledger\": {\"hash\": \"x\"}, "
	    "\"phases\": [{\"name\": \"offer\"}], \"traffic\": [{\"peer\": \"c\"}], "
	    "\"warnings\": [{\"code\": \"k\", \"sentence\": \"It is so.\"}], "
	    "\"result\": {\"cluster_sizes\": [5, 7], \"sums\": [{\"group\": 2, \"merged\": 17}]}, "
	    "\"facts\": {\"dims\": 85, \"list\": [0.123456789, -1e-17, \"x\"]}}");
	expect_json(json_get(page, "words"), "\"fedsc, variant anchor\"");
	expect_json(json_get(page, "things"), "\"rows\"");
	expect_json(json_get(page, "alone"), "true");
	expect_json(json_get(page, "warnings"),
		    "[{\"code\":\"k\",\"sentence\":\"It is so.\",\"names\":\"a\"}]");
	expect_json(json_get(page, "missing"),
		    "[{\"subject\":\"a\",\"text\":\"its run.json has no peers: no TCP round trips, "
		    "no congestion control\"},{\"subject\":\"a\",\"text\":\"its run.json has no "
		    "disclosures (leaks)\"}]");
	expect_json(json_get(page, "profile"), "\"cluster,rows\\n0,\\\"<5\\\"\\n\"");
	expect_json(json_get(run_of(page), "result"),
		    "{\"cluster_sizes\":[5,7],\"sums\":[{\"group\":2,\"merged\":17}]}");
	expect_json(json_get(run_of(page), "facts"),
		    "{\"dims\":85,\"list\":[0.123456789,-1e-17,\"x\"]}");
	assert_null(json_get(run_of(page), "data"));
	assert_null(json_get(run_of(page), "files"));
	assert_null(json_get(run_of(page), "ledger"));
	assert_null(json_get(page, "points"));
	json_free(page);
}

static size_t times(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* No text in run.json or in the title can end the script with the data, or an element of the
 * page. */
TEST_WITH(test_page_of_little, dir_enter, dir_leave)
{
	struct buf html = { 0 };
	struct json *page = gathered(
	    "{\"schema_version\": 9, \"name\": \"</script><b>\", \"phases\": [{\"name\": \"<!--\", "
	    "\"start_s\": 1e300}], \"steps\": 3, \"result\": {\"cluster_sizes\": [-1, null, 5, "
	    "\"x\"]}}");
	const char *text;

	page_write(&(struct page){ "</title><b>", page,
				   run_list(run_object(run_of(page), "result"), "cluster_sizes"),
				   NULL },
		   &html);
	text = text_of(&html);
	assert_non_null(strstr(text, "not of schema_version 1"));
	assert_int_equal(times(text, "</script>"), 2);
	assert_int_equal(times(text, "</title>"), 1);
	assert_non_null(strstr(text, "<title>&#60;/title&#62;&#60;b&#62;</title>"));
	assert_non_null(strstr(text, "\\u003c/script>\\u003cb>"));
	assert_non_null(strstr(text, "cluster 2</th><td>5</td>"));
	assert_non_null(strstr(text, "cluster 0</th><td>0</td>"));
	assert_null(strstr(text, "<svg"));
	assert_non_null(strstr(text, "default-src 'none'; style-src 'unsafe-inline'; script-src "
				     "'sha256-"));
	buf_release(&html);
	json_free(page);
}
