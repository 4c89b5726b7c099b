/* Fuzzes the configurations of both daemons. An accepted configuration is within the bounds of the
 * daemons; a refused one leaves no memory allocated.
 *
 * The first byte selects the daemon. The bytes up to the first zero byte are a "path=value" as on
 * the command line. The rest is the file. */
#include "common/base/json.h"

#include <stdlib.h>
#include <string.h>

static struct bytes input;

static enum err read_input(const char *path, size_t max, struct json **root)
{
	(void)max;
	return json_parse(input, path, root);
}

#define json_read read_input
#include "common/job/daemon.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_common(const struct daemon_common *c)
{
	check(!config_check_name(c->name) && strlen(c->name) <= 64);
	check(c->identity.certificate && c->identity.key && c->identity.ca && c->output);
	check(c->identity.certificate[0] == '/' && c->output[0] == '/');
	check(c->heartbeat_s >= 1 && c->heartbeat_s <= DAY_S && c->step_timeout_s >= 1);
	check(c->reconnect_s <= DAY_S && c->rejoin_s <= DAY_S && c->threads <= 1024);
}

static void check_pins(const struct config_map *pins)
{
	for (size_t i = 0; i < pins->count; i++) {
		check(!check_pin(pins->item[i].value) && !config_check_name(pins->item[i].key));
		for (size_t j = 0; j < i; j++)
			check(strcmp(pins->item[i].key, pins->item[j].key));
	}
}

static void coordinator(char *const *set)
{
	struct coordinator_config c;

	if (coordinator_config_read(&c, "/etc/f", set) != ERR_OK)
		return;
	check_common(&c.common);
	check(c.listen.host[0] && strlen(c.listen.host) <= HOST_MAX);
	check(c.parties.count >= 1 && c.parties.count <= PARTIES_MAX);
	for (size_t i = 1; i < c.parties.count; i++)
		check(strcmp(c.parties.item[i - 1], c.parties.item[i]) < 0);
	check(c.max_attempts >= 1 && c.max_attempts <= RECORD_ATTEMPTS_MAX);
	check_pins(&c.pins);
	coordinator_config_release(&c);
}

static void party(char *const *set)
{
	struct party_config c;

	if (party_config_read(&c, "/etc/f", set) != ERR_OK)
		return;
	check_common(&c.common);
	check(c.coordinator.host[0] && c.coordinator.port);
	check(c.peers.count >= 1 && !config_map_get(&c.peers, c.common.name));
	check_pins(&c.peers);
	check(c.state && (c.data.features || c.data.edges || c.data.graphs || c.data.ids));
	check(!c.data.vertices || (c.data.edges && !c.data.features && !c.data.ids));
	check(c.policy.jobs.count >= 1 && c.policy.min_parties >= 1 && c.policy.min_cluster >= 1);
	for (size_t i = 0; i < c.policy.jobs.count; i++)
		check(!check_kind(c.policy.jobs.item[i]));
	party_config_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char line[256] = "", *set[] = { line, NULL };
	const uint8_t *zero;

	if (size < 1)
		return 0;
	zero = memchr(data + 1, 0, size - 1);
	if (zero) {
		size_t n = (size_t)(zero - data - 1);

		if (n >= sizeof(line))
			return 0;
		memcpy(line, data + 1, n);
		input = (struct bytes){ zero + 1, size - n - 2 };
	} else {
		input = (struct bytes){ data + 1, size - 1 };
	}
	(data[0] & 1 ? party : coordinator)(line[0] ? set : NULL);
	return 0;
}
