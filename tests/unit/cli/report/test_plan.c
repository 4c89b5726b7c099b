/* What show and report make of runs with a plan, of those that ended with it, and of merged cells.
 */
#include "tests/test.h"

#include "cli/args/args.h"
#include "cli/report/report_page.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"

#define HEAD                                                                                       \
	"{\"schema_version\": 1, \"software\": \"coterie x\", \"role\": \"coordinator\", "         \
	"\"name\": \"hub\", \"status\": \"done\", \"elapsed_s\": 0.75, \"rounds\": 0, "            \
	"\"round_trips\": 4, \"parties\": [\"a\", \"b\"], "
#define PLAN                                                                                       \
	"\"plan\": {\"rtt_ms\": 200.5, \"bytes_per_s\": 5e7, \"ways\": [{\"method\": \"basic\", "  \
	"\"exchange\": \"distances\", \"rounds\": 11, \"round_trips\": 12, \"words\": 1234567, "   \
	"\"bytes\": 4938268, \"seconds\": 2.498765, \"guessed\": false, \"taken\": false, "        \
	"\"why_not\": \"min_cell is <above> 1\"}, {\"method\": \"tree\", \"exchange\": \"gram\", " \
	"\"rounds\": 5, \"round_trips\": 7, \"words\": 8000, \"bytes\": 32000, \"seconds\": 1.4, " \
	"\"guessed\": true, \"taken\": true}]}"

static const char only[] = HEAD "\"job\": {\"kind\": \"kcagc\", \"clusters\": 2, \"plan\": "
				"\"only\"}, \"result\": null, \"leaks\": [\"names\"], " PLAN "}";
static const char merged[] =
    HEAD "\"job\": {\"kind\": \"kcagc\", \"clusters\": 2, \"plan\": \"auto\", \"min_cell\": 25}, "
	 "\"phases\": [{\"name\": \"level-1\"}], "
	 "\"result\": {\"rows\": 90, \"clusters\": 2, \"cluster_sizes\": [50, 40], \"sums\": ["
	 "{\"phase\": 0, \"group\": 2, \"items\": 31, \"merged\": 17, \"iterations\": 1, "
	 "\"objective\": [3]}, {\"phase\": 0, \"group\": 3, \"items\": 8, \"merged\": 0, "
	 "\"iterations\": 1, \"objective\": [2]}]}, " PLAN "}";

/* ---- show ---- */

static void test_show_the_ways(void **state)
{
	(void)state;
	put("out/run.json", merged);
	put("out/labels.csv", "id,label\n0,1\n1,0\n");
	put("out/truth.txt", "0\n1\n");
	expect_command(show_main, "out --truth out/truth.txt", 0, "ACC 1.0000");
	assert_non_null(strstr(said, "plan   exchange   rounds  trips    words    MB  seconds"));
	assert_non_null(strstr(said, "basic  distances      11     12  1234567  4.94    2.499  "
				     "not: min_cell is <above> 1"));
	assert_non_null(strstr(said, "tree   gram            5      7     8000  0.03    1.400  "
				     "cells guessed  <- taken"));
	assert_non_null(strstr(said, "at 200.500 ms and 50.00 MB/s"));
	assert_null(strstr(said, "no labels"));
}

/* No labels, and that is right: with a truth, too. */
static void test_show_a_plan_alone(void **state)
{
	(void)state;
	put("out/run.json", only);
	put("out/truth.txt", "0\n1\n");
	expect_command(show_main, "out --truth out/truth.txt", 0,
		       "no labels: the job ended with its plan\nresults: out/run.json, log.jsonl");
	assert_non_null(strstr(said, "<- taken"));
	assert_null(strstr(said, "labels.csv"));
}

/* One that failed before has none either, but that is not how it was to be. */
static void test_show_a_plan_that_failed(void **state)
{
	(void)state;
	put("out/run.json", "{\"schema_version\": 1, \"name\": \"hub\", \"status\": \"failed\", "
			    "\"error\": \"b left\", \"job\": {\"plan\": \"only\"}, \"result\": "
			    "null}");
	expect_command(show_main, "out", 0, "error: b left");
	assert_null(strstr(said, "ended with its plan"));
}

/* ---- report ---- */

static char *page_of(const char *line)
{
	struct buf html = { 0 };
	char command[128];

	snprintf(command, sizeof(command), "%s -o page.html", line);
	expect_command(report_main, command, 0, "report: page.html");
	assert_ok(file_read("page.html", 1 << 20, &html));
	buf_add(&html, "", 1);
	return (char *)html.p;
}

static void test_report_the_ways(void **state)
{
	char *page;

	(void)state;
	put("out/coordinator/run.json", merged);
	page = page_of("out");
	assert_non_null(strstr(page, "What each way was going to cost"));
	assert_non_null(strstr(page, "<tr class=\"taken\"><th scope=\"row\">tree</th>"));
	assert_non_null(strstr(page, "<data value=\"2.498765\">2.50 s</data>"));
	assert_non_null(strstr(page, "<data value=\"4938268\">4.9 MB</data>"));
	assert_non_null(strstr(page, "not taken: min_cell is &lt;above&gt; 1</td>"));
	assert_non_null(strstr(page, "<b>taken</b>; cells guessed</td>"));
	assert_non_null(strstr(page, "<data value=\"50000000\">50.0 MB/s</data>"));
	assert_null(strstr(page, "there are no labels"));
	/* Only the group in which cells were merged. */
	assert_non_null(strstr(page, "Cells that were merged"));
	assert_non_null(strstr(page, "<data value=\"17\">17</data></td><td><data value=\"31\">31"));
	assert_null(strstr(page, "<data value=\"0\">0</data></td><td><data value=\"8\">"));
	assert_non_null(strstr(page, "They had fewer than <data value=\"25\">25</data> nodes"));
	free(page);
}

/* A picture that cannot exist is not called missing; if asked for, that is said, and the page made.
 */
static void test_report_a_plan_alone(void **state)
{
	char *page;

	(void)state;
	put("out/coordinator/run.json", only);
	put("out/truth.txt", "0\n1\n");
	page = page_of("out/coordinator");
	assert_non_null(strstr(page, "The job ended with this plan, as it was asked to"));
	assert_null(strstr(page, "no cluster sizes"));
	assert_null(strstr(page, "no objective"));
	assert_null(strstr(page, "no labels: the job"));
	assert_null(strstr(page, "picture of the points"));
	assert_null(strstr(page, "Cells that were merged"));
	free(page);
	page = page_of("out/coordinator --truth out/truth.txt --points out/points.npy");
	assert_non_null(strstr(page, "<b>evaluation</b>: there are no labels: the job ended with "
				     "its plan"));
	assert_non_null(strstr(page, "<b>picture of the points</b>: there are no labels"));
	free(page);
}

/* A hostile file has any number of ways, and what it likes in them. */
static void test_report_odd_plans(void **state)
{
	struct buf text = { 0 };
	char *page;
	size_t rows = 0;

	(void)state;
	buf_printf(&text, HEAD "\"plan\": {\"rtt_ms\": \"x\", \"ways\": [7, {\"method\": "
			       "\"<script>\", \"rounds\": -3, \"bytes\": 1e300}");
	for (int i = 0; i < 1000; i++)
		buf_printf(&text, ", {}");
	buf_printf(&text, "]}}");
	buf_add(&text, "", 1);
	put("out/coordinator/run.json", (const char *)text.p);
	buf_release(&text);
	page = page_of("out");
	assert_null(strstr(page, "<script>"));
	assert_null(strstr(page, "-3"));
	for (const char *p = strstr(page, "id=\"ways\""); p; p = strstr(p + 1, "<tr><th scope"))
		rows++;
	assert_true(rows > 2 && rows < 100);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_show_the_ways, dir_enter, dir_leave),
		cmocka_unit_test_setup_teardown(test_show_a_plan_alone, dir_enter, dir_leave),
		cmocka_unit_test_setup_teardown(test_show_a_plan_that_failed, dir_enter, dir_leave),
		cmocka_unit_test_setup_teardown(test_report_the_ways, dir_enter, dir_leave),
		cmocka_unit_test_setup_teardown(test_report_a_plan_alone, dir_enter, dir_leave),
		cmocka_unit_test_setup_teardown(test_report_odd_plans, dir_enter, dir_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
