#include "tests/test.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"
#include "lab/lab.h"
#include "common/base/file.h"
#include "common/base/json.h"

#include <sys/stat.h>

/* Makes two clouds of twenty points each, one on even lines and one on odd lines. */
static int make(void **state)
{
	char features[4096] = "", labels[256] = "";

	if (dir_make(state))
		return -1;
	for (int i = 0; i < 40; i++) {
		size_t at = strlen(features);

		snprintf(features + at, sizeof(features) - at, "%d.%d,%d\n", i % 2 * 20, i * 7 % 10,
			 i * 3 % 5);
		strcat(labels, i % 2 ? "1\n" : "0\n");
	}
	put(in("features.csv"), features);
	put(in("labels.txt"), labels);
	return 0;
}

static void expect(int (*command)(int argc, char **argv), const char *options, int status,
		   const char *text)
{
	char line[512];

	snprintf(line, sizeof(line), "--data %s %s", dir, options);
	expect_command(command, line, status, text);
}

TEST(heaps)
{
	expect(kmeans_main, "-k 2", 0, "\"acc\": 1");
	expect(sc_main, "-k 2 --neighbours 8", 0, "\"acc\": 1");
	expect(sc_main, "-k 2 --neighbours 8 --width 0.5 -s 3 -r 4 -t 1", 0, "\"acc\": 1");
	expect(dsc_main, "-k 2 -l 2 --neighbours 8", 0, "\"acc\": 1");
	expect(dsc_main, "-k 2 -l 1 --unmatched --neighbours 8", 0, "\"acc\": 1");
	expect(dsc_main, "-k 2 -l 4 --skew 0.3 --unmatched", 0, "\"acc\": ");
}

/* Noise far above the distance of the clouds hides them; the same seed gives the same accuracy. */
TEST(noise)
{
	char before[sizeof(said)];

	expect(kmeans_main, "-k 2 --noise 0.01", 0, "\"acc\": 1");
	expect(kmeans_main, "-k 2 --noise 50", 0, "\"acc\": 0.");
	strcpy(before, strstr(said, "\"acc\""));
	expect(kmeans_main, "-k 2 --noise 50", 0, before);
}

TEST(results)
{
	char options[300], path[300];
	struct stat s;

	snprintf(options, sizeof(options), "-k 2 -o %s/out", dir);
	expect(sc_main, options, 0, "\"rows\": 40");
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "labels.csv", "labels.npy", "result.json" };

		snprintf(path, sizeof(path), "%s/out/%s", dir, names[i]);
		assert_int_equal(stat(path, &s), 0);
		assert_true(s.st_size > 0);
	}
}

TEST(wrong_use_is_refused)
{
	expect(kmeans_main, "", 4, "--data and --clusters are needed");
	expect(kmeans_main, "-k 0", 4, "--clusters is \"0\"");
	expect(kmeans_main, "-k 41", 4, "41 clusters of 40 rows");
	expect(sc_main, "-k 41", 4, "41 clusters of 40 rows");
	expect(dsc_main, "-k 2 -l 41", 4, "40 rows for 41 parties");
	expect(dsc_main, "-k 2 --skew 2", 4, "--skew is \"2\"");
	expect(kmeans_main, "-k 2 --skew 1", 4, "unrecognized option");
	expect(sc_main, "-k 2 --unmatched", 4, "unrecognized option");
	expect(kmeans_main, "-k 2 more", 4, "unexpected argument: more");
	expect_command(kmeans_main, "-k 2 --data /nowhere", 4, "no features.mtx");
	put(in("features.npy"), "x");
	expect(kmeans_main, "-k 2", 4, "are both there");
	snprintf(said, sizeof(said), "%s/features.npy", dir);
	assert_int_equal(remove(said), 0);
	put(in("labels.txt"), "0\n1\n");
	expect(kmeans_main, "-k 2", 4, "2 labels for 40 rows");
	snprintf(said, sizeof(said), "%s/labels.txt", dir);
	assert_int_equal(remove(said), 0);
	expect(dsc_main, "-k 2 --skew 1", 4, "--skew needs");
	expect(dsc_main, "-k 2", 0, "\"seconds\"");
}

TESTS_BETWEEN(make, dir_remove)
