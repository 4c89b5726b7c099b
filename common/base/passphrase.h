/* passphrase.h -- passphrase of an encrypted private key, read from a file: a daemon must not
 * prompt. */
#ifndef COMMON_BASE_PASSPHRASE_H
#define COMMON_BASE_PASSPHRASE_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { PASSPHRASE_MAX = 1024 }; /* bytes of the file */

/* A passphrase for OpenSSL, which passes it to passphrase_give() if a key is encrypted. */
struct passphrase {
	char text[PASSPHRASE_MAX + 1];
	size_t n;
	/* given: a passphrase file is configured. asked: OpenSSL requested the passphrase, so the
	 * key is encrypted. */
	bool given, asked;
};

/* Reads the first line of a file, without its line end. path NULL: no passphrase. ERR_INPUT if the
 * file is missing, accessible to other users, empty, too long, or has more lines or a zero byte. In
 * $CREDENTIALS_DIRECTORY mode 0440 suffices, which systemd sets. The caller wipes *p, also after an
 * error. */
enum err passphrase_read(struct passphrase *p, const char *path) MUST_CHECK;
void passphrase_wipe(struct passphrase *p);

/* Callback for OpenSSL (pem_password_cb): copies the passphrase to text. Returns -1 if there is no
 * passphrase, or if it does not fit into size bytes. */
int passphrase_give(char *text, int size, int writing, void *passphrase);

/* Checks the use of the passphrase after OpenSSL has read a key (read: true if it could). ERR_INPUT
 * if the passphrase is missing, wrong or not needed. ERR_OK if reading failed for another
 * reason. */
enum err passphrase_check(const struct passphrase *p, bool read, const char *key,
			  const char *path) MUST_CHECK;

#endif
