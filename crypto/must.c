#include "crypto/must.h"
#include "common/base/alloc.h"
#include "common/base/err.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>

/* OpenSSL's own allocator reports some failed allocations as damaged certificates, and crashes
 * after others. So these functions replace it. */
static void *get(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return n ? alloc_bytes(n) : NULL;
}

static void *get_again(void *p, size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	if (n)
		return alloc_bytes_again(p, n);
	free(p);
	return NULL;
}

static void give_back(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

__attribute__((constructor)) static void must_set_allocator(void)
{
	CRYPTO_set_mem_functions(get, get_again, give_back);
}

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
