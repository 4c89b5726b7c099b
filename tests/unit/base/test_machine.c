/* Tests memory and processor limits of containers, with kernel files under a temporary root. */
#include "common/base/machine.h"
#include "common/base/sanitized.h"
#include "tests/unit/dir.h"

#include <sys/resource.h>
#include <sys/wait.h>

static void put_deep(const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (char *p = full + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		assert_ok(file_make_dirs(full));
	}
	assert_ok(file_write(full, (struct bytes){ (const uint8_t *)text, strlen(text) }, 0600));
}

static struct machine granted(void)
{
	struct machine m = { .memory = 24e9, .cores = 8 };

	machine_groups(dir, &m);
	return m;
}

TEST_WITH(test_no_groups, dir_make, dir_remove)
{
	struct machine m = granted();

	assert_true(m.memory == 24e9 && m.cores == 8);
}

/* The least limit of the process's own cgroup and of its parents applies; without any limit, those
 * of the host do. */
TEST_WITH(test_version_2, dir_make, dir_remove)
{
	struct machine m;

	put_deep("proc/self/cgroup", "0::/system.slice/coterie.service\n");
	put_deep("sys/fs/cgroup/system.slice/coterie.service/memory.max", "max\n");
	put_deep("sys/fs/cgroup/system.slice/coterie.service/cpu.max", "max 100000\n");
	m = granted();
	assert_true(m.memory == 24e9 && m.cores == 8);
	put_deep("sys/fs/cgroup/system.slice/memory.max", "300000000\n");
	put_deep("sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
	m = granted();
	assert_true(m.memory == 3e8 && m.cores == 2);
	put_deep("sys/fs/cgroup/system.slice/coterie.service/memory.max", "400000000\n");
	put_deep("sys/fs/cgroup/system.slice/coterie.service/cpu.max", "1000 100000\n");
	m = granted();
	assert_true(m.memory == 3e8 && m.cores == 1);
}

/* With cgroup version 1 in a container, /proc/self/cgroup has the host's path, while the
 * container's own group is mounted at the root. */
TEST_WITH(test_version_1, dir_make, dir_remove)
{
	struct machine m;

	put_deep("proc/self/cgroup",
		 "12:pids:/docker/7\n5:cpu,cpuacct:/docker/7\n4:memory:/docker/7\n");
	put_deep("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_deep("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	put_deep("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	m = granted();
	assert_true(m.memory == 24e9 && m.cores == 8);
	put_deep("sys/fs/cgroup/memory/memory.limit_in_bytes", "299999232\n");
	put_deep("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
	m = granted();
	assert_true(m.memory == 299999232 && m.cores == 3);
}

TEST_WITH(test_bytes_that_are_no_numbers, dir_make, dir_remove)
{
	static const char *const texts[] = { "", "\n", "-5\n", "nan\n", "inf 0\n", "0\n", "1 0\n" };
	struct machine m;

	put_deep("proc/self/cgroup", "\n:\n0:\n0::\n0::relative\n0:::\n");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		put_deep("sys/fs/cgroup/cpu.max", texts[i]);
		m = granted();
		assert_true(m.memory == 24e9 && m.cores == 8);
	}
}

enum { SKIPPED = 77 };

/* RLIMIT_AS limits the memory. The test runs in a child process, where no result is cached. */
TEST(test_address_space)
{
	struct rlimit limit = { .rlim_cur = 300000000, .rlim_max = 300000000 };
	int status;
	pid_t child;

	if (SANITIZED) /* shadow memory counts in RLIMIT_AS */
		skip();
	child = fork();
	if (!child && (setrlimit(RLIMIT_AS, &limit) || getrlimit(RLIMIT_AS, &limit) ||
		       limit.rlim_cur != 300000000))
		_exit(SKIPPED); /* an emulator may not apply the limit */
	if (!child)
		_exit(machine_memory() != 3e8 ||
		      machine_fits("f.npy", "the matrix", 3e8) != ERR_OK ||
		      machine_fits("f.npy", "the matrix", 3.2e8) != ERR_INPUT ||
		      strcmp(err_detail(),
			     "f.npy: the matrix takes 320 MB of memory, this process may use 300 "
			     "MB (host, container, ulimit): raise that, or bring less data"));
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
		skip();
	assert_int_equal(status, 0);
}

TEST(test_sizes_in_words)
{
	assert_string_equal(size_text(0).s, "1 MB");
	assert_string_equal(size_text(116.4e6).s, "116 MB");
	assert_string_equal(size_text(4.04e9).s, "4.0 GB");
}
