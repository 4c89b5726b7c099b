/* typed.h -- commands as a user types them: in a directory of their own, on files put there, and
 * numbers in what they say. */
#ifndef TESTS_UNIT_CLI_TYPED_H
#define TESTS_UNIT_CLI_TYPED_H

#include "tests/test.h"
#include "tests/unit/cli/commands.h"

#include "common/base/file.h"
#include "common/base/json.h"

static char dir[] = "/tmp/coterie-test-XXXXXX";

static int make(void **state)
{
	(void)state;
	strcpy(strrchr(dir, '-'), "-XXXXXX");
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int unmake(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command);
}

static void put(const char *path, const char *text)
{
	assert_ok(
	    file_write(path, (struct bytes){ (const uint8_t *)text, strlen(text) }, FILE_PUBLIC));
}

/* A number in what the last command said. */
static double said_number(const char *key)
{
	struct json *v;
	double x;

	assert_ok(json_parse((struct bytes){ (uint8_t *)said, strlen(said) }, "said", &v));
	if (!json_get(v, key))
		fail_msg("no %s in %s", key, said);
	x = json_number(json_get(v, key));
	json_free(v);
	return x;
}

#endif
