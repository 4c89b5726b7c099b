#include "common/job/roles.h"

#include <assert.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const role_name[] = { "none", "viewer", "reader", "submitter", "operator" };

void roles_name_of(uid_t uid, char name[static ROLES_NAME_MAX + 1])
{
	struct passwd entry, *found = NULL;
	char room[4096];

	if (getpwuid_r(uid, &entry, room, sizeof(room), &found) == 0 && found &&
	    !config_check_name(found->pw_name))
		snprintf(name, ROLES_NAME_MAX + 1, "%s", found->pw_name);
	else
		snprintf(name, ROLES_NAME_MAX + 1, "uid-%u", (unsigned)uid);
}

const char *roles_check_name(const char *text)
{
	return config_check_name(text + (*text == '@'))
		   ? "the name of a user, or of a group with an @ before it"
		   : NULL;
}

enum role roles_named(const char *text)
{
	for (enum role r = ROLE_VIEWER; text && r <= ROLE_OPERATOR; r++)
		if (!strcmp(text, role_name[r]))
			return r;
	return ROLE_NONE;
}

const char *roles_check_role(const char *text)
{
	return roles_named(text) ? NULL : "\"viewer\", \"reader\", \"submitter\" or \"operator\"";
}

const char *roles_check_reader(const char *text)
{
	return roles_named(text) == ROLE_READER ? NULL : "\"reader\"";
}

enum err roles_add(struct roles *r, enum role role, const struct config_strings *names,
		   const char *key)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->item[i];
		bool is_group = *name == '@';
		const struct passwd *user = is_group ? NULL : getpwnam(name);
		const struct group *group = is_group ? getgrnam(name + 1) : NULL;

		if (!user && !group)
			return err_set(ERR_INPUT, "%s: there is no %s \"%s\" on this host", key,
				       is_group ? "group" : "user", name + is_group);
		assert(r->n <
		       /* The configuration cannot have more names. */
		       sizeof(r->item) / sizeof(*r->item));
		r->item[r->n].is_group = is_group;
		r->item[r->n].id = is_group ? group->gr_gid : user->pw_uid;
		r->item[r->n++].role = role;
	}
	return ERR_OK;
}

static bool is_among(const gid_t *group, size_t groups, unsigned id)
{
	for (size_t i = 0; i < groups; i++)
		if (group[i] == id)
			return true;
	return false;
}

enum role roles_of(const struct roles *r, uid_t uid, const gid_t *group, size_t groups)
{
	enum role best = uid == 0 || uid == geteuid() ? ROLE_OPERATOR : ROLE_NONE;

	for (size_t i = 0; i < r->n; i++)
		if (r->item[i].role > best &&
		    (r->item[i].is_group ? is_among(group, groups, r->item[i].id)
					 : uid == r->item[i].id))
			best = r->item[i].role;
	return best;
}
