#include "common/base/service.h"
#include "common/base/log.h"
#include "common/base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int sock = -1;
static unsigned watchdog_ms;

static void service_notify(const char *text)
{
	if (sock >= 0)
		(void)!send(sock, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void read_watchdog(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t interval = usec ? strtoull(usec, NULL, 10) : 0;

	if (pid && strtol(pid, NULL, 10) != getpid())
		interval = 0; /* the variables are meant for another process */
	interval /= 2000;
	watchdog_ms = interval < 3600000 ? (unsigned)interval : 3600000;
}

void service_begin(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t n = path ? strlen(path) : 0;

	if (!n || sock >= 0)
		return;
	if ((path[0] != '/' && path[0] != '@') || n >= sizeof(a.sun_path)) {
		log_warn("NOTIFY_SOCKET is \"%s\", expected a path: systemd gets no notifications",
			 path);
		return;
	}
	memcpy(a.sun_path, path, n);
	if (path[0] == '@')
		a.sun_path[0] = 0;
	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0 || connect(sock, (struct sockaddr *)&a,
				(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) != 0) {
		log_warn("NOTIFY_SOCKET %s: %s: systemd gets no notifications", path,
			 strerror(errno));
		if (sock >= 0)
			close(sock);
		sock = -1;
		return;
	}
	read_watchdog();
}

void service_ready(void)
{
	service_notify("READY=1");
}

void service_stopping(void)
{
	service_notify("STOPPING=1");
}

void service_status(const char *fmt, ...)
{
	char text[200], line[sizeof(text) + 8];
	va_list ap;

	if (sock < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	utf8_make_harmless(text); /* a line break would start another assignment */
	snprintf(line, sizeof(line), "STATUS=%s", text);
	service_notify(line);
}

unsigned service_watchdog_ms(void)
{
	return watchdog_ms;
}

void service_alive(void)
{
	if (watchdog_ms)
		service_notify("WATCHDOG=1");
}

bool service_is_journal(int fd)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uintmax_t device, inode;
	struct stat st;

	return stream && sscanf(stream, "%ju:%ju", &device, &inode) == 2 && fstat(fd, &st) == 0 &&
	       st.st_dev == device && st.st_ino == inode;
}
