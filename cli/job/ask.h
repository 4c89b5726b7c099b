/* ask.h -- sends requests to a daemon: on this host over its control socket, to a remote
 * coordinator at its api.listen. */
#ifndef CLI_JOB_ASK_H
#define CLI_JOB_ASK_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"
#include "cli/job/https.h"

#include <stdbool.h>

/* Paths of the sockets that the packages use. */
#define ASK_COORDINATOR "/run/coterie-coordinator/control.socket"
#define ASK_PARTY       "/run/coterie-party/control.socket"

/* Options of all commands that send requests to a daemon: rows for struct argp_option, and their
 * parser. */
enum {
	ASK_SOCKET = 256,
	ASK_CONFIG,
	ASK_JSON,
	ASK_SERVER,
	ASK_CERT,
	ASK_KEY,
	ASK_CA,
	ASK_CRL,
	ASK_PASSPHRASE,
	ASK_OWN
};
/* clang-format off */
#define ASK_OPTIONS(daemon, json) \
	{ "socket", ASK_SOCKET, "PATH", 0, "control socket of the " daemon, 0 }, \
	{ "config", ASK_CONFIG, "FILE", 0, \
	  "configuration of the " daemon "; or a file with server and identity, instead of the " \
	  "other options", 0 }, \
	{ "server", ASK_SERVER, "[NAME@]HOST:PORT", 0, \
	  "api.listen of a coordinator; NAME: the name in its certificate, if it differs " \
	  "from HOST", 0 }, \
	{ "cert", ASK_CERT, "FILE", 0, "own certificate (PEM), for --server", 0 }, \
	{ "key", ASK_KEY, "FILE", 0, "private key; default: the path of the certificate, " \
				     "ending in .key", 0 }, \
	{ "ca", ASK_CA, "FILE", 0, \
	  "certificate of the authority (PEM); default ca.crt in the directory of the " \
	  "certificate", 0 }, \
	{ "crl", ASK_CRL, "FILE", 0, "revocation list of the authority (PEM)", 0 }, \
	{ "passphrase", ASK_PASSPHRASE, "FILE", 0, "file with the key's passphrase", 0 }, \
	{ "json", ASK_JSON, NULL, 0, json, 0 }
/* clang-format on */
struct asking {
	const char *socket, *config;
	bool json;
	/* Server given by options, borrowed; without options, the server of the configuration in
	 * `read`. */
	struct https_server server;
	struct submitter_config *read; /* NULL: not read */
	char *path;                    /* path of the socket; NULL: use server */
};
/* Stores an option. Returns false if the key is not one of these options. */
bool ask_option(int key, const char *text, struct asking *a);

/* Finds a->path or a->server. Uses the first that is given: --server, --socket, --config,
 * $COTERIE_SOCKET. Otherwise uses the socket of an installed coordinator or, with `party` and
 * without a coordinator, that of an installed party. Call ask_release() also after an error.
 * ERR_INPUT: the options or the configuration are invalid. */
enum err ask_where(struct asking *a, bool party) MUST_CHECK;
void ask_release(struct asking *a);

/* Sends a request. *answer is owned by the caller. If the daemon refuses, returns its error and
 * message, and *answer is NULL. ERR_PEER: no daemon answers. */
enum err job_ask(const struct asking *a, const struct json *request,
		 struct json **answer) MUST_CHECK;

/* Appends the state of a job in an answer: "waiting for parties (bank-b)", "awaiting approval
 * (bank-a)", "running". */
void job_state_text(const struct json *job, struct buf *text);

#endif
