#include "crypto/seal.h"
#include "crypto/must.h"
#include "crypto/secret.h"

#include <assert.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <string.h>

enum { KEY_LEN = 32, NONCE_LEN = 12 };

static const char LABEL_SEAL[] = "coterie seal v1";

/* One message: sender, receiver, purpose, and its number among the messages from sender to
 * receiver. */
struct seal {
	const struct secagg *sa;
	size_t from, to;
	uint16_t purpose;
	uint64_t number;
};

static void add_names(const struct seal *s, struct buf *b)
{
	const struct secagg_setup *setup = secagg_setup_of(s->sa);
	const char *name[] = { setup->names[s->from], setup->names[s->to] };

	for (int i = 0; i < 2; i++) {
		buf_add_u32(b, (uint32_t)strlen(name[i]));
		buf_add(b, name[i], strlen(name[i]));
	}
}

static EVP_CIPHER_CTX *seal_begin(const struct seal *s, bool sealing)
{
	const struct secagg_setup *setup = secagg_setup_of(s->sa);
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t key[KEY_LEN], nonce[NONCE_LEN] = { 0 };
	uint64_t number = __builtin_bswap64(s->number);
	uint16_t purpose = __builtin_bswap16(s->purpose);
	struct buf info = { 0 }, data = { 0 };
	int n;

	buf_add(&info, LABEL_SEAL, sizeof(LABEL_SEAL) - 1);
	add_names(s, &info);
	secagg_pair_expand(s->sa, s->from == setup->own ? s->to : s->from,
			   (struct bytes){ info.p, info.n }, key);
	buf_add(&data, setup->job_id, sizeof(setup->job_id));
	buf_add_u32(&data, setup->attempt);
	buf_add(&data, &purpose, sizeof(purpose));
	add_names(s, &data);
	memcpy(nonce + NONCE_LEN - sizeof(number), &number, sizeof(number));
	must(c && EVP_CipherInit_ex(c, EVP_aes_256_gcm(), NULL, key, nonce, sealing) &&
		 EVP_CipherUpdate(c, NULL, &n, data.p, (int)data.n),
	     "AES-256-GCM");
	wipe(key, sizeof(key));
	buf_release(&info);
	buf_release(&data);
	return c;
}

void seal_make(struct secagg *sa, size_t to, uint16_t purpose, struct bytes text, struct buf *box)
{
	struct seal s = { sa, secagg_setup_of(sa)->own, to, purpose, 0 };
	EVP_CIPHER_CTX *c;
	uint8_t *out;
	int n;

	assert(text.n <= INT_MAX - SEAL_TAG_LEN && secagg_sealed(sa, to)->to < UINT64_MAX);
	s.number = secagg_sealed(sa, to)->to++; /* each number is used once */
	out = buf_extend(box, text.n + SEAL_TAG_LEN);
	c = seal_begin(&s, true);
	must(EVP_EncryptUpdate(c, out, &n, text.p, (int)text.n) && n == (int)text.n &&
		 EVP_EncryptFinal_ex(c, out + n, &n) && n == 0 &&
		 EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, SEAL_TAG_LEN, out + text.n),
	     "AES-256-GCM");
	EVP_CIPHER_CTX_free(c);
}

static bool open_box(const struct seal *s, struct bytes box, uint8_t *text)
{
	uint8_t tag[SEAL_TAG_LEN];
	size_t len = box.n - SEAL_TAG_LEN;
	EVP_CIPHER_CTX *c = seal_begin(s, false);
	bool right;
	int n;

	memcpy(tag, box.p + len, sizeof(tag));
	must(EVP_DecryptUpdate(c, text, &n, box.p, (int)len) && n == (int)len &&
		 EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, SEAL_TAG_LEN, tag),
	     "AES-256-GCM");
	right = EVP_DecryptFinal_ex(c, text + len, &n) > 0;
	EVP_CIPHER_CTX_free(c);
	return right;
}

enum err seal_open(struct secagg *sa, size_t from, uint16_t purpose, struct bytes box,
		   uint8_t *text)
{
	const struct secagg_setup *setup = secagg_setup_of(sa);
	struct secagg_sealed *count = secagg_sealed(sa, from);
	struct seal s = { sa, from, setup->own, purpose, count->from };

	if (box.n < SEAL_TAG_LEN || box.n > INT_MAX)
		return err_set(ERR_PEER,
			       "sealed message of %s: %zu bytes, expected at least the %d of a tag",
			       setup->names[from], box.n, SEAL_TAG_LEN);
	if (open_box(&s, box, text)) {
		count->from++;
		return ERR_OK;
	}
	wipe(text, box.n - SEAL_TAG_LEN);
	return err_set(
	    ERR_PEER,
	    "sealed message of %s: it does not open as number %ju to %s: it was changed, "
	    "repeated, left out before, or sealed for somebody or something else",
	    setup->names[from], (uintmax_t)count->from, setup->names[setup->own]);
}
