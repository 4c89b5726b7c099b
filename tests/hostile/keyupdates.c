/* keyupdates.c -- a TLS peer that changes its keys again and again, and requests key updates.
 *
 *   keyupdates ADDRESS CERTIFICATE KEY CA COUNT
 *
 * Exits with 0 when the other end has closed the connection, with 2 when it accepted COUNT
 * changes.
 */
#include <openssl/ssl.h>

#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int dial(char *address)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *a;
	char *port = strrchr(address, ':');
	int fd;

	*port++ = 0;
	if (getaddrinfo(address, port, &hints, &a) != 0)
		exit(1);
	fd = socket(a->ai_family, SOCK_STREAM, 0);
	if (connect(fd, a->ai_addr, a->ai_addrlen) != 0)
		exit(1);
	freeaddrinfo(a);
	return fd;
}

int main(int argc, char **argv)
{
	SSL_CTX *c = SSL_CTX_new(TLS_client_method());
	char scrap[4096];
	long count;
	SSL *s;

	if (argc != 6 || SSL_CTX_use_certificate_chain_file(c, argv[2]) != 1 ||
	    SSL_CTX_use_PrivateKey_file(c, argv[3], SSL_FILETYPE_PEM) != 1 ||
	    SSL_CTX_load_verify_locations(c, argv[4], NULL) != 1)
		return 1;
	count = atol(argv[5]);
	signal(SIGPIPE, SIG_IGN);
	s = SSL_new(c);
	SSL_set_fd(s, dial(argv[1]));
	if (SSL_connect(s) != 1)
		return 1;
	for (long i = 0; i < count; i++) {
		if (SSL_key_update(s, SSL_KEY_UPDATE_REQUESTED) != 1 || SSL_do_handshake(s) != 1)
			return 0;
		usleep(i < 100 ? 1000 : 0); /* slow at first, so that the peer reads each one */
	}
	shutdown(SSL_get_fd(s), SHUT_WR);
	while (read(SSL_get_fd(s), scrap, sizeof(scrap)) > 0)
		;
	return 2;
}
