#include "common/job/share.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const for_people[] = { "run.json",    "labels.csv",        "labels.npy",
					  "profile.csv", "profile-joint.csv", "report.html" };

static bool shared;
static gid_t shared_group;
static char shared_name[65];

/* True if this process may give files to the group; root may give them to any group. */
static bool share_is_member(gid_t group)
{
	int n = getgroups(0, NULL);
	gid_t *list = alloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*list));
	bool is = geteuid() == 0 || getegid() == group;

	n = getgroups(n, list);
	for (int i = 0; i < n && !is; i++)
		is = list[i] == group;
	free(list);
	return is;
}

enum err share_begin(const struct daemon_common *c)
{
	const char *name = c->results_group;
	const struct group *found;

	shared = false;
	if (!name)
		return ERR_OK;
	found = getgrnam(name);
	if (!found)
		return err_set(ERR_INPUT,
			       "results_group: there is no group \"%s\" on this host: make it by "
			       "groupadd %s, or name another",
			       name, name);
	if (!share_is_member(found->gr_gid))
		return err_set(ERR_INPUT,
			       "results_group: this process is no member of the group \"%s\": "
			       "usermod -aG %s and the daemon's user; in a unit, Group=%s",
			       name, name, name);
	shared = true;
	shared_group = found->gr_gid;
	snprintf(shared_name, sizeof(shared_name), "%s", name);
	return ERR_OK;
}

bool share_group(gid_t *group)
{
	*group = shared_group;
	return shared;
}

/* Shares one file. Ignores a missing file, because no kind of job writes all of these files. */
static void share_one(const char *path, mode_t mode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return;
	if (fd < 0 || fstat(fd, &st) != 0 ||
	    (st.st_gid != shared_group && fchown(fd, (uid_t)-1, shared_group) != 0) ||
	    fchmod(fd, mode) != 0)
		log_warn("%s: the group %s cannot read it: %s", path, shared_name, strerror(errno));
	if (fd >= 0)
		close(fd);
}

void share_results(const char *dir)
{
	enum { FILE_MODE = 0640, DIR_MODE = 0750 };

	if (!shared)
		return;
	for (size_t i = 0; i < sizeof(for_people) / sizeof(*for_people); i++) {
		char *path = file_join(dir, for_people[i]);

		share_one(path, FILE_MODE);
		free(path);
	}
	share_one(dir, DIR_MODE);
}
