#include "tests/unit/crypto/lab.h"
#include "crypto/hash.h"
#include "tests/unit/crypto/hex.h"

#include <openssl/bn.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IDS = 3 }; /* Ed25519, Ed25519, P-256 */

static char dir[64];
static struct identity *ids[IDS];

static int make(void **state)
{
	(void)state;
	lab_dir(dir);
	for (int i = 0; i < IDS; i++)
		ids[i] = lab_identity(dir, i);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	for (int i = 0; i < IDS; i++)
		identity_free(ids[i]);
	identity_free(NULL);
	lab_remove(dir);
	return 0;
}

static struct bytes text(const char *s)
{
	return (struct bytes){ (const uint8_t *)s, strlen(s) };
}

TEST(only_key_and_message_fit)
{
	for (int i = 0; i < IDS; i++) {
		struct bytes spki = identity_spki(ids[i]),
			     other = identity_spki(ids[(i + 1) % IDS]);
		uint8_t s[SIGNATURE_MAX];
		struct bytes signature = { s, 0 };

		assert_ok(sign_make(ids[i], text("so be it"), s, &signature.n));
		assert_ok(sign_check(spki, text("so be it"), signature));
		assert_err(sign_check(spki, text("so be It"), signature), ERR_PEER, "does not fit");
		assert_err(sign_check(spki, text("so be it "), signature), ERR_PEER,
			   "does not fit");
		assert_err(sign_check(spki, text(""), signature), ERR_PEER, "does not fit");
		assert_err(sign_check(other, text("so be it"), signature), ERR_PEER,
			   "does not fit");
		for (size_t at = 0; at < signature.n; at++) {
			s[at] ^= 1;
			assert_err(sign_check(spki, text("so be it"), signature), ERR_PEER,
				   "does not fit");
			s[at] ^= 1;
		}
		for (size_t n = 0; n < signature.n; n++)
			assert_err(sign_check(spki, text("so be it"), (struct bytes){ s, n }),
				   ERR_PEER, "does not fit");
	}
}

TEST(malformed_keys_are_refused)
{
	uint8_t s[SIGNATURE_MAX], longer[SPKI_MAX];
	struct bytes signature = { s, 0 };

	for (int i = 0; i < IDS; i++) {
		struct bytes spki = identity_spki(ids[i]);

		assert_ok(sign_make(ids[i], text("m"), s, &signature.n));
		for (size_t n = 0; n < spki.n; n++) {
			uint8_t *exact = malloc(n + !n);

			memcpy(exact, spki.p, n);
			assert_err(sign_check((struct bytes){ exact, n }, text("m"), signature),
				   ERR_PEER, "does not parse");
			free(exact);
		}
		memcpy(longer, spki.p, spki.n);
		longer[spki.n] = 0;
		assert_err(sign_check((struct bytes){ longer, spki.n + 1 }, text("m"), signature),
			   ERR_PEER, "does not parse");
	}
}

/* Refuses a P-384 key, made by openssl(1). */
TEST(other_kinds_are_refused)
{
	uint8_t spki[SPKI_MAX], s[64] = { 0 };
	size_t n = unhex("3076301006072a8648ce3d020106052b8104002203620004"
			 "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38"
			 "5502f25dbf55296c3a545e3872760ab73617de4a96262c6f5d9e98bf9292dc29"
			 "f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
			 spki);

	assert_err(sign_check((struct bytes){ spki, n }, text("m"), (struct bytes){ s, 64 }),
		   ERR_PEER, "does not parse as Ed25519 or ECDSA P-256");
}

/* Returns the SPKI of an Ed25519 key (RFC 8410). */
static struct bytes spki_of(const uint8_t key[static 32], uint8_t spki[static 64])
{
	size_t n = unhex("302a300506032b6570032100", spki);

	memcpy(spki + n, key, 32);
	return (struct bytes){ spki, n + 32 };
}

/* Verifies the signatures of RFC 8032, Section 7.1: tests 1, 2, 3 and SHA(abc). */
TEST(ed25519_known_answers)
{
	static const struct {
		const char *key, *message, *signature;
	} known[] = {
		{ "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
		  "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
		  "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b" },
		{ "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
		  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
		  "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00" },
		{ "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
		  "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
		  "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a" },
		{ "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
		  "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
		  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
		  "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
		  "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		uint8_t key[32], spki[64], message[64], s[64];
		struct bytes m = { message, unhex(known[i].message, message) };

		unhex(known[i].key, key);
		unhex(known[i].signature, s);
		assert_ok(sign_check(spki_of(key, spki), m, (struct bytes){ s, 64 }));
		s[40] ^= 1;
		assert_err(sign_check(spki_of(key, spki), m, (struct bytes){ s, 64 }), ERR_PEER,
			   "does not fit");
	}
}

static bool libcrypto_takes(const uint8_t key[static 32], struct bytes message,
			    const uint8_t signature[static 64])
{
	EVP_PKEY *pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, 32);
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool takes;

	assert_int_equal(EVP_DigestVerifyInit(c, NULL, NULL, NULL, pkey), 1);
	takes = EVP_DigestVerify(c, signature, 64, message.p, message.n) == 1;
	EVP_MD_CTX_free(c);
	EVP_PKEY_free(pkey);
	return takes;
}

/* Refuses keys of small order. A signature is R and S, the key is A, and h is a hash of R, A and
 * the message. With R = B, the base point, and S = 1, the equation S B = R + h A holds whenever h A
 * = 0, for at least one message in eight. libcrypto accepts such a signature, in every encoding of
 * the key. */
TEST(ed25519_of_small_order)
{
	static const char *const points[] = {
		"0100000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000080",
		/* y = p + 1, which is 1 modulo p */
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0000000000000000000000000000000000000000000000000000000000000080",
		/* y = p, which is 0 modulo p */
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	};

	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		uint8_t key[32], spki[64], s[64] = { 0 }, number = 0;
		struct bytes message = { &number, 1 };

		unhex(points[i], key);
		unhex("5866666666666666666666666666666666666666666666666666666666666666", s);
		s[32] = 1;
		while (!libcrypto_takes(key, message, s))
			assert_int_not_equal(++number, 0);
		assert_err(sign_check(spki_of(key, spki), message, (struct bytes){ s, 64 }),
			   ERR_PEER, "of small order, or its encoding is not canonical");
	}
}

/* Refuses keys with y >= p = 2^255 - 19, and y = p - 1, which has small order. y = p - 2 is
 * canonical, but not on the curve, so its signature fails. */
TEST(ed25519_not_canonical)
{
	uint8_t key[32], spki[64], s[64] = { 0 };

	for (unsigned low = 0xeb; low <= 0xff; low++)
		for (unsigned sign = 0; sign < 2; sign++) {
			memset(key, 0xff, sizeof(key));
			key[0] = (uint8_t)low;
			key[31] = sign ? 0xff : 0x7f;
			assert_err(
			    sign_check(spki_of(key, spki), text("m"), (struct bytes){ s, 64 }),
			    ERR_PEER, low == 0xeb ? "does not fit" : "is not canonical");
		}
}

/* Refuses R = the neutral element with S = h a, which the owner of the key with secret a can make.
 * libcrypto accepts that, too. */
TEST(ed25519_signature_of_small_order)
{
	uint8_t key[32], spki[64], h[64], s[64] = { 1 }, seed[32] = { 7 };
	EVP_PKEY *pkey = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof(seed));
	BIGNUM *order = NULL, *x = BN_new(), *a;
	BN_CTX *room = BN_CTX_new();
	size_t n = sizeof(key);
	struct buf hashed = { 0 };

	assert_int_equal(EVP_PKEY_get_raw_public_key(pkey, key, &n), 1);
	assert_int_equal(EVP_Digest(seed, sizeof(seed), h, NULL, EVP_sha512(), NULL), 1);
	h[0] &= 0xf8;
	h[31] = (uint8_t)((h[31] & 0x7f) | 0x40);
	a = BN_lebin2bn(h, 32, NULL);
	BN_hex2bn(&order, "1000000000000000000000000000000014DEF9DEA2F79CD65812631A5CF5D3ED");
	buf_add(&hashed, s, 32);
	buf_add(&hashed, key, sizeof(key));
	buf_add(&hashed, "m", 1);
	assert_int_equal(EVP_Digest(hashed.p, hashed.n, h, NULL, EVP_sha512(), NULL), 1);
	BN_lebin2bn(h, sizeof(h), x);
	assert_int_equal(BN_mod_mul(x, x, a, order, room), 1);
	assert_int_equal(BN_bn2lebinpad(x, s + 32, 32), 32);
	assert_true(libcrypto_takes(key, text("m"), s));
	assert_err(sign_check(spki_of(key, spki), text("m"), (struct bytes){ s, 64 }), ERR_PEER,
		   "does not fit");
	buf_release(&hashed);
	BN_free(a);
	BN_free(x);
	BN_free(order);
	BN_CTX_free(room);
	EVP_PKEY_free(pkey);
}

TEST(fingerprints)
{
	char t[FINGERPRINT_TEXT_LEN];
	uint8_t fp[FINGERPRINT_LEN], want[FINGERPRINT_LEN], back[FINGERPRINT_LEN] = { 0 };
	struct bytes spki = identity_spki(ids[0]);

	identity_fingerprint(ids[0], fp);
	sha256_of(spki.p, spki.n, want);
	assert_memory_equal(fp, want, sizeof(fp));
	fingerprint_text(fp, t);
	assert_int_equal(strlen(t), FINGERPRINT_TEXT_LEN - 1);
	assert_true(fingerprint_parse(t, back));
	assert_memory_equal(fp, back, sizeof(fp));
	t[70] = 'g';
	assert_false(fingerprint_parse(t, back));
	t[70] = 0;
	assert_false(fingerprint_parse(t, back));
	assert_false(fingerprint_parse("", back));
	assert_false(fingerprint_parse("sha512:", back));
	assert_memory_equal(fp, back, sizeof(fp));
	assert_string_equal(identity_name(ids[1]), "p1");
}

static void load(const char *crt, const char *key, const char *sentence)
{
	struct identity *id = (struct identity *)1;
	char a[128], b[128];

	snprintf(a, sizeof(a), "%s/%s", dir, crt);
	snprintf(b, sizeof(b), "%s/%s", dir, key);
	assert_err(identity_load(&id, a, b, NULL), ERR_INPUT, sentence);
	assert_null(id);
}

static void put(const char *name, const char *content)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
	assert_int_equal(chmod(path, 0600), 0);
}

static void put_key_of_other_kind(const char *name)
{
	EVP_PKEY *key = EVP_EC_gen("P-384");
	char path[128];
	FILE *f;

	put(name, "");
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_true(f && PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL));
	fclose(f);
	EVP_PKEY_free(key);
}

TEST(bad_files_are_refused)
{
	char path[128];

	load("none.crt", "p0.key", "none.crt: No such file");
	load("p0.crt", "none.key", "none.key: No such file");
	load("p0.crt", "p1.key", "do not belong together");
	load("p0.crt", "p2.key", "do not belong together");
	load("p0.csr", "p0.key", "no certificate");
	load("p0.crt", "p0.crt", "lets others at"); /* the mode of a key file is checked first */
	load("ca.crt", "ca.key", "alternative name");
	load(".", "p0.key", "directory");
	put("garbage.key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
	load("p0.crt", "garbage.key", "no private key");
	put_key_of_other_kind("p384.key");
	load("p0.crt", "p384.key", "neither Ed25519 nor");
	put("empty.crt", "");
	load("empty.crt", "p0.key", "no certificate");
	put("locked.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
			  "MIGjMF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBAAAAAAAAAAAAAAAAAA\n"
			  "AAAAAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQAAAAAAAAAAAAAAAA\n"
			  "AAAAAARAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
			  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==\n"
			  "-----END ENCRYPTED PRIVATE KEY-----\n");
	load("p0.crt", "locked.key", "encrypted");
	snprintf(path, sizeof(path), "%s/p0.key", dir);
	assert_int_equal(chmod(path, 0640), 0);
	load("p0.crt", "p0.key", "chmod 600");
	assert_int_equal(chmod(path, 0604), 0);
	load("p0.crt", "p0.key", "chmod 600");
	assert_int_equal(chmod(path, 0600), 0);
}

TESTS_BETWEEN(make, unmake)
