/* token.h -- a secret in a file of a daemon's directory, anew at each start: who may read that file can show it. */
#ifndef CRYPTO_TOKEN_H
#define CRYPTO_TOKEN_H

#include "common/base/err.h"

enum { TOKEN_TEXT = 64 + 1 };

/* Draws one and writes it, for this user alone. The caller wipes token. ERR_INPUT, ERR_INTERNAL. */
enum err token_write(const char *path, char token[static TOKEN_TEXT]) MUST_CHECK;

#endif
