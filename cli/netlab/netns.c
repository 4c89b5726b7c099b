#include "cli/netlab/netns.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NETNS_DIR "/run/netns"

enum { PATH_BYTES = 320 };

void netns_name(pid_t pid, int host, char name[static NETNS_NAME_MAX])
{
	snprintf(name, NETNS_NAME_MAX, "coterie-%d-%d", (int)pid, host);
}

static void path_of(const char *name, char path[static PATH_BYTES])
{
	snprintf(path, PATH_BYTES, NETNS_DIR "/%s", name);
}

enum err ip_run(char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return err_set(ERR_INPUT, "ip cannot be started: %s", strerror(errno));
	if (pid == 0) {
		execvp("ip", argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		assert(errno == EINTR);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(ERR_INPUT, "there is no program ip; install iproute2");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(ERR_INPUT,
			       "ip %s %s %s failed; the lab needs root with CAP_SYS_ADMIN "
			       "and CAP_NET_ADMIN",
			       argv[1], argv[2], argv[3]);
	return ERR_OK;
}

enum err netns_make(const char *name)
{
	char path[PATH_BYTES];

	path_of(name, path);
	if (access(path, F_OK) == 0)
		return err_set(
		    ERR_INPUT,
		    "%s is there already: the name is in use; remove it (ip netns del %s) "
		    "or start again",
		    path, name);
	return ip_run((char *[]){ "ip", "netns", "add", (char *)name, NULL });
}

enum err netns_enter(const char *name, int *home)
{
	char path[PATH_BYTES];
	enum err err = ERR_OK;
	int there;

	path_of(name, path);
	*home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (*home < 0 || there < 0 || setns(there, CLONE_NEWNET) != 0) {
		err = err_set(ERR_INPUT, "%s cannot be entered: %s", path, strerror(errno));
		if (*home >= 0)
			close(*home);
	}
	if (there >= 0)
		close(there);
	return err;
}

void netns_return(int home)
{
	int failed = setns(home, CLONE_NEWNET);

	assert(!failed); /* from where we came we may go */
	(void)failed;
	close(home);
}

static bool whole(const char *text, long *number)
{
	char *end;

	errno = 0;
	*number = strtol(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* Processes that outlive the lab would keep the namespace alive, without a name. */
static void kill_inside(const char *path)
{
	struct stat space, other;
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char link[PATH_BYTES];
	long pid;

	if (!proc || stat(path, &space) != 0)
		goto out;
	while ((entry = readdir(proc))) {
		if (!whole(entry->d_name, &pid))
			continue;
		snprintf(link, sizeof(link), "/proc/%ld/ns/net", pid);
		if (stat(link, &other) == 0 && other.st_ino == space.st_ino &&
		    other.st_dev == space.st_dev && pid != getpid())
			kill((pid_t)pid, SIGKILL);
	}
out:
	if (proc)
		closedir(proc);
}

enum err netns_remove(const char *name)
{
	char path[PATH_BYTES];

	path_of(name, path);
	if (access(path, F_OK) != 0)
		return ERR_OK;
	kill_inside(path);
	if (ip_run((char *[]){ "ip", "netns", "del", (char *)name, NULL }))
		return err_set(ERR_JOB, "%s could not be removed; ip netns del %s", path, name);
	return ERR_OK;
}

/* Whether an entry of NETNS_DIR is a lab's, and whose. */
static bool lab_of(const char *entry, pid_t *pid)
{
	int owner, host, end = 0;
	char again[NETNS_NAME_MAX];

	if (sscanf(entry, "coterie-%d-%d%n", &owner, &host, &end) != 2 || entry[end] || owner <= 0)
		return false;
	netns_name(owner, host, again);
	*pid = owner;
	return !strcmp(entry, again);
}

enum err netns_clean(pid_t pid, int *removed)
{
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *entry;
	enum err err = ERR_OK;
	pid_t owner;

	*removed = 0;
	if (!dir)
		return ERR_OK; /* nobody ever made one */
	while ((entry = readdir(dir))) {
		if (!lab_of(entry->d_name, &owner))
			continue;
		if (pid ? owner != pid : kill(owner, 0) == 0 || errno != ESRCH)
			continue;
		if (netns_remove(entry->d_name))
			err = ERR_JOB;
		else
			++*removed;
	}
	closedir(dir);
	return err;
}
