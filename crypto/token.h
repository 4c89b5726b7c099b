/* token.h -- a secret in a file of a daemon's directory. Each start draws a new one. Knowing the
 * token proves read access to the file. */
#ifndef CRYPTO_TOKEN_H
#define CRYPTO_TOKEN_H

#include "common/base/err.h"

enum { TOKEN_TEXT = 64 + 1 };

/* Draws a token and writes it to path with mode 0600. The caller wipes token. ERR_INTERNAL if there
 * is no entropy, otherwise as file_write(). */
enum err token_write(const char *path, char token[static TOKEN_TEXT]) MUST_CHECK;

#endif
