/* https.h -- sends requests to a remote daemon at its api.listen. Only this module uses libcurl.
 *
 * A request of the control socket is sent as POST /api/ask, and gets the same answer. Results are
 * fetched by GET. Client and daemon present certificates of one authority; the daemon's certificate
 * must contain the requested name.
 */
#ifndef CLI_JOB_HTTPS_H
#define CLI_JOB_HTTPS_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"

/* All strings are borrowed. where: "hub.example.org:7443", or "hub@192.0.2.7:7443" with the name in
 * the certificate. key, ca: NULL for the files next to the certificate; crl, passphrase: NULL for
 * none. */
struct https_server {
	const char *where, *certificate, *key, *ca, *crl, *passphrase;
};

/* ERR_INPUT: a setting is missing or invalid. */
enum err https_check(const struct https_server *s) MUST_CHECK;
/* Sends a request. ERR_PEER: no server answers, its identity is wrong, or it rejects the
 * certificate. ERR_INPUT: a file is invalid, or the certificate may not make this request. ERR_JOB:
 * the server cannot answer now. */
enum err https_ask(const struct https_server *s, const struct json *request,
		   struct json **answer) MUST_CHECK;

/* Appends the server's answer to body. A refusal is an error, as for https_ask(). path:
 * "/api/results/...". */
enum err https_get(const struct https_server *s, const char *path, struct buf *body) MUST_CHECK;

/* Configuration of a client: { "server": "hub.example.org:7443", "party":
 * "bank-a.example.org:7444", "identity": { "certificate", "key", "ca", "crl", "passphrase" } }. */
struct submitter_config {
	struct https_server server;
	char *party; /* NULL: not configured */
	char *where, *certificate, *key, *ca, *crl, *passphrase;
};
/* Reads the configuration. root: the parsed file at path. ERR_INPUT: it is invalid; *c is then
 * NULL. */
enum err submitter_config_read(struct submitter_config **c, const struct json *root,
			       const char *path) MUST_CHECK;
void submitter_config_free(struct submitter_config *c); /* accepts NULL */

#endif
