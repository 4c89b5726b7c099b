#include "crypto/must.h"
#include "common/base/err.h"

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>

const char *must_reason(void)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());

	ERR_clear_error();
	return reason ? reason : "no reason given";
}

void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "libcrypto: %s: %s\n", what, must_reason());
	_Exit(ERR_INTERNAL);
}
