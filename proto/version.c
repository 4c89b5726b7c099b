#include "proto/version.h"
#include "proto/msg.h"

#include <stdio.h>

#define NAME "coterie "

static char software[MSG_NAME_MAX + 1] = NAME COTERIE_VERSION;

void version_set(const char *build)
{
	snprintf(software, sizeof(software), NAME "%s", build);
}

const char *version_build(void)
{
	return software + sizeof(NAME) - 1;
}

const char *version_software(void)
{
	return software;
}

const char *version_line(const char *program)
{
	static char line[256];

	snprintf(line, sizeof(line), "%s %s, protocol %d to %d", program, version_build(),
		 PROTO_VERSION_MIN, PROTO_VERSION_MAX);
	return line;
}
