/* Fuzzes the coordinator's job.state with any bytes. */
#include "server/daemon/attempt.c"

#include "common/base/log.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static char dir[] = "/tmp/fuzz-state-XXXXXX", path[64];

static void leave(void)
{
	unlink(path);
	rmdir(dir);
}

static void begin(void)
{
	if (path[0])
		return;
	check(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/job.state", dir);
	atexit(leave);
	log_init("fuzz", LOG_ERROR);
}

static void find(void)
{
	char why[ERR_DETAIL_MAX];
	struct attempt_state s = { 0 };

	if (attempt_find(path, 60, &s, why))
		check(attempt_keep(path, &s) == ERR_OK);
	check(strlen(why) < sizeof(why));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f;

	begin();
	f = fopen(path, "w");
	check(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
	find();
	return 0;
}
