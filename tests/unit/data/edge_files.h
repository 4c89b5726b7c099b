/* edge_files.h -- files of a party that has edges only, in a temporary directory. */
#ifndef TESTS_UNIT_DATA_EDGE_FILES_H
#define TESTS_UNIT_DATA_EDGE_FILES_H

#include "tests/unit/dir.h"
#include "common/base/log.h"

static char tsv[64], mtx[64], ids[64];

/* Creates the directory and the paths; dir_remove() is the teardown. */
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
