/* Tests the permissions of users of this host: permissions by user name or by group, and
 * permissions that always apply. */
#include "common/job/roles.h"
#include "tests/test.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

static struct roles roles;

static int set_up(void **state)
{
	(void)state;
	roles = (struct roles){ 0 };
	return 0;
}

static enum err add(enum role role, char *name)
{
	return roles_add(&roles, role, &(struct config_strings){ &name, 1 }, "control.viewers");
}

static enum role role_of(uid_t uid, gid_t own, gid_t other)
{
	gid_t group[] = { own, other };

	return roles_of(&roles, uid, group, 2);
}

TEST_WITH(test_users_and_groups, set_up, NULL)
{
	uid_t games = getpwnam("games")->pw_uid, daemon_user = getpwnam("daemon")->pw_uid;
	gid_t mail = getgrnam("mail")->gr_gid;

	assert_ok(add(ROLE_VIEWER, "games"));
	assert_ok(add(ROLE_SUBMITTER, "@mail"));
	assert_ok(add(ROLE_OPERATOR, "daemon"));
	assert_int_equal(role_of(games, 65000, 65001), ROLE_VIEWER);
	assert_int_equal(role_of(games, 65000, mail), ROLE_SUBMITTER); /* the higher role applies */
	assert_int_equal(role_of(64000, mail, 65001), ROLE_SUBMITTER);
	assert_int_equal(role_of(daemon_user, 65000, 65001), ROLE_OPERATOR);
	assert_int_equal(role_of(64000, 65000, 65001), ROLE_NONE);
	/* A group id is not a user id. */
	assert_int_equal(role_of(mail == games ? 64000 : mail, 65000, 65001), ROLE_NONE);
}

TEST_WITH(test_who_always_may, set_up, NULL)
{
	assert_int_equal(role_of(0, 65000, 65001), ROLE_OPERATOR);
	assert_int_equal(role_of(geteuid(), 65000, 65001), ROLE_OPERATOR);
	assert_int_equal(role_of(geteuid() + 1, 0, 0), ROLE_NONE);
}

TEST_WITH(test_unknown, set_up, NULL)
{
	assert_err(add(ROLE_VIEWER, "no-such-user"), ERR_INPUT,
		   "control.viewers: there is no user \"no-such-user\" on this host");
	assert_err(add(ROLE_VIEWER, "@no-such-group"), ERR_INPUT, "no group \"no-such-group\"");
	assert_non_null(roles_check_name("@"));
	assert_non_null(roles_check_name("a b"));
	assert_null(roles_check_name("@staff"));
	assert_null(roles_check_name("alice"));
}
