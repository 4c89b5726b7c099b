/* Fuzzes the list of served attempts of a party: for any bytes, no attempt is served twice. */
#include "party/daemon/params.c"
#include "party/daemon/served.c"

#include "party/work/work.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static char dir[] = "/tmp/fuzz-served-XXXXXX", path[64];

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
	snprintf(path, sizeof(path), "%s/served", dir);
	atexit(leave);
	log_init("fuzz", LOG_ERROR);
}

/* For any contents of the file, a served attempt is not served again. */
static void serve(void)
{
	static struct work work;
	struct served *s = served_new(dir);

	memcpy(work.job_id, "0123456789abcde", JOB_ID_LEN);
	work.attempt = 2;
	if (served_note(s, &work) == ERR_OK) {
		check(served_note(s, &work) != ERR_OK);
		check(served_done(s, &work) == ERR_OK);
		work.attempt = 3;
		check(served_note(s, &work) != ERR_OK);
	}
	served_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f;

	begin();
	f = fopen(path, "w");
	check(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
	serve();
	return 0;
}
