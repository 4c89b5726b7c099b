/* Large pieces. */
#include "tests/test.h"
#include "common/base/alloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Does the mapping that holds p ask for large pages? */
static bool asks(const void *p)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512];
	bool here = false, found = false;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned long from, end;

		if (sscanf(line, "%lx-%lx ", &from, &end) == 2)
			here = from <= (uintptr_t)p && (uintptr_t)p < end;
		else if (here && !strncmp(line, "VmFlags:", 8))
			found = strstr(line, " hg") != NULL;
	}
	fclose(f);
	return found;
}

TEST(large_pieces_ask_for_large_pages)
{
	enum { LARGE = 32 << 20, SMALL = 1 << 20 };
	char *large, *small;

	if (access("/sys/kernel/mm/transparent_hugepage", F_OK))
		skip();
	errno = 7;
	large = alloc(LARGE, 1);
	small = alloc(SMALL, 1);
	assert_int_equal(errno, 7);
	assert_true(asks(large + LARGE / 2));
	assert_false(asks(small + SMALL / 2));
	for (size_t i = 0; i < LARGE; i += 997)
		assert_int_equal(large[i], 0);
	free(small);
	free(large);
}
