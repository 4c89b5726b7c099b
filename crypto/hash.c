#include "crypto/hash.h"
#include "crypto/must.h"

#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* struct sha256 is never defined: a pointer to it is a libcrypto context. Callers thus do not
 * include evp.h, and one allocation suffices. */
static EVP_MD_CTX *sha256_context(struct sha256 *h)
{
	return (EVP_MD_CTX *)h;
}

/* The algorithm is fetched once. A fetch takes longer than a short hash, and all threads contend
 * for its lock. */
static EVP_MD *md;

static void sha256_fetch(void)
{
	md = EVP_MD_fetch(NULL, "SHA256", NULL);
	must(md, "SHA-256");
}

struct sha256 *sha256_new(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	pthread_once(&once, sha256_fetch);
	must(c && EVP_DigestInit_ex2(c, md, NULL), "SHA-256");
	return (struct sha256 *)c;
}

void sha256_add(struct sha256 *h, const void *p, size_t n)
{
	must(EVP_DigestUpdate(sha256_context(h), p, n), "SHA-256");
}

void sha256_add_u32(struct sha256 *h, uint32_t v)
{
	uint32_t big = __builtin_bswap32(v);

	sha256_add(h, &big, sizeof(big));
}

void sha256_add_u64(struct sha256 *h, uint64_t v)
{
	uint64_t big = __builtin_bswap64(v);

	sha256_add(h, &big, sizeof(big));
}

void sha256_add_text(struct sha256 *h, const char *s)
{
	size_t n = strlen(s);

	must(n <= UINT32_MAX, "text to hash exceeds 4 GiB");
	sha256_add_u32(h, (uint32_t)n);
	sha256_add(h, s, n);
}

void sha256_end(struct sha256 *h, uint8_t out[static SHA256_LEN])
{
	must(EVP_DigestFinal_ex(sha256_context(h), out, NULL), "SHA-256");
	EVP_MD_CTX_free(sha256_context(h));
}

void sha256_of(const void *p, size_t n, uint8_t out[static SHA256_LEN])
{
	struct sha256 *h = sha256_new();

	sha256_add(h, p, n);
	sha256_end(h, out);
}

enum err sha256_of_file(const char *path, uint8_t out[static SHA256_LEN])
{
	FILE *f = fopen(path, "re");
	struct sha256 *h;
	uint8_t part[1 << 14];
	size_t n;
	bool failed;

	if (!f)
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	h = sha256_new();
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		sha256_add(h, part, n);
	failed = ferror(f);
	fclose(f);
	sha256_end(h, out);
	return failed ? err_set(ERR_INPUT, "%s: cannot be read to its end", path) : ERR_OK;
}

void sha256_check(const char *text, size_t n, char check[static SHA256_CHECK + 1])
{
	uint8_t hash[SHA256_LEN];

	sha256_of(text, n, hash);
	hex_write(hash, SHA256_CHECK / 2, check);
}
