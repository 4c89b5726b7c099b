#include "cli/job/ask.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/job/daemon.h"
#include "proto/control.h"

#include <stdlib.h>

/* Reads the configuration of a daemon or of a client. A client's configuration has the key
 * "server". Only a coordinator's configuration has the key "listen". */
static enum err read_config(struct asking *a)
{
	struct coordinator_config coordinator;
	struct party_config party;
	struct json *root;
	bool listens, is_object;

	TRY(json_read(a->config, DAEMON_TEXT_MAX, &root));
	is_object = json_type(root) == JSON_OBJECT;
	listens = is_object && json_get(root, "listen");
	if (is_object && json_get(root, "server")) {
		enum err e = submitter_config_read(&a->read, root, a->config);

		json_free(root);
		if (e == ERR_OK)
			a->server = a->read->server;
		return e;
	}
	json_free(root);
	if (listens) {
		TRY(coordinator_config_read(&coordinator, a->config, NULL));
		a->path = daemon_control_path(&coordinator.common);
		coordinator_config_release(&coordinator);
	} else {
		TRY(party_config_read(&party, a->config, NULL));
		a->path = daemon_control_path(&party.common);
		party_config_release(&party);
	}
	return ERR_OK;
}

bool ask_option(int key, const char *text, struct asking *a)
{
	const struct {
		int key;
		const char **at;
	} texts[] = {
		{ ASK_SOCKET, &a->socket },       { ASK_CONFIG, &a->config },
		{ ASK_SERVER, &a->server.where }, { ASK_CERT, &a->server.certificate },
		{ ASK_KEY, &a->server.key },      { ASK_CA, &a->server.ca },
		{ ASK_CRL, &a->server.crl },      { ASK_PASSPHRASE, &a->server.passphrase },
	};

	a->json = a->json || key == ASK_JSON;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].key == key) {
			*texts[i].at = text;
			return true;
		}
	return key == ASK_JSON;
}

enum err ask_where(struct asking *a, bool party)
{
	const char *from = getenv("COTERIE_SOCKET");

	if (a->server.where)
		return https_check(&a->server);
	if (a->server.certificate)
		return err_set(ERR_INPUT, "--cert is for --server, which is missing");
	if (a->socket || (!a->config && from && *from)) {
		a->path = alloc_copy(a->socket ? a->socket : from);
		return ERR_OK;
	}
	if (a->config) {
		TRY(read_config(a));
		return a->path ? ERR_OK : https_check(&a->server);
	}
	party = party && !file_exists(ASK_COORDINATOR) && file_exists(ASK_PARTY);
	a->path = alloc_copy(party ? ASK_PARTY : ASK_COORDINATOR);
	return ERR_OK;
}

void ask_release(struct asking *a)
{
	free(a->path);
	submitter_config_free(a->read);
}

enum err job_ask(const struct asking *a, const struct json *request, struct json **answer)
{
	double status;
	enum err e;

	if (a->path)
		TRY(control_ask(a->path, request, answer));
	else
		TRY(https_ask(&a->server, request, answer));
	json_make_harmless(*answer);
	status = json_number_of(*answer, "status", -1);
	if (status < 0 || status > ERR_CANCELLED)
		e = err_set(ERR_PEER, "%s: the peer is no coterie daemon",
			    a->path ? a->path : a->server.where);
	else if (status != ERR_OK)
		e = err_set((enum err)status, "%s", json_text(*answer, "error"));
	else
		return ERR_OK;
	json_free(*answer);
	*answer = NULL;
	return e;
}
