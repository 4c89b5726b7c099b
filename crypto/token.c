#include "crypto/token.h"
#include "common/base/buf.h"
#include "common/base/file.h"
#include "crypto/secret.h"

enum err token_write(const char *path, char token[static TOKEN_TEXT])
{
	uint8_t secret[TOKEN_TEXT / 2];
	enum err e;

	TRY(random_secret(secret, sizeof(secret)));
	hex_write(secret, sizeof(secret), token);
	wipe(secret, sizeof(secret));
	token[TOKEN_TEXT - 1] = '\n';
	e = file_write(path, (struct bytes){ (uint8_t *)token, TOKEN_TEXT }, FILE_SECRET);
	token[TOKEN_TEXT - 1] = '\0';
	return e;
}
