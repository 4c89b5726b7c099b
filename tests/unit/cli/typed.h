/* typed.h -- commands as a user types them: in a directory of their own, on files put there, and
 * numbers in what they say. */
#ifndef TESTS_UNIT_CLI_TYPED_H
#define TESTS_UNIT_CLI_TYPED_H

#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"

#include "common/base/json.h"

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
