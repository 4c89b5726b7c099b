/* Tests the program for events, which a confined process runs. */
#include "tests/test.h"

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/job/confine.h"
#include "common/job/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/coterie-test-hook-XXXXXX", program[64], told[64], said[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(strrchr(dir, '-'), "-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(told, sizeof(told), "%s/told", dir);
	snprintf(said, sizeof(said), "%s/log", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(program);
	unlink(told);
	unlink(said);
	return rmdir(dir);
}

static void make_program(const char *lines, mode_t mode)
{
	FILE *f = fopen(program, "w");

	fprintf(f, "#!/bin/sh\n%s\n", lines);
	fclose(f);
	chmod(program, mode);
}

static char *contents(const char *path)
{
	struct buf b = { 0 };

	assert_ok(file_read(path, 1 << 20, &b));
	buf_add(&b, "", 1);
	return (char *)b.p;
}

/* Starts a daemon that confines itself, raises `events` events and exits. */
static void daemon_raises(size_t events)
{
	char name[] = "bank-a";
	struct daemon_common c = {
		.name = name, .role = "party", .on_event = program, .sandbox = true
	};
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		log_set_stream(open("/dev/null", O_WRONLY), false);
		if (log_open(said) != ERR_OK || hook_begin(&c) != ERR_OK || confine(&c) != ERR_OK)
			_exit(1);
		for (size_t i = 0; i < events; i++)
			hook_raise(HOOK_JOB_FAILED, "00112233445566778899aabbccddeeff",
				   "job failed: \"edges.tsv\":%zu\n", i);
		hook_end();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_program_is_told(void **state)
{
	struct json *v;
	char lines[256], *text, *object;

	(void)state;
	snprintf(lines, sizeof(lines), "{ echo \"$#:$*\"; cat; } >>%s", told);
	make_program(lines, 0755);
	daemon_raises(1);
	text = contents(told);
	object = strchr(text, '\n') + 1;
	assert_int_equal(strncmp(text, "3:job-failed bank-a 00112233445566778899aabbccddeeff\n",
				 (size_t)(object - text)),
			 0);
	assert_ok(json_parse((struct bytes){ (const uint8_t *)object, strlen(object) }, "it", &v));
	assert_string_equal(json_text(v, "event"), "job-failed");
	assert_string_equal(json_text(v, "role"), "party");
	assert_string_equal(json_text(v, "name"), "bank-a");
	assert_string_equal(json_text(v, "job"), "00112233445566778899aabbccddeeff");
	assert_string_equal(json_text(v, "text"), "job failed: \"edges.tsv\":0\n");
	json_free(v);
	free(text);
	text = contents(said);
	assert_non_null(strstr(text, "ran for job-failed"));
	free(text);
}

/* The program runs once for each event, in order, and the daemon exits after the last run. */
static void test_all_events_in_order(void **state)
{
	char lines[256], *text, *at;

	(void)state;
	snprintf(lines, sizeof(lines), "cat >>%s", told);
	make_program(lines, 0755);
	daemon_raises(5);
	at = text = contents(told);
	for (int i = 0; i < 5; i++, at = strchr(at, '\n') + 1) {
		char part[32];

		snprintf(part, sizeof(part), "edges.tsv\\\":%d\\n", i);
		assert_non_null(strstr(at, part));
		assert_true(strstr(at, part) < strchr(at, '\n'));
	}
	assert_int_equal(*at, 0);
	free(text);
}

static void test_program_fails(void **state)
{
	char *text;

	(void)state;
	make_program("exit 3", 0755);
	daemon_raises(1);
	text = contents(said);
	assert_non_null(strstr(text, "for job-failed ended with 3"));
	free(text);
	unlink(said);
	make_program("kill -SEGV $$", 0755);
	daemon_raises(1);
	text = contents(said);
	assert_non_null(strstr(text, "was ended by signal 11"));
	free(text);
}

static void test_refused(void **state)
{
	struct daemon_common c = { .on_event = program };

	(void)state;
	assert_err(hook_begin(&c), ERR_INPUT, "cannot be run: No such file");
	make_program("exit 0", 0644);
	assert_err(hook_begin(&c), ERR_INPUT, "cannot be run: Permission denied");
	c.on_event = dir;
	assert_err(hook_begin(&c), ERR_INPUT, "cannot be run: Permission denied");
	c.on_event = NULL;
	assert_ok(hook_begin(&c));
	hook_raise(HOOK_PARTY_LOST, "", "nobody hears it");
	hook_look();
	hook_end();
}

int tests_run(void)
{
	static char tmp[] = "/tmp";
	const struct daemon_common root = { .sandbox = true, .output = tmp };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_program_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_all_events_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_program_fails, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
	};

	if (emulated())
		return tests_skip();
	if (confine_code(&root, "/proc/self/exe", NULL, tests_argv) != ERR_OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
