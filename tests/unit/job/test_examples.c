/* Accepts every example in configs/; every key of jobs and daemons is in an example. */
#include "tests/test.h"

#include "common/base/json.h"
#include "common/job/daemon.h"
#include "common/job/job.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 128, FILE_MAX = 1 << 20 };

static struct {
	struct json *root[FILES_MAX];
	size_t count;
} jobs, coordinators, parties;

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static void read_examples(const char *pattern)
{
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		struct json *root;

		assert_ok(json_read(path, FILE_MAX, &root));
		if (strstr(path, "/jobs/"))
			jobs.root[jobs.count++] = root;
		else if (!strncmp(name_of(path), "coordinator", strlen("coordinator")))
			coordinators.root[coordinators.count++] = root;
		else if (!strncmp(name_of(path), "party", strlen("party")))
			parties.root[parties.count++] = root;
		else
			fail_msg("%s is of neither daemon", path);
		assert_true(jobs.count + coordinators.count + parties.count < FILES_MAX);
	}
	globfree(&found);
}

static bool has_path(const struct json *root, const char *path)
{
	const char *dot = strchr(path, '.');
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)(dot ? dot - path : (long)strlen(path)), path);
	root = json_type(root) == JSON_OBJECT ? json_get(root, key) : NULL;
	return root && (!dot || has_path(root, dot + 1));
}

/* Checks that each key of `described`, lines such as "job.clusters: TEXT", is in an example. */
static void check_keys(const char *of, const char *described, struct json *const *root,
		       size_t count)
{
	size_t missing = 0, keys = 0;

	for (const char *line = described; line; line = strchr(line, '\n')) {
		size_t length, i = 0;
		char path[128];

		line += *line == '\n';
		length = strcspn(line, ":\n");
		if (strncmp(line, of, strlen(of)) != 0 || line[strlen(of)] != '.' ||
		    line[length] != ':')
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)(length - strlen(of) - 1),
			 line + strlen(of) + 1);
		keys++;
		while (i < count && !has_path(root[i], path))
			i++;
		if (i == count)
			print_message("no example has %s.%s\n", of, path);
		missing += i == count;
	}
	assert_true(keys > 20);
	assert_int_equal(missing, 0);
}

TEST(test_each_key_has_an_example)
{
	struct buf job = { 0 }, coordinator = { 0 }, party = { 0 };

	read_examples("configs/*.json");
	read_examples("configs/jobs/*.json");
	job_describe(&job, false);
	coordinator_config_describe(&coordinator);
	party_config_describe(&party);
	buf_printf(&job, "%c", 0);
	buf_printf(&coordinator, "%c", 0);
	buf_printf(&party, "%c", 0);
	check_keys("job", (const char *)job.p, jobs.root, jobs.count);
	check_keys("coordinator", (const char *)coordinator.p, coordinators.root,
		   coordinators.count);
	check_keys("party", (const char *)party.p, parties.root, parties.count);
	buf_release(&job);
	buf_release(&coordinator);
	buf_release(&party);
	for (size_t i = 0; i < jobs.count; i++)
		json_free(jobs.root[i]);
	for (size_t i = 0; i < coordinators.count; i++)
		json_free(coordinators.root[i]);
	for (size_t i = 0; i < parties.count; i++)
		json_free(parties.root[i]);
}

/* test_job.c reads the examples of jobs. */
TEST(test_daemons_accept_examples)
{
	glob_t found;

	assert_int_equal(glob("configs/*.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct coordinator_config c;
		struct party_config p;

		const char *path = found.gl_pathv[i];

		if (strncmp(name_of(path), "coordinator", strlen("coordinator")) == 0) {
			assert_ok(coordinator_config_read(&c, path, NULL));
			coordinator_config_release(&c);
		} else {
			assert_ok(party_config_read(&p, path, NULL));
			party_config_release(&p);
		}
	}
	globfree(&found);
}
