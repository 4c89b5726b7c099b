/* edge_files.h -- the files of a party that has edges alone, in a directory of the test's own. */
#ifndef TESTS_UNIT_DATA_EDGE_FILES_H
#define TESTS_UNIT_DATA_EDGE_FILES_H

#include "tests/unit/dir.h"
#include "common/base/log.h"

static char tsv[64], mtx[64], ids[64];

/* Setup; its teardown is dir_remove. */
static inline int edge_files(void **state)
{
	if (dir_make(state))
		return -1;
	snprintf(tsv, sizeof(tsv), "%s/edges.tsv", dir);
	snprintf(mtx, sizeof(mtx), "%s/edges.mtx", dir);
	snprintf(ids, sizeof(ids), "%s/ids.txt", dir);
	log_init("test", LOG_ERROR);
	return 0;
}

#endif
