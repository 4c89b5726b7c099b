/* roles.h -- users and the commands that each may give a daemon: this host's users by their names,
 * remote ones by the names of their certificates (proto/front.h).
 *
 * Names are looked up in the host's files once, before the process confines itself. Root and the
 * daemon's own user may do everything.
 */
#ifndef COMMON_JOB_ROLES_H
#define COMMON_JOB_ROLES_H

#include "common/base/config.h"
#include "common/base/err.h"

#include <stddef.h>
#include <sys/types.h>

enum { ROLES_NAME_MAX = 64, ROLES_MAX = 64 }; /* users and groups of each role */

/* Each may do all that those before it may, but for results: a reader gets those of all jobs, a
 * submitter of its own (common/http/window_results.c). */
enum role { ROLE_NONE, ROLE_VIEWER, ROLE_READER, ROLE_SUBMITTER, ROLE_OPERATOR };
extern const char *const role_name[];

/* Zero-initialised has nobody besides. */
struct roles {
	struct {
		bool is_group;
		unsigned id;
		enum role role;
	} item[3 * ROLES_MAX];
	size_t n;
};
/* Adds names of users, and of groups with an @ before them, for one role. key, for the error:
 * "coordinator.control.viewers". ERR_INPUT: this host does not know a name. */
enum err roles_add(struct roles *r, enum role role, const struct config_strings *names,
		   const char *key) MUST_CHECK;
/* The role of a user with these groups. */
enum role roles_of(const struct roles *r, uid_t uid, const gid_t *group, size_t groups);
/* For the configuration: NULL if text is valid, else the expected values. */
const char *roles_check_name(const char *text);
const char *roles_check_role(const char *text);
const char *roles_check_reader(const char *text); /* of a party, which has that role alone */
/* The role of that name; ROLE_NONE: NULL, or no role has it. */
enum role roles_named(const char *text);

/* The user's name, as policies and ledgers write it; "uid-1000" if the host has none for it, or one
 * that is not valid there (config_check_name). */
void roles_name_of(uid_t uid, char name[static ROLES_NAME_MAX + 1]);

#endif
