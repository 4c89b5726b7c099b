/* Sends messages for systemd to a socket of this test, and compares them. */
#include "tests/test.h"

#include "common/base/log.h"
#include "common/base/service.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int systemd;

/* Binds an abstract socket; the kernel chooses an unused name. */
static int set_up(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t n = sizeof(a);
	char path[128] = "@", number[32];

	(void)state;
	systemd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(systemd, (struct sockaddr *)&a, sizeof(sa_family_t)), 0);
	assert_int_equal(getsockname(systemd, (struct sockaddr *)&a, &n), 0);
	memcpy(path + 1, a.sun_path + 1, n - offsetof(struct sockaddr_un, sun_path) - 1);
	setenv("NOTIFY_SOCKET", path, 1);
	snprintf(number, sizeof(number), "%d", (int)getpid());
	setenv("WATCHDOG_USEC", "3000000", 1);
	setenv("WATCHDOG_PID", number, 1);
	return 0;
}

static const char *heard(void)
{
	static char text[512];
	ssize_t n = recv(systemd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = 0;
	return text;
}

TEST_WITH(test_told, set_up, NULL)
{
	char name[400];

	service_ready(); /* sends nothing before service_begin() */
	assert_string_equal(heard(), "");
	service_begin();
	service_ready();
	assert_string_equal(heard(), "READY=1");
	service_status("job %s", "a\nREADY=0");
	assert_string_equal(heard(), "STATUS=job a?READY=0");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	service_status("%s", name);
	assert_int_equal(strlen(heard()), strlen("STATUS=") + 199);
	assert_int_equal(service_watchdog_ms(), 1500);
	service_alive();
	assert_string_equal(heard(), "WATCHDOG=1");
	service_stopping();
	assert_string_equal(heard(), "STOPPING=1");
	close(systemd);
	service_ready(); /* returns if nobody receives */
}

TEST(test_journal)
{
	char path[] = "/tmp/coterie-test-journal-XXXXXX", stream[64], line[256];
	int fd = mkstemp(path), before = dup(STDERR_FILENO);
	struct stat st;
	ssize_t n;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	unsetenv("JOURNAL_STREAM");
	assert_false(service_is_journal(fd));
	snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino + 1);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_false(service_is_journal(fd)); /* stderr is now another file */
	snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_true(service_is_journal(fd));
	assert_false(service_is_journal(-1));
	dup2(fd, STDERR_FILENO);
	log_init("hub", LOG_INFO);
	log_warn("slow");
	dup2(before, STDERR_FILENO);
	close(before);
	n = pread(fd, line, sizeof(line) - 1, 0);
	line[n < 0 ? 0 : n] = 0;
	assert_ptr_equal(strstr(line, "<4>{\"time\":"), line);
	log_set_stream(STDERR_FILENO, false);
	close(fd);
	unlink(path);
}
