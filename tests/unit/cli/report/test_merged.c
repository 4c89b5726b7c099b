/* The report's table of cells that were merged as too small (min_cell). */
#include "tests/test.h"

#include "cli/args/args.h"
#include "cli/report/report_page.h"
#include "common/base/file.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"

static const char merged[] =
    "{\"schema_version\": 1, \"software\": \"coterie x\", \"role\": \"coordinator\", "
    "\"name\": \"hub\", \"status\": \"done\", \"elapsed_s\": 0.75, \"rounds\": 0, "
    "\"round_trips\": 4, \"parties\": [\"a\", \"b\"], "
    "\"job\": {\"kind\": \"kcagc\", \"clusters\": 2, \"min_cell\": 25}, "
    "\"phases\": [{\"name\": \"level-1\"}], "
    "\"result\": {\"rows\": 90, \"clusters\": 2, \"cluster_sizes\": [50, 40], \"sums\": ["
    "{\"phase\": 0, \"group\": 2, \"items\": 31, \"merged\": 17, \"iterations\": 1, "
    "\"objective\": [3]}, {\"phase\": 0, \"group\": 3, \"items\": 8, \"merged\": 0, "
    "\"iterations\": 1, \"objective\": [2]}]}}";

TEST_WITH(test_report, dir_enter, dir_leave)
{
	struct buf html = { 0 };
	const char *page;

	put("out/coordinator/run.json", merged);
	expect_command(report_main, "out -o page.html", 0, "report: page.html");
	assert_ok(file_read("page.html", 1 << 20, &html));
	buf_add(&html, "", 1);
	page = (const char *)html.p;
	/* Only the group in which cells were merged. */
	assert_non_null(strstr(page, "Cells that were merged"));
	assert_non_null(strstr(page, "<data value=\"17\">17</data></td><td><data value=\"31\">31"));
	assert_null(strstr(page, "<data value=\"0\">0</data></td><td><data value=\"8\">"));
	assert_non_null(strstr(page, "They had fewer than <data value=\"25\">25</data> nodes"));
	buf_release(&html);
}
