/* endpoint.h -- addresses of daemons, in their configurations and on the command line. */
#ifndef COMMON_JOB_ENDPOINT_H
#define COMMON_JOB_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

enum { HOST_MAX = 255 }; /* bytes of a host name */

/* "hub.example.org:7431", "0.0.0.0:0", "[::1]:7431". */
struct endpoint {
	char host[HOST_MAX + 1]; /* without the brackets */
	uint16_t port;
};

/* False if text is not an address; *e is then undefined. */
bool endpoint_parse(const char *text, struct endpoint *e);
/* True for a loopback address, and for the name "localhost". */
bool endpoint_is_loopback(const struct endpoint *e);
/* Returns the path in a `listen` such as "unix:/run/coterie/party.http"; NULL if it is an
 * address. */
const char *http_listen_path(const char *listen);

#endif
