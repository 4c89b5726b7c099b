#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/sanitized.h"
#include "common/job/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Directories of "/" in which the program never writes. */
static const char *const closed[] = { "proc", "sys",   "usr",   "bin",    "sbin",
				      "lib",  "lib32", "lib64", "libx32", "boot" };

/* Rights of Landlock. A ruleset without REFER forbids every rename from one directory to another.
 * Kernels before 5.19 lack REFER and count as kernels without Landlock. */
enum { WRITES = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REFER };

/* A write to /proc/self/mem also changes executable pages of the process. Once daemon_begin() has
 * set PR_SET_DUMPABLE to 0, only root may open it for writing. */
static bool can_write_code(void)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool is_closed(const char *name)
{
	for (size_t i = 0; i < sizeof(closed) / sizeof(*closed); i++)
		if (!strcmp(name, closed[i]))
			return true;
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Landlock has rules that allow access, but none that forbid it. So this allows each entry of "/"
 * except those in `closed`. It skips symbolic links, since they lead to one of the other entries.
 * Returns false with errno set on failure. */
static bool allow_others(int rules)
{
	DIR *root = opendir("/");
	struct dirent *entry;
	bool good = root;

	while (good && (entry = readdir(root)) != NULL) {
		struct landlock_path_beneath_attr beneath = { .allowed_access = WRITES };

		if (is_closed(entry->d_name) || entry->d_type == DT_LNK)
			continue;
		beneath.parent_fd =
		    openat(dirfd(root), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (beneath.parent_fd < 0)
			continue;            /* another process has removed it */
		if (entry->d_type != DT_DIR) /* REFER is a right of directories only */
			beneath.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
		good =
		    !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
		close(beneath.parent_fd);
	}
	if (root)
		closedir(root);
	return good;
}

static bool restrict_writing(void)
{
	const struct landlock_ruleset_attr writing = { .handled_access_fs = WRITES };
	int rules = (int)syscall(SYS_landlock_create_ruleset, &writing, sizeof(writing), 0);
	bool good = rules >= 0 && allow_others(rules);
	int why;

	/* no_new_privs is needed without the capability SYS_ADMIN, which root in a container
	 * lacks. */
	good = good && (!syscall(SYS_landlock_restrict_self, rules, 0) ||
			(errno == EPERM && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
			 !syscall(SYS_landlock_restrict_self, rules, 0)));
	why = errno;
	if (rules >= 0)
		close(rules);
	errno = why;
	return good;
}

/* Makes the first directory of an absolute path, directly below "/". The rules of allow_others()
 * would forbid writing in a directory that is made later. */
static enum err make_first(const char *path)
{
	char first[NAME_MAX + 2];
	size_t n = *path == '/' ? 1 + strcspn(path + 1, "/") : 0;

	if (n < 2 || n >= sizeof(first))
		return ERR_OK;
	memcpy(first, path, n);
	first[n] = 0;
	return file_make_dirs(first) == ERR_OK ? ERR_OK : err_set(ERR_INPUT, "%s", err_detail());
}

/* True if this process has a single thread. False also if the kernel does not report the number. */
static bool is_single_threaded(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	size_t n = 0;

	while (tasks && (entry = readdir(tasks)) != NULL)
		n += *entry->d_name != '.';
	if (tasks)
		closedir(tasks);
	return n == 1;
}

/* True if path is NULL, or a regular file, which can be read again. */
static bool is_persistent(const char *path)
{
	struct stat file;

	return !path || (stat(path, &file) == 0 && S_ISREG(file.st_mode));
}

enum err confine_code(const struct daemon_common *c, const char *config, const char *job,
		      char **argv)
{
	char program[PATH_MAX];
	ssize_t n;

	if (geteuid() != 0 || !c->sandbox || SANITIZED || !can_write_code())
		return ERR_OK;
	TRY(make_first(c->output));
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (n < 0 || !restrict_writing())
		return err_set(ERR_INPUT,
			       "sandbox: as root this process could write its own code, and the "
			       "kernel has no Landlock to prevent that (%s): start as another "
			       "user; \"sandbox\": \"off\" runs without",
			       strerror(errno));
	if (is_single_threaded()) /* no other thread needs to be confined */
		return ERR_OK;
	if (!is_persistent(config) || !is_persistent(job)) {
		log_info("%s is no regular file, so this program cannot restart itself confined: "
			 "threads of libraries may write code",
			 is_persistent(config) ? job : config);
		return ERR_OK;
	}
	program[n] = 0;
	execv(program, argv);
	return err_set(ERR_INTERNAL, "%s: %s", program, strerror(errno));
}

enum err confine_code_check(void)
{
	return can_write_code() ? err_set(ERR_INTERNAL, "sandbox: this process can write its code")
				: ERR_OK;
}
