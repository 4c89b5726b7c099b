/* passphrase.h -- the passphrase of an encrypted private key, from a file: a daemon must not ask at a terminal. */
#ifndef COMMON_BASE_PASSPHRASE_H
#define COMMON_BASE_PASSPHRASE_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { PASSPHRASE_MAX = 1024 }; /* bytes of the file */

/* For OpenSSL, which asks if a key is encrypted: passphrase_give(), with one of these. */
struct passphrase {
	char text[PASSPHRASE_MAX + 1];
	size_t n;
	bool given, asked; /* there is a file; the key was encrypted */
};

/* The file's first line without its end. path NULL: there is none. ERR_INPUT: missing, readable by others,
 * empty, too long, more than a line. In $CREDENTIALS_DIRECTORY mode 0440 will do, which systemd makes it. Whoever
 * has it wipes it, also after an error. */
enum err passphrase_read(struct passphrase *p, const char *path) MUST_CHECK;
void passphrase_wipe(struct passphrase *p);

/* Callback for OpenSSL (pem_password_cb): copies the passphrase to text. -1: there is none, or no room. */
int passphrase_give(char *text, int size, int writing, void *passphrase);

/* A key was read with it, or not (read): ERR_INPUT with a sentence for key without passphrase, wrong passphrase,
 * passphrase without need. ERR_OK: it is not about the passphrase. */
enum err passphrase_check(const struct passphrase *p, bool read, const char *key, const char *path) MUST_CHECK;

#endif
