#include "crypto/numbering.h"
#include "common/base/file.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/secret.h"

#include <endian.h>
#include <openssl/crypto.h>
#include <string.h>

enum err numbering_read(struct numbering *n, const char *path)
{
	struct buf bytes = { 0 };
	enum err e;

	*n = (struct numbering){ 0 };
	if (!path)
		return ERR_OK;
	e = file_read(path, NUMBERING_FILE_MAX, &bytes);
	if (e == ERR_OK && bytes.n < NUMBERING_FILE_MIN)
		e = err_set(ERR_INPUT, "%s: %zu bytes, expected at least %d that nobody can guess",
			    path, bytes.n, NUMBERING_FILE_MIN);
	if (e == ERR_OK)
		e = file_check_secret(path, "the numbering key");
	if (e == ERR_OK) {
		sha256_of(bytes.p, bytes.n, n->key);
		n->kept = true;
	}
	if (bytes.n)
		wipe(bytes.p, bytes.n);
	buf_release(&bytes);
	return e;
}

enum err numbering_key(const struct numbering *n, const char *purpose, uint64_t seed,
		       uint8_t key[static NUMBERING_KEY_LEN])
{
	uint64_t be = htobe64(seed);
	struct hmac *h;

	if (!n || !n->kept)
		return random_secret(key, NUMBERING_KEY_LEN);
	h = hmac_new((struct bytes){ n->key, NUMBERING_KEY_LEN });
	hmac_add(h, &be, sizeof(be));
	hmac_add(h, purpose, strlen(purpose));
	hmac_end(h, key);
	hmac_free(h);
	return ERR_OK;
}

enum err numbering_is(const struct numbering *n, const char *purpose, uint64_t seed,
		      const uint8_t key[static NUMBERING_KEY_LEN], bool *same)
{
	uint8_t own[NUMBERING_KEY_LEN];

	TRY(numbering_key(n, purpose, seed, own));
	*same = CRYPTO_memcmp(own, key, NUMBERING_KEY_LEN) == 0;
	wipe(own, sizeof(own));
	return ERR_OK;
}
