#include "cli/job/ask.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/job/daemon.h"
#include "proto/control.h"

#include <stdlib.h>

/* Either daemon's configuration: a coordinator's alone says where it listens. */
static enum err read_config(const char *config, char **path)
{
	struct coordinator_config coordinator;
	struct party_config party;
	struct json *root;
	bool listens;

	TRY(json_read(config, DAEMON_TEXT_MAX, &root));
	listens = json_type(root) == JSON_OBJECT && json_get(root, "listen");
	json_free(root);
	if (listens) {
		TRY(coordinator_config_read(&coordinator, config, NULL));
		*path = daemon_control_path(&coordinator.common);
		coordinator_config_release(&coordinator);
	} else {
		TRY(party_config_read(&party, config, NULL));
		*path = daemon_control_path(&party.common);
		party_config_release(&party);
	}
	return ERR_OK;
}

bool ask_option(int key, const char *text, struct asking *a)
{
	if (key == ASK_SOCKET)
		a->socket = text;
	else if (key == ASK_CONFIG)
		a->config = text;
	else if (key == ASK_JSON)
		a->json = true;
	else
		return false;
	return true;
}

enum err ask_where(const struct asking *a, bool party, char **path)
{
	const char *from = getenv("COTERIE_SOCKET");

	if (a->socket || (!a->config && from && *from)) {
		*path = alloc_copy(a->socket ? a->socket : from);
		return ERR_OK;
	}
	if (a->config)
		return read_config(a->config, path);
	party = party && !file_exists(ASK_COORDINATOR) && file_exists(ASK_PARTY);
	*path = alloc_copy(party ? ASK_PARTY : ASK_COORDINATOR);
	return ERR_OK;
}

enum err ask(const char *path, const struct json *request, struct json **answer)
{
	const struct json *status;
	enum err e;

	TRY(control_ask(path, request, answer));
	json_make_harmless(*answer);
	status = json_type(*answer) == JSON_OBJECT ? json_get(*answer, "status") : NULL;
	if (!status || json_type(status) != JSON_NUMBER || json_number(status) < 0 ||
	    json_number(status) > ERR_CANCELLED)
		e = err_set(ERR_PEER, "%s: what answers there is no coterie daemon", path);
	else if (json_number(status) != ERR_OK)
		e = err_set((enum err)json_number(status), "%s", json_text(*answer, "error"));
	else
		return ERR_OK;
	json_free(*answer);
	*answer = NULL;
	return e;
}
