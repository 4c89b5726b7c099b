/* What the report is made with: escaping, numbers for people, axes, reading what is damaged. */
#include "tests/test.h"
#include "tests/unit/dir.h"

#include "cli/report/report_html.h"
#include "cli/report/report_page.h"
#include "cli/run/report_read.h"
#include "common/base/file.h"
#include "common/base/rng.h"

#include <math.h>
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

static void expect_html(const char *text, const char *html)
{
	struct buf b = { 0 };

	html_text(&b, text);
	assert_string_equal(text_of(&b), html);
	buf_release(&b);
}

#define BAD "\xef\xbf\xbd"

TEST(test_escaping)
{
	expect_html("a<b> & \"c\" 'd'", "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
	expect_html("</script><!--", "&lt;/script&gt;&lt;!--");
	expect_html("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	/* Not UTF-8: a lone byte, a start without its end, overlong, a surrogate, beyond the end.
	 */
	expect_html("a\xff z", "a" BAD " z");
	expect_html("\xe2\x82", BAD BAD);
	expect_html("\xc3<", BAD "&lt;");
	expect_html("\xc0\xbc", BAD BAD); /* '<' in two bytes */
	expect_html("\xed\xa0\x80", BAD BAD BAD);
	expect_html("\xf4\x90\x80\x80", BAD BAD BAD BAD);
	/* Control characters, and what turns the direction of writing. */
	expect_html("a\001b\177c\nd", "a" BAD "b" BAD "c\nd");
	expect_html("\xe2\x80\xae"
		    "exe.txt",
		    BAD "exe.txt");
	expect_html("\xe2\x81\xa6", BAD);
	expect_html("\xc2\x85", BAD);
}

TEST(test_long_text)
{
	struct buf b = { 0 };
	char text[2000];

	memset(text, '<', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	html_text(&b, text);
	assert_int_equal(b.n, 4 * HTML_TEXT_MAX + 3);
	buf_release(&b);
	html_short(&b, "\xc3\xa9t\xc3\xa9", 2);
	assert_string_equal(text_of(&b), "\xc3\xa9t\xe2\x80\xa6");
	buf_release(&b);
	html_short(&b, "\xc3\xa9t\xc3\xa9", 3);
	assert_string_equal(text_of(&b), "\xc3\xa9t\xc3\xa9");
	buf_release(&b);
	html_textf(&b, "%s & %s", "<", text);
	assert_memory_equal(b.p, "&lt; &amp; &lt;", 14);
	buf_release(&b);
}

TEST(test_numbers)
{
	struct rng rng;

	assert_string_equal(show_count(0).s, "0");
	assert_string_equal(show_count(2708).s, "2708");
	assert_string_equal(show_count(12345).s, "12\xe2\x80\xaf"
						 "345");
	assert_string_equal(show_count(1234567).s, "1\xe2\x80\xaf"
						   "234\xe2\x80\xaf"
						   "567");
	assert_string_equal(show_count(22.5).s, "22.5");
	assert_string_equal(show_count(1e300).s, "1e+300");
	assert_string_equal(show_bytes(612).s, "612 B");
	assert_string_equal(show_bytes(25900).s, "25.9 kB");
	assert_string_equal(show_bytes(8231100).s, "8.2 MB");
	assert_string_equal(show_bytes(1e15).s, "1000 TB");
	assert_string_equal(show_seconds(0).s, "0 s");
	assert_string_equal(show_seconds(0.00041).s, "0.41 ms");
	assert_string_equal(show_seconds(0.0123).s, "12.3 ms");
	assert_string_equal(show_seconds(0.3816).s, "382 ms");
	assert_string_equal(show_seconds(6.259).s, "6.26 s");
	assert_string_equal(show_seconds(1234).s, "1234 s");
	/* Exactly: read again it is the same number. */
	rng_seed(&rng, 3, 0);
	for (int i = 0; i < 1000; i++) {
		double x = rng_normal(&rng) * pow(10, (double)rng_below(&rng, 30) - 15);

		assert_true(strtod(show_plain(x).s, NULL) == x);
	}
	assert_string_equal(show_plain(0.1).s, "0.1");
	for (double x = 1e-320; x < 1e308; x *= 7) { /* none is longer than its room */
		assert_true(strlen(show_number(x).s) < 16);
		assert_true(strlen(show_seconds(x).s) < 16);
		assert_true(strlen(show_bytes(fmin(x, RUN_NUMBER_MAX)).s) < 16);
	}
}

TEST(test_data)
{
	struct buf b = { 0 };

	assert_string_equal(html_data(2067028, show_bytes).s,
			    "<data value=\"2067028\">2.1 MB</data>");
	html_values(&b, (double[]){ 1, 0.5 }, 2);
	assert_string_equal(text_of(&b), " data-v=\"1 0.5\"");
	buf_release(&b);
}

TEST(test_axis)
{
	double from[] = { 0, 5, 30, 31, 90 }, to[] = { 20, 25, 40, 41, 100 };
	unsigned row[5];
	struct rng rng;

	assert_true(fabs(axis_step(0.38, 4) - 0.1) < 1e-12);
	assert_true(axis_step(6.26, 4) == 2 && axis_step(8, 4) == 2 && axis_step(8.1, 4) == 5);
	assert_true(axis_step(1, 10) > 0.0999);
	rng_seed(&rng, 1, 0);
	for (int i = 0; i < 1000; i++) {
		double range = exp(rng_normal(&rng) * 10), step = axis_step(range, 4);

		assert_true(range / step <= 4 + 1e-6 && range / step > 1);
	}
	assert_true(axis_percent(5, 0, 10) == 50 && axis_percent(-1, 0, 10) == 0 &&
		    axis_percent(11, 0, 10) == 100 && axis_percent(1, 2, 2) == 0);
	assert_true(axis_percent(NAN, 0, 10) == 0 || axis_percent(NAN, 0, 10) == 100);
	assert_int_equal(axis_rows(from, to, 5, row), 2);
	assert_true(row[4] == 0 && row[3] == 0 && row[2] == 1 && row[1] == 0 && row[0] == 1);
	assert_int_equal(axis_rows(from, to, 0, row), 0);
	assert_true(axis_utc("1970-01-02T00:00:01.250Z") == 86401.25);
	assert_true(axis_utc("2026-11-21T00:10:05.484Z") - axis_utc("2026-11-21T00:10:05.000Z") <
		    0.485);
	assert_true(axis_utc("") < 0 && axis_utc("2026-11-21T00:10:05.484") < 0 &&
		    axis_utc("2026-11-21T00:10:05.484Zx") < 0 && axis_utc("yesterday") < 0);
}

/* ---- what is cut off ---- */

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
	for (size_t n = 1; n < sizeof(whole) - 1; n++) { /* wherever it is cut it can be read */
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
	assert_int_equal(r.n, 2); /* b is cut off before its job_id, so it is of another job */
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

TEST_WITH(test_page_of_little, dir_enter, dir_leave)
{
	struct report r = { .picture_of = "" };
	struct buf html = { 0 };

	put("out/run.json",
	    "{\"schema_version\": 9, \"name\": \"<b>\", \"phases\": [{\"name\": \"<i>\", "
	    "\"start_s\": 1e300, \"wait_s\": 1}], \"steps\": 3, \"result\": "
	    "{\"cluster_sizes\": [-1, null, 5, \"x\"]}}");
	assert_ok(run_dir_read("out", &r.runs));
	r.main = &r.runs.process[0];
	report_page(&r, &html);
	assert_non_null(strstr(text_of(&html), "not of schema_version 1"));
	assert_non_null(strstr((char *)html.p, "&lt;b&gt;"));
	assert_null(strstr((char *)html.p, "<b>&lt;b&gt;</b>: nothing of it"));
	assert_null(strstr((char *)html.p, "<i>"));
	assert_non_null(strstr((char *)html.p, "<data value=\"5\">5</data>"));
	assert_null(strstr((char *)html.p, "nan"));
	assert_null(strstr((char *)html.p, "inf"));
	buf_release(&html);
	run_dir_release(&r.runs);
}

/* Numbers, lists and texts by name, exactly; what is none of these does no harm. */
TEST_WITH(test_facts, dir_enter, dir_leave)
{
	struct report r = { .picture_of = "" };
	struct buf html = { 0 };

	put("out/run.json",
	    "{\"schema_version\": 1, \"name\": \"a\", \"job\": {\"kind\": \"fedsc\", "
	    "\"variant\": \"anchor\"}, \"facts\": {\"dims\": 85, \"<i>\": \"<b>\", "
	    "\"eigenvalues\": [1, 0.123456789, -1e-17, \"x\"], \"odd\": {\"a\": 1}}}");
	assert_ok(run_dir_read("out", &r.runs));
	r.main = &r.runs.process[0];
	report_page(&r, &html);
	assert_non_null(strstr(text_of(&html), "id=\"facts\""));
	assert_non_null(strstr((char *)html.p, "fedsc, variant anchor"));
	assert_null(strstr((char *)html.p, "preset"));
	assert_non_null(
	    strstr((char *)html.p, "<dt>dims</dt><dd><data value=\"85\">85</data></dd>"));
	assert_non_null(strstr((char *)html.p, "<dt>&lt;i&gt;</dt><dd>&lt;b&gt;</dd>"));
	assert_non_null(strstr((char *)html.p,
			       "<data value=\"0.123456789\">0.12346</data> \xc2\xb7 <data "
			       "value=\"-1e-17\">-1e-17</data> \xc2\xb7 none"));
	assert_non_null(strstr((char *)html.p, "<dt>odd</dt><dd>none</dd>"));
	buf_release(&html);
	run_dir_release(&r.runs);
	put("out/run.json", "{\"schema_version\": 1, \"name\": \"a\", \"facts\": {}}");
	assert_ok(run_dir_read("out", &r.runs));
	r.main = &r.runs.process[0];
	report_page(&r, &html);
	assert_null(strstr(text_of(&html), "id=\"facts\""));
	buf_release(&html);
	run_dir_release(&r.runs);
}

/* ---- the matrix ---- */

TEST(test_confusion)
{
	/* Class 2 is cluster 0, class 5 is cluster 7, class 9 is none's; cluster 4 is none's
	 * either: as many clusters as classes, so the last two are matched. */
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
	/* More clusters than classes: those of no class come last; fewer: the columns stay. */
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

TEST(test_marks)
{
	for (unsigned c = 0; c < REPORT_HUES * REPORT_MARKS;
	     c++) { /* no two clusters look the same */
		for (unsigned d = 0; d < c; d++) {
			struct buf a = { 0 }, b = { 0 };

			report_mark(&a, c, 6, 6, 5);
			report_mark(&b, d, 6, 6, 5);
			assert_string_not_equal(text_of(&a), text_of(&b));
			buf_release(&a);
			buf_release(&b);
		}
	}
}
