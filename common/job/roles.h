/* roles.h -- users, and the commands that each may give a daemon. Users of this host have their own
 * names, remote users the names of their certificates (proto/front.h).
 *
 * Names are looked up in the host's files once, before the process confines itself. Root and the
 * daemon's own user may give all commands.
 */
#ifndef COMMON_JOB_ROLES_H
#define COMMON_JOB_ROLES_H

#include "common/base/config.h"
#include "common/base/err.h"

#include <stddef.h>
#include <sys/types.h>

enum { ROLES_NAME_MAX = 64, ROLES_MAX = 64 }; /* ROLES_MAX: users and groups of each role */

/* Each role includes the rights of the roles before it, with one exception. A reader gets the
 * results of all jobs, but a submitter only the results of its own jobs
 * (common/http/dashboard_results.c). */
enum role { ROLE_NONE, ROLE_VIEWER, ROLE_READER, ROLE_SUBMITTER, ROLE_OPERATOR };
extern const char *const role_name[];

/* A zero-initialised struct has no users besides root and the daemon's user. */
struct roles {
	struct {
		bool is_group;
		unsigned id;
		enum role role;
	} item[3 * ROLES_MAX];
	size_t n;
};
/* Adds names of users, and of groups with a leading @, to one role. key, for the error:
 * "coordinator.control.viewers". ERR_INPUT: this host does not know a name. */
enum err roles_add(struct roles *r, enum role role, const struct config_strings *names,
		   const char *key) MUST_CHECK;
/* Returns the role of a user with these groups. */
enum role roles_of(const struct roles *r, uid_t uid, const gid_t *group, size_t groups);
/* Checks a name for the configuration. Returns NULL if text is valid, else the expected values. */
const char *roles_check_name(const char *text);
const char *roles_check_role(const char *text);
const char *roles_check_reader(const char *text); /* for a party, where "reader" is the only role */
/* Returns the role of that name; ROLE_NONE if text is NULL or names no role. */
enum role roles_named(const char *text);

/* Writes the user's name, as policies and ledgers store it. If the host has no name for the user,
 * or one that config_check_name() refuses, the name is "uid-1000". */
void roles_name_of(uid_t uid, char name[static ROLES_NAME_MAX + 1]);

#endif
