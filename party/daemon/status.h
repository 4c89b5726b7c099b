/* status.h -- a party's control socket: answers coterie status and accepts no commands.
 *
 * The answer has the snapshot that the dashboard also shows (common/job/live.h), the head of the
 * ledger, and the budgets. */
#ifndef PARTY_DAEMON_STATUS_H
#define PARTY_DAEMON_STATUS_H

#include "common/job/daemon.h"
#include "proto/control.h"

struct party_status;
/* Opens the socket. Call before the process confines itself. If the socket cannot be made and
 * control.socket is not configured, only logs a warning; *s then answers nothing. ERR_INPUT: the
 * configured socket cannot be made, or a viewer is not a user of this host. config is borrowed. */
enum err party_status_open(struct party_status **s, const struct party_config *config,
			   uv_loop_t *loop) MUST_CHECK;
/* Closes the socket. The loop must run once more afterwards. */
void party_status_close(struct party_status *s);
void party_status_free(struct party_status *s); /* call after the loop has run */

#endif
