/* split_dirs.h -- a temporary directory with data to split, and the directory for the parts. */
#ifndef TESTS_UNIT_CLI_SPLIT_SPLIT_DIRS_H
#define TESTS_UNIT_CLI_SPLIT_SPLIT_DIRS_H

#include "tests/unit/dir.h"

static char data[64], out[64];

/* Sets up each test; dir_remove() is the teardown. */
static inline int split_dirs(void **state)
{
	if (dir_make(state))
		return -1;
	snprintf(data, sizeof(data), "%s/data", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	return file_make_dirs(data) != ERR_OK;
}

static inline void put_data(const char *name, const char *text)
{
	char *path = file_join(data, name);

	put(path, text);
	free(path);
}

/* Empties the output directory for the next split. */
static inline void clear_out(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", out);
	assert_int_equal(system(command), 0);
}

#endif
