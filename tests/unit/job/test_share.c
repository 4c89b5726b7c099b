/* Tests which files a group of this host may read, and which only the daemon's user may read. */
#include "tests/unit/dir.h"
#include "common/base/log.h"
#include "common/base/sanitized.h"
#include "common/job/confine.h"
#include "common/job/results.h"
#include "common/job/share.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { NOBODY = 65534 };

static char own[65];

/* Names an existing group: as root that of another user, otherwise the test's own. */
static struct daemon_common group_known(void)
{
	const struct group *g = geteuid() == 0 ? getgrnam("mail") : getgrgid(getegid());

	assert_non_null(g);
	snprintf(own, sizeof(own), "%s", g->gr_name);
	return (struct daemon_common){ .results_group = own, .sandbox = true };
}

static unsigned mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(in(name), &st), 0);
	return st.st_mode & 07777;
}

static bool of_group(const char *name)
{
	gid_t group;
	struct stat st;

	assert_true(share_group(&group));
	assert_int_equal(lstat(in(name), &st), 0);
	return st.st_gid == group;
}

TEST_WITH(test_results_alone_are_shared, dir_make, dir_remove)
{
	static const char *const shared[] = { "out/run.json",         "out/job-1/labels.csv",
					      "out/job-1/labels.npy", "out/job-1/profile.csv",
					      "out/job-1/run.json",   "out/job-1/report.html" };
	static const char *const kept[] = { "out/log.jsonl", "out/state/ledger.db",
					    "out/job-1/model.rows", "out/job-1/centres.csv",
					    "other.csv" };
	struct daemon_common c = group_known();

	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		put(in(shared[i]), "{}");
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		put(in(kept[i]), "{}");
		assert_int_equal(chmod(in(kept[i]), 0600), 0);
	}
	assert_int_equal(chmod(in("out/state"), 0700), 0);
	assert_int_equal(symlink(in("other.csv"), in("out/labels.csv")), 0);
	assert_ok(share_begin(&c));
	log_set_stream(open("/dev/null", O_WRONLY), false); /* the log names the link */
	results_sweep(in("out"));
	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++) {
		assert_int_equal(mode_of(shared[i]), 0640);
		assert_true(of_group(shared[i]));
	}
	assert_int_equal(mode_of("out"), 0750);
	assert_int_equal(mode_of("out/job-1"), 0750);
	assert_true(of_group("out") && of_group("out/job-1"));
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		assert_int_equal(mode_of(kept[i]), 0600);
	assert_int_equal(mode_of("out/state"), 0700);
}

TEST_WITH(test_without_a_group_nothing_is_shared, dir_make, dir_remove)
{
	gid_t group;

	put(in("out/labels.csv"), "id,label\n");
	assert_int_equal(chmod(in("out/labels.csv"), 0600), 0);
	assert_ok(share_begin(&(struct daemon_common){ 0 }));
	assert_false(share_group(&group));
	results_sweep(in("out"));
	assert_int_equal(mode_of("out/labels.csv"), 0600);
}

TEST(test_a_group_that_is_not_there)
{
	struct daemon_common c = { .results_group = "no-such-group" };

	assert_err(share_begin(&c), ERR_INPUT,
		   "no group \"no-such-group\" on this host: make it by groupadd");
}

/* Exits with 0 if share_begin() refuses a user without groups. */
static int is_refused(void)
{
	struct daemon_common c = { .results_group = "mail" };

	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		return 1;
	return share_begin(&c) == ERR_INPUT && strstr(err_detail(), "usermod -aG mail") ? 0 : 2;
}

/* Without confine() the kernel would permit all three calls of fchown(): the process owns the file
 * and is in both groups. */
static int confined(void)
{
	struct daemon_common c = { .results_group = "mail", .sandbox = true };
	const struct group *mail = getgrnam("mail");
	char path[] = "/tmp/coterie-share-XXXXXX";
	int fd;

	log_set_stream(open("/dev/null", O_WRONLY), false);
	if (setgroups(1, &mail->gr_gid) || setgid(NOBODY) || setuid(NOBODY))
		return 1;
	fd = mkstemp(path);
	unlink(path);
	if (fd < 0 || share_begin(&c) || confine(&c))
		return 2;
	if (fchown(fd, (uid_t)-1, mail->gr_gid))
		return 3;
	if (fchown(fd, (uid_t)-1, NOBODY) != -1 || errno != EPERM)
		return 4;
	if (fchown(fd, NOBODY, mail->gr_gid) != -1 || errno != EPERM)
		return 5;
	return 0;
}

static int child(int (*attempt)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(attempt());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

TEST(test_a_group_of_others)
{
	if (geteuid() != 0)
		skip();
	assert_int_equal(child(is_refused), 0);
}

/* A confined daemon gives files to the results group only, and to no other user. */
TEST(test_confined)
{
	if (geteuid() != 0 || SANITIZED)
		skip();
	assert_int_equal(child(confined), 0);
}
