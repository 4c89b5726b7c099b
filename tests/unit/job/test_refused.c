/* Refuses the job on each line of tests/vectors/job-refusals.txt with the message given there. */
#include "tests/unit/job/bases.h"
#include "tests/unit/job/jobs.h"

#include "common/base/buf.h"
#include "common/base/file.h"

#include <stdio.h>
#include <stdlib.h>

#define TABLE "tests/vectors/job-refusals.txt"

enum { TABLE_MAX = 1 << 16, SETS_MAX = 16 };

/* line: a whole job, or "BASE: path=value path=value ...", where BASE is a name of bases.h. Writes
 * zeros into `line`. */
static enum err parse_line(struct job *job, char *line)
{
	char *sets = strstr(line, ": "), *set[SETS_MAX + 1] = { NULL };

	if (*line == '{' || *line == '[' || !sets)
		return parse(job, line, NULL);
	*sets++ = 0;
	for (size_t n = 0; n < SETS_MAX && (set[n] = strtok_r(sets, " ", &sets)); n++)
		;
	return parse(job, base_named(line)->text, set);
}

/* line: "JOB -> PART OF THE MESSAGE", or "JOB -> ok". */
static void check_line(size_t number, char *line)
{
	char *expected = strstr(line, " -> ");
	struct job job;
	enum err e;

	if (!expected)
		fail_msg(TABLE ":%zu: no \" -> \"", number);
	*expected = 0;
	expected += strlen(" -> ");
	e = parse_line(&job, line);
	if (!strcmp(expected, "ok") ? e != ERR_OK
				    : e != ERR_INPUT || !strstr(err_detail(), expected) ||
					  !strstr(err_detail(), "job.json"))
		fail_msg(TABLE ":%zu: %s: %s, expected: %s", number, err_name(e),
			 e ? err_detail() : "", expected);
}

TEST(test_refused)
{
	struct buf text = { 0 };
	char *rest, *line;
	size_t number = 0, checked = 0;

	assert_ok(file_read(TABLE, TABLE_MAX, &text));
	buf_add(&text, "", 1);
	rest = (char *)text.p;
	while ((line = strsep(&rest, "\n"))) {
		number++;
		if (!*line || *line == '#')
			continue;
		check_line(number, line);
		checked++;
	}
	assert_true(checked > 150);
	buf_release(&text);
}
