/* passphrase.h -- passphrase of an encrypted private key, read from a file: a daemon must not
 * prompt. */
#ifndef COMMON_BASE_PASSPHRASE_H
#define COMMON_BASE_PASSPHRASE_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { PASSPHRASE_MAX = 1024 }; /* bytes of the file */

/* For OpenSSL, which calls passphrase_give() with one of these if a key is encrypted. */
struct passphrase {
	char text[PASSPHRASE_MAX + 1];
	size_t n;
	/* given: there is a file. asked: OpenSSL asked for it, so the key is encrypted. */
	bool given, asked;
};

/* Reads the first line of a file, without its line end. path NULL: no passphrase. ERR_INPUT if
 * it is missing, readable by others, empty, too long, or has more lines. In
 * $CREDENTIALS_DIRECTORY mode 0440 suffices, which systemd sets. The caller wipes it, also after
 * an error. */
enum err passphrase_read(struct passphrase *p, const char *path) MUST_CHECK;
void passphrase_wipe(struct passphrase *p);

/* Callback for OpenSSL (pem_password_cb): copies the passphrase to text. -1 if there is none, or
 * no room. */
int passphrase_give(char *text, int size, int writing, void *passphrase);

/* Checks use of the passphrase after reading a key (read: success). ERR_INPUT if it is missing,
 * wrong or not needed; ERR_OK if it is not the cause of a failure. */
enum err passphrase_check(const struct passphrase *p, bool read, const char *key,
			  const char *path) MUST_CHECK;

#endif
