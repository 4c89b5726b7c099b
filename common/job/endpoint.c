#include "common/job/endpoint.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

bool endpoint_parse(const char *text, struct endpoint *e)
{
	const char *colon = strrchr(text, ':'), *host = text, *digits;
	size_t n = colon ? (size_t)(colon - text) : 0;
	unsigned long port;

	if (n >= 2 && text[0] == '[' && colon[-1] == ']') {
		host++;
		n -= 2;
	} else if (memchr(text, ':', n)) {
		return false; /* an IPv6 address without brackets */
	}
	if (n == 0 || n > HOST_MAX || strcspn(host, " \t\r\n/[]@") < n)
		return false;
	digits = colon + 1;
	if (!*digits || strlen(digits) > 5 || digits[strspn(digits, "0123456789")])
		return false;
	port = strtoul(digits, NULL, 10);
	if (port > UINT16_MAX)
		return false;
	memcpy(e->host, host, n);
	e->host[n] = 0;
	e->port = (uint16_t)port;
	return true;
}

const char *http_listen_path(const char *listen)
{
	return strncmp(listen, "unix:", 5) ? NULL : listen + 5;
}

bool endpoint_is_loopback(const struct endpoint *e)
{
	const char *host = e->host;
	struct in_addr a;
	struct in6_addr a6;

	if (inet_pton(AF_INET, host, &a) == 1)
		return ntohl(a.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &a6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&a6);
	return !strcmp(host, "localhost");
}
