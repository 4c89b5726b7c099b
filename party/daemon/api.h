/* api.h -- a party's results for people of its organisation elsewhere: HTTPS at api.listen, with a
 * certificate of the same authority whose name has the role reader in api.roles.
 *
 *     /api/jobs          as common/http/window.h has it
 *     /api/results/      the files of a job
 *
 * Nothing else is there: no ledger, no offers, no metrics, and nothing can be sent. */
#ifndef PARTY_DAEMON_API_H
#define PARTY_DAEMON_API_H

#include "common/job/daemon.h"
#include "proto/conn.h"

struct party_api;

/* Checks certificate, key and authority of the endpoint; ERR_OK without one. ERR_INPUT. */
enum err party_api_check(const struct party_config *config) MUST_CHECK;
/* Listens, before the sandbox; *api is NULL without api.listen, and the other functions then do
 * nothing. config is borrowed. ERR_INPUT. */
enum err party_api_open(struct party_api **api, uv_loop_t *loop,
			const struct party_config *config) MUST_CHECK;
enum err party_api_start(struct party_api *api) MUST_CHECK; /* after the sandbox; ERR_INTERNAL */
void party_api_look(struct party_api *api);                 /* once a second */
/* Reads the certificate anew; one that party_api_check() refuses leaves the old one. */
void party_api_reload(struct party_api *api);
void party_api_close(struct party_api *api); /* the loop then ends its connections */
void party_api_free(struct party_api *api);  /* after the loop */

#endif
