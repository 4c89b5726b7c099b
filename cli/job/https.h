/* https.h -- a coordinator elsewhere is asked, at its api.listen: the one door to libcurl.
 *
 * Requests and answers are those of the control socket, as POST /api/ask. Both ends show certificates of one authority;
 * the coordinator's must bear the name that was asked for.
 */
#ifndef CLI_JOB_HTTPS_H
#define CLI_JOB_HTTPS_H

#include "common/base/err.h"
#include "common/base/json.h"

/* Borrowed. where: "hub.example.org:7443", or "hub@192.0.2.7:7443" where the certificate is of hub. key, ca: NULL: those beside
 * the certificate; crl, passphrase: NULL: none. */
struct https_server {
	const char *where, *certificate, *key, *ca, *crl, *passphrase;
};

/* Is it complete? ERR_INPUT. */
enum err https_check(const struct https_server *s) MUST_CHECK;
/* ERR_PEER: nobody answers, or it is not who it should be, or does not accept the certificate. ERR_INPUT: a file, or the
 * answer says that this certificate may not ask. ERR_JOB: it cannot answer now. */
enum err https_ask(const struct https_server *s, const struct json *request, struct json **answer) MUST_CHECK;

/* { "server": "hub.example.org:7443", "identity": { "certificate", "key", "ca", "crl", "passphrase" } } */
struct submitter_config {
	struct https_server server;
	char *where, *certificate, *key, *ca, *crl, *passphrase;
};
/* root: the parsed file at path. ERR_INPUT; *c is NULL then. */
enum err submitter_config_read(struct submitter_config **c, const struct json *root, const char *path) MUST_CHECK;
void submitter_config_free(struct submitter_config *c); /* NULL is fine */

#endif
