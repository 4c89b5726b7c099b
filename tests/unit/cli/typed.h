/* typed.h -- runs commands as a user does: in a temporary directory, on given files, with access to
 * numbers in the output. */
#ifndef TESTS_UNIT_CLI_TYPED_H
#define TESTS_UNIT_CLI_TYPED_H

#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"

#include "common/base/json.h"

/* Returns a number from the last command's output. */
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
