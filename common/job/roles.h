/* roles.h -- who asks, and what each may ask a daemon for: this host's users by their names, others by those of their
 * certificates (proto/front.h).
 *
 * Names are looked up in the host's files once, before the process confines itself. Root and the daemon's own user may
 * do everything.
 */
#ifndef COMMON_JOB_ROLES_H
#define COMMON_JOB_ROLES_H

#include "common/base/config.h"
#include "common/base/err.h"

#include <stddef.h>
#include <sys/types.h>

enum { ROLES_NAME_MAX = 64, ROLES_MAX = 64 }; /* users and groups of each role */

enum role { ROLE_NONE, ROLE_VIEWER, ROLE_SUBMITTER, ROLE_OPERATOR }; /* each may what those before it may */
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
/* Names of users, and of groups with an @ before them: those of one role more. key: "coordinator.control.viewers",
 * for the sentence. ERR_INPUT: this host does not know one. */
enum err roles_add(struct roles *r, enum role role, const struct config_strings *names, const char *key) MUST_CHECK;
/* The role of a user with these groups. */
enum role roles_of(const struct roles *r, uid_t uid, const gid_t *group, size_t groups);
/* For the configuration: what was expected, or NULL. */
const char *roles_check_name(const char *text);
const char *roles_check_role(const char *text);
/* Of a role's name; ROLE_NONE: NULL, or it is none. */
enum role roles_named(const char *text);

/* The user's name, as policies and ledgers write it; "uid-1000" where the host has none for it, or one
 * that is no name there (config_check_name). */
void roles_name_of(uid_t uid, char name[static ROLES_NAME_MAX + 1]);

#endif
