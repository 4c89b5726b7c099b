#include "party/daemon/status.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/job/live.h"
#include "party/daemon/dashboard.h"

#include <stdlib.h>
#include <string.h>

struct party_status {
	const struct party_config *config;
	struct control *control;
	struct roles roles;
};

static enum err party_status_answer_status(const struct party_config *config, struct json *answer)
{
	struct live *now = live_copy();
	struct json *o = json_put(answer, "daemon", live_json(now));

	free(now);
	return party_show_standing(config, o);
}

static enum err party_status_answer_one(const struct party_status *s,
					const struct control_peer *peer, const struct json *request,
					struct json *answer)
{
	char who[ROLES_NAME_MAX + 1];

	roles_name_of(peer->uid, who);
	if (roles_of(&s->roles, peer->uid, peer->group, peer->groups) < ROLE_VIEWER)
		return err_set(ERR_INPUT, "status needs the role viewer at %s, and %s has no role",
			       s->config->common.name, who);
	if (strcmp(json_text(request, "do"), "status") != 0)
		return err_set(ERR_INPUT,
			       "%s is a party: it answers requests for its status only, not %.40s",
			       s->config->common.name, json_text(request, "do"));
	return party_status_answer_status(s->config, answer);
}

static void party_status_answer_request(void *status, const struct control_peer *peer,
					const struct json *request, struct json *a)
{
	enum err e = party_status_answer_one(status, peer, request, a);

	json_put_number(a, "status", e);
	if (e != ERR_OK)
		json_put_string(a, "error", err_detail());
}

static enum err party_status_open_socket(struct party_status *s, uv_loop_t *loop)
{
	char *path = daemon_control_path(&s->config->common);
	enum err e = control_open(&s->control, path);

	if (e == ERR_OK) /* the socket answers nothing before the loop runs */
		e = control_start(s->control, loop, party_status_answer_request, s);
	free(path);
	return e;
}

enum err party_status_open(struct party_status **out, const struct party_config *config,
			   uv_loop_t *loop)
{
	struct party_status *s = alloc(1, sizeof(*s));
	enum err e = roles_add(&s->roles, ROLE_VIEWER, &config->common.control.viewers,
			       "party.control.viewers");

	s->config = config;
	*out = s;
	if (e == ERR_OK)
		e = party_status_open_socket(s, loop);
	if (e != ERR_OK && s->roles.n == config->common.control.viewers.count &&
	    !config->common.control.socket) {
		log_warn("%s: coterie status cannot reach this party", err_detail());
		e = ERR_OK;
	}
	return e;
}

void party_status_close(struct party_status *s)
{
	if (s)
		control_close(s->control);
}

void party_status_free(struct party_status *s)
{
	free(s);
}
