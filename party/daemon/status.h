/* status.h -- a party's control socket: it answers coterie status, and can be told nothing.
 *
 * What it answers is the snapshot that its window shows too (common/job/live.h), how far its ledger reaches, and its budgets.
 */
#ifndef PARTY_DAEMON_STATUS_H
#define PARTY_DAEMON_STATUS_H

#include "common/job/daemon.h"
#include "proto/control.h"

struct party_status;
/* Before the process confines itself. A socket that was not asked for and cannot be made is a warning, and *s NULL, with
 * which party_status_close() does nothing. ERR_INPUT: one that control.socket names cannot be made; or a viewer is
 * nobody of this host. config is borrowed. */
enum err party_status_open(struct party_status **s, const struct party_config *config, uv_loop_t *loop) MUST_CHECK;
/* The loop has to run once more. */
void party_status_close(struct party_status *s);
void party_status_free(struct party_status *s); /* after that */

#endif
