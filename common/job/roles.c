#include "common/job/roles.h"
#include "common/base/config.h"

#include <pwd.h>
#include <stdio.h>

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
