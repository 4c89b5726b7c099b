/* roles.h -- who asks: the names of this host's users. */
#ifndef COMMON_JOB_ROLES_H
#define COMMON_JOB_ROLES_H

#include <sys/types.h>

enum { ROLES_NAME_MAX = 64 };

/* The user's name, as policies and ledgers write it; "uid-1000" where the host has none for it, or one
 * that is no name there (config_check_name). */
void roles_name_of(uid_t uid, char name[static ROLES_NAME_MAX + 1]);

#endif
