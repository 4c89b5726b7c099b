#include "crypto/psk.h"
#include "common/base/file.h"
#include "crypto/hmac.h"
#include "crypto/must.h"
#include "crypto/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

/* Labels, used with their terminators (docs/secure-sum.md). */
static const char LABEL_MARKER[] = "coterie psk marker v1";
static const char LABEL_SALT[] = "coterie psk salt v1";

_Static_assert((int)SHA256_LEN == (int)HMAC_LEN, "a salt is as long as h");

/* True if all bytes are printable or white space. For PSK_MIN or more random bytes that is
 * practically impossible. */
static bool is_text(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((p[i] < 0x20 || p[i] > 0x7e) && !(p[i] >= '\t' && p[i] <= '\r'))
			return false;
	return true;
}

static bool made_of(const uint8_t *p, size_t n, const char *letters)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(letters, p[i]))
			return false;
	return true;
}

static uint8_t digit(uint8_t c)
{
	return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

static void read_base64(uint8_t *p, size_t n)
{
	uint8_t bytes[PSK_FILE_MAX];
	int made = EVP_DecodeBlock(bytes, p, (int)n);

	must(made >= 0, "EVP_DecodeBlock"); /* cannot fail: the caller has checked the letters */
	memcpy(p, bytes, (size_t)made);
	wipe(bytes, sizeof(bytes));
}

/* Decodes hexadecimal or base64 in place; *n becomes the number of bytes. False if it is
 * neither. */
static bool psk_read_text(uint8_t *p, size_t *n)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789+/";
	size_t fill = 0;

	if (*n % 2 == 0 && made_of(p, *n, "0123456789abcdefABCDEF")) {
		*n /= 2;
		for (size_t i = 0; i < *n; i++)
			p[i] = (uint8_t)(digit(p[2 * i]) << 4 | digit(p[2 * i + 1]));
		return true;
	}
	while (fill < 2 && fill < *n && p[*n - fill - 1] == '=')
		fill++;
	if (*n % 4 || !made_of(p, *n - fill, letters))
		return false;
	read_base64(p, *n);
	*n = *n / 4 * 3 - fill;
	return true;
}

/* Reads the key from the file's bytes. Decodes text in place, which overwrites the bytes. */
static enum err psk_take_key(struct psk *p, struct buf *bytes, const char *path)
{
	size_t n = bytes->n;

	while (n && (bytes->p[n - 1] == '\n' || bytes->p[n - 1] == '\r'))
		n--;
	if (!is_text(bytes->p, n))
		n = bytes->n; /* the file is binary, so trailing line-end bytes belong to the key */
	else if (!psk_read_text(bytes->p, &n))
		return err_set(ERR_INPUT,
			       "%s: is text that is neither hexadecimal nor base64, expected %d to "
			       "%d random bytes, as openssl rand -hex %d makes them",
			       path, PSK_MIN, PSK_MAX, PSK_MIN);
	if (n < PSK_MIN || n > PSK_MAX)
		return err_set(ERR_INPUT,
			       "%s: a key of %zu bytes, expected %d to %d random ones, as openssl "
			       "rand -hex %d makes them",
			       path, n, PSK_MIN, PSK_MAX, PSK_MIN);
	memcpy(p->key, bytes->p, n);
	p->n = n;
	return ERR_OK;
}

enum err psk_read(struct psk *p, const char *path)
{
	struct buf bytes = { 0 };
	enum err e;

	*p = (struct psk){ 0 };
	e = file_read(path, PSK_FILE_MAX, &bytes);
	if (e == ERR_OK)
		e = file_check_secret(path, "the pre-shared key");
	if (e == ERR_OK)
		e = psk_take_key(p, &bytes, path);
	if (bytes.n)
		wipe(bytes.p, bytes.n);
	buf_release(&bytes);
	return e;
}

static void mac(const struct psk *p, const char *label, size_t label_len, struct bytes message,
		uint8_t out[static HMAC_LEN])
{
	struct hmac *h = hmac_new((struct bytes){ p->key, p->n });

	hmac_add(h, label, label_len);
	hmac_add(h, message.p, message.n);
	hmac_end(h, out);
	hmac_free(h);
}

void psk_marker(const struct psk *p, struct bytes message, uint8_t marker[static PSK_MARKER_LEN])
{
	uint8_t out[HMAC_LEN];

	mac(p, LABEL_MARKER, sizeof(LABEL_MARKER), message, out);
	memcpy(marker, out, PSK_MARKER_LEN);
}

bool psk_marker_is(const uint8_t a[static PSK_MARKER_LEN], const uint8_t b[static PSK_MARKER_LEN])
{
	return CRYPTO_memcmp(a, b, PSK_MARKER_LEN) == 0;
}

void psk_salt(const struct psk *p, const uint8_t h[static SHA256_LEN],
	      uint8_t salt[static SHA256_LEN])
{
	mac(p, LABEL_SALT, sizeof(LABEL_SALT), (struct bytes){ h, SHA256_LEN }, salt);
}
