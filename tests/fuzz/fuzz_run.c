/* Fuzzes run.json, which is not trusted: `coterie show` and `report` read it, and the next job in
 * the directory moves it away. The output has no control characters that move the cursor. */
#include "cli/run/report_read.c"

#include "common/base/log.h"
#include "common/base/utf8.h"
#include "common/job/results.h"

#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/fuzz-run-XXXXXX", path[64];

static void check(bool good)
{
	if (!good)
		abort();
}

static void leave(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	check(system(command) == 0);
}

static void put(const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "w");

	check(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static void harmless(const char *text)
{
	for (size_t n, left = strlen(text); left; text += n, left -= n) {
		n = utf8_length((const unsigned char *)text, left);
		check(n && !utf8_is_harmful(utf8_code((const unsigned char *)text, n)));
	}
}

static void read_all(void)
{
	struct run_dir r;
	struct json *run;

	if (run_read(dir, &run) == ERR_OK) {
		harmless(json_text(run, "error"));
		harmless(json_text(run, "name"));
		harmless(run_things(run, true));
		(void)run_has_own_rows(run);
		(void)run_is_embedding(run);
		(void)run_is_of_graphs(run);
		json_free(run);
	}
	if (run_dir_read(dir, &r) == ERR_OK) {
		(void)run_dir_hub(&r);
		(void)run_dir_party(&r);
		for (size_t i = 0; i < r.n; i++)
			if (r.process[i].run)
				harmless(json_text(r.process[i].run, "error"));
		run_dir_release(&r);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!path[0]) {
		check(mkdtemp(dir));
		snprintf(path, sizeof(path), "%s/run.json", dir);
		atexit(leave);
		log_init("fuzz", LOG_ERROR);
	}
	put(data, size);
	read_all();
	free(results_list(dir));
	/* Results of the next job are never in a directory with an old run.json. */
	if (results_begin(dir) == ERR_OK)
		check(access(path, F_OK) != 0);
	leave();
	check(mkdir(dir, 0700) == 0);
	return 0;
}
