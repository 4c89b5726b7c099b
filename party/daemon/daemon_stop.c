#include "party/daemon/daemon_own.h"
#include "common/base/log.h"

#include <stdio.h>

enum { CANCEL_GRACE_MS = 300 };

static void on_cancel_timeout(uv_timer_t *timer)
{
	struct daemon *d = timer->data;
	char why[128];

	snprintf(why, sizeof(why), "%s was stopped", d->config->common.name);
	if (d->conn)
		conn_abort(d->conn, ERR_PEER, why);
	d->abandoned = true;
	daemon_close(d, ERR_CANCELLED, why);
}

void daemon_stop(void *daemon, const char *why)
{
	struct daemon *d = daemon;

	if (!d->thread_started || !d->work.offered) {
		if (d->post)
			post_cancel(d->post, ERR_CANCELLED, why);
		if (d->awaiting) {
			daemon_fail_waiting(d, daemon_add_cause(d, ERR_CANCELLED, why), true);
			return;
		}
		log_info("stopped while idle");
		daemon_close(d, ERR_OK, "");
	} else if (!uv_is_active((uv_handle_t *)&d->cancel_timer)) {
		d->options.once = true; /* whatever becomes of this job, it is the last */
		post_cancel(d->post, ERR_CANCELLED, why);
		uv_timer_start(&d->cancel_timer, on_cancel_timeout, CANCEL_GRACE_MS, 0);
	}
}
