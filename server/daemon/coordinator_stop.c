#include "server/daemon/coordinator_own.h"
#include "common/base/log.h"

#include <stdio.h>

enum { CANCEL_GRACE_MS = 300 };

/* The job thread still computes: this thread tells the parties, and the process ends without it. */
static void on_cancel_timeout(uv_timer_t *timer)
{
	struct coordinator *c = timer->data;
	char why[128];

	snprintf(why, sizeof(why), "%s was stopped", c->config->common.name);
	for (size_t l = 0; l < c->L; l++)
		if (c->seat[l].conn)
			conn_abort(c->seat[l].conn, ERR_PEER, why);
	coordinator_close(c, ERR_CANCELLED, why);
}

void coordinator_stop(void *coordinator, const char *why)
{
	struct coordinator *c = coordinator;

	if (c->phase == JOINING && c->again) {
		coordinator_fail(c, ERR_CANCELLED, why);
	} else if (c->phase == JOINING) {
		coordinator_close(c, ERR_CANCELLED, why);
	} else if (c->phase == TELLING) {
		coordinator_close(c, ERR_OK, NULL);
	} else if (c->phase == RUNNING && !uv_is_active((uv_handle_t *)&c->cancel_timer)) {
		post_cancel(c->post, ERR_CANCELLED, why);
		uv_timer_start(&c->cancel_timer, on_cancel_timeout, CANCEL_GRACE_MS, 0);
	}
}
