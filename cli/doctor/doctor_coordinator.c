#include "cli/doctor/doctor.h"
#include "server/daemon/coordinator.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void check_listening(struct checkup *c, const struct coordinator_config *config)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *a = NULL;
	const char *text = config->listen_text;
	int one = 1, why, fd;
	char port[8];

	snprintf(port, sizeof(port), "%u", config->listen.port);
	why = getaddrinfo(config->listen.host, port, &hints, &a);
	if (why) {
		checkup_add(c, WRONG, "address", "correct listen", "%s: %s", text,
			    gai_strerror(why));
		return;
	}
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 1) == 0)
		checkup_add(c, FINE, "address", "", "%s can be listened on", text);
	else if (errno == EADDRINUSE)
		checkup_add(c, NOTE, "address", "by this coordinator, or who else? ss -ltnp",
			    "%s is in use", text);
	else
		checkup_add(c, WRONG, "address", "correct listen, or the rights of its user",
			    "%s: %s", text, strerror(errno));
	close(fd);
	freeaddrinfo(a);
}

void doctor_coordinator(struct checkup *c, const struct coordinator_config *config)
{
	size_t pins = config->pins.count, parties = config->parties.count;

	checkup_failed(c, coordinator_check(config), "--check-config", "as the sentence says");
	doctor_host(c, &config->common, TLS_SERVER, COORDINATOR_FILES + 2 * parties);
	checkup_add(c, FINE, "memory", "",
		    "%.1f GB available; what a job takes depends on the parties' data",
		    doctor_memory_available() / 1e9);
	check_listening(c, config);
	checkup_add(c, pins < parties ? NOTE : FINE, "pins",
		    pins < parties ? "pin all, or the CA alone decides who comes in" : "",
		    "%zu of %zu parties are pinned", pins, parties);
	doctor_clock(c);
}
