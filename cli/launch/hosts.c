#include "cli/launch/hosts.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <stdlib.h>
#include <string.h>

char *hosts_programs(void)
{
	const char *given = getenv("COTERIE_BIN");

	return given && *given ? alloc_copy(given) : file_program_dir();
}

enum err hosts_open(struct hosts *h, struct launch *l)
{
	const char *lab = getenv("COTERIE_LAB");
	char *text, *rest = NULL;

	if (!lab || !*lab)
		return ERR_OK;
	text = alloc_copy(lab);
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *equals = strchr(word, '=');

		if (!equals)
			continue;
		overrides_add(&h->space, "%.*s", (int)(equals - word), word);
		overrides_add(&h->address, "%s", equals + 1);
	}
	free(text);
	if (h->space.count <= l->parties)
		return err_set(ERR_INPUT,
			       "the lab has %zu hosts, %u parties and a coordinator need %u",
			       h->space.count, l->parties, l->parties + 1);
	l->listen = h->address.item[0];
	return ERR_OK;
}

void hosts_close(struct hosts *h)
{
	overrides_release(&h->space);
	overrides_release(&h->address);
}

void hosts_prefix(const struct hosts *h, size_t host, struct overrides *argv)
{
	if (!h->space.count)
		return;
	overrides_add(argv, "ip");
	overrides_add(argv, "netns");
	overrides_add(argv, "exec");
	overrides_add(argv, "%s", h->space.item[host]);
}
