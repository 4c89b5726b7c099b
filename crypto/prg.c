#include "crypto/prg.h"
#include "crypto/must.h"
#include "crypto/secret.h"

#include <assert.h>
#include <endian.h>
#include <openssl/evp.h>
#include <pthread.h>

/* struct prg is never defined: a pointer to it is a libcrypto context. */
static EVP_CIPHER_CTX *prg_context(struct prg *g)
{
	return (EVP_CIPHER_CTX *)g;
}

static const uint8_t zeros[PRG_BLOCK];

static EVP_CIPHER *cipher; /* fetched once, as in crypto/hash.c */

static void prg_fetch(void)
{
	cipher = EVP_CIPHER_fetch(NULL, "AES-128-CTR", NULL);
	must(cipher, "AES-128-CTR");
}

struct prg *prg_new(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();

	pthread_once(&once, prg_fetch);
	must(c && EVP_EncryptInit_ex2(c, cipher, NULL, NULL, NULL), "AES-128-CTR");
	return (struct prg *)c;
}

void prg_start(struct prg *g, const uint8_t key[static PRG_KEY_LEN])
{
	must(EVP_EncryptInit_ex2(prg_context(g), NULL, key, zeros, NULL), "AES-128-CTR");
}

void prg_start_at(struct prg *g, const uint8_t key[static PRG_KEY_LEN], uint64_t at)
{
	uint64_t counter[2] = { 0, htobe64(at / PRG_CIPHER_BLOCK) };
	uint8_t before[PRG_CIPHER_BLOCK];

	must(EVP_EncryptInit_ex2(prg_context(g), NULL, key, (const uint8_t *)counter, NULL),
	     "AES-128-CTR");
	if (at % PRG_CIPHER_BLOCK) {
		prg_next(g, before, at % PRG_CIPHER_BLOCK);
		wipe(before, sizeof(before));
	}
}

void prg_next(struct prg *g, void *out, size_t n)
{
	int made;

	assert(n <= PRG_BLOCK);
	must(EVP_EncryptUpdate(prg_context(g), out, &made, zeros, (int)n) && made == (int)n,
	     "AES-128-CTR");
}

void prg_stop(struct prg *g)
{
	prg_start(g, zeros); /* overwrites the key schedule */
}

void prg_free(struct prg *g)
{
	EVP_CIPHER_CTX_free(prg_context(g));
}
