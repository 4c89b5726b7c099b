/* api.h -- serves a party's results to remote users of its organisation: HTTPS at api.listen. A
 * user's certificate is of the same authority, and its name has the role reader in api.roles.
 *
 *     /api/jobs          as in common/http/dashboard.h
 *     /api/results/      the files of a job
 *
 * It serves nothing else: no ledger, no offers, no metrics. It accepts no input. */
#ifndef PARTY_DAEMON_API_H
#define PARTY_DAEMON_API_H

#include "common/job/daemon.h"
#include "proto/conn.h"

struct party_api;

/* The files of the endpoint's certificate and key, and those of the authority. */
struct identity_files party_api_files(const struct party_config *config);
/* Checks certificate, key and authority of the endpoint; ERR_OK without one. ERR_INPUT. */
enum err party_api_check(const struct party_config *config) MUST_CHECK;
/* Listens; call before the sandbox. Without api.listen *api is NULL, and the other functions do
 * nothing. config is borrowed. ERR_INPUT. */
enum err party_api_open(struct party_api **api, uv_loop_t *loop,
			const struct party_config *config) MUST_CHECK;
enum err party_api_start(struct party_api *api) MUST_CHECK; /* after the sandbox; ERR_INTERNAL */
void party_api_look(struct party_api *api);                 /* call once a second */
/* Reloads the certificate; keeps the old one if party_api_check() refuses the new one. */
void party_api_reload(struct party_api *api);
void party_api_close(struct party_api *api); /* the loop then closes its connections */
void party_api_free(struct party_api *api);  /* call after the loop has ended */

#endif
