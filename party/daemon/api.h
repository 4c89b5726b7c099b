/* api.h -- serves a party's results to remote users of its organisation: HTTPS at api.listen.
 * identity.ca must have signed the users' certificates, as it signs those of the daemons. A user
 * needs the role reader in api.roles.
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

/* Returns the paths of the endpoint's certificate and key, and of the authority's certificate. */
struct identity_files party_api_files(const struct party_config *config);
/* Checks certificate, key and authority of the endpoint. If the configuration has no endpoint,
 * returns ERR_OK. ERR_INPUT: one of the files is invalid. */
enum err party_api_check(const struct party_config *config) MUST_CHECK;
/* Opens the listener; call before the process enters the sandbox. Without api.listen *api is NULL,
 * and the other functions do nothing. config is borrowed. ERR_INPUT. */
enum err party_api_open(struct party_api **api, uv_loop_t *loop,
			const struct party_config *config) MUST_CHECK;
/* Call after the process has entered the sandbox; ERR_INTERNAL. */
enum err party_api_start(struct party_api *api) MUST_CHECK;
void party_api_look(struct party_api *api); /* call once a second */
/* Reloads the certificate; keeps the old one if party_api_check() refuses the new one. */
void party_api_reload(struct party_api *api);
void party_api_close(struct party_api *api); /* the connections close when the loop next runs */
void party_api_free(struct party_api *api);  /* call after the loop has ended */

#endif
