#include "tests/unit/crypto/lab.h"
#include "crypto/hash.h"
#include "tests/unit/crypto/hex.h"

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

static void only_key_and_message_fit(void **state)
{
	(void)state;
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

static void malformed_keys_are_refused(void **state)
{
	uint8_t s[SIGNATURE_MAX], longer[SPKI_MAX];
	struct bytes signature = { s, 0 };

	(void)state;
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

/* A P-384 key, whose kind is not ours (made by openssl(1)). */
static void other_kinds_are_refused(void **state)
{
	uint8_t spki[SPKI_MAX], s[64] = { 0 };
	size_t n = unhex("3076301006072a8648ce3d020106052b8104002203620004"
			 "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38"
			 "5502f25dbf55296c3a545e3872760ab73617de4a96262c6f5d9e98bf9292dc29"
			 "f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
			 spki);

	(void)state;
	assert_err(sign_check((struct bytes){ spki, n }, text("m"), (struct bytes){ s, 64 }),
		   ERR_PEER, "does not parse as Ed25519 or ECDSA P-256");
}

/* RFC 8032, Section 7.1, test 2; the SPKI prefix is RFC 8410's. */
static void ed25519_known_answer(void **state)
{
	uint8_t spki[64], s[64], message = 0x72;
	size_t n = unhex("302a300506032b6570032100"
			 "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
			 spki);

	(void)state;
	unhex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
	      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
	      s);
	assert_ok(sign_check((struct bytes){ spki, n }, (struct bytes){ &message, 1 },
			     (struct bytes){ s, 64 }));
}

/* The key 1, the point 1 and the scalar 0: S B = R + h A for whatever message, and libcrypto takes
 * it. */
static void ed25519_of_small_order(void **state)
{
	uint8_t spki[64], s[64] = { 1 };
	size_t n = unhex("302a300506032b65700321000100000000000000"
			 "000000000000000000000000000000000000000000000000",
			 spki);
	EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, spki + n - 32, 32);
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	(void)state;
	assert_int_equal(EVP_DigestVerifyInit(c, NULL, NULL, NULL, key), 1);
	assert_int_equal(EVP_DigestVerify(c, s, sizeof(s), (const uint8_t *)"any", 3), 1);
	assert_err(
	    sign_check((struct bytes){ spki, n }, text("any"), (struct bytes){ s, sizeof(s) }),
	    ERR_PEER, "does not fit");
	EVP_MD_CTX_free(c);
	EVP_PKEY_free(key);
}

static void fingerprints(void **state)
{
	char t[FINGERPRINT_TEXT_LEN];
	uint8_t fp[FINGERPRINT_LEN], want[FINGERPRINT_LEN], back[FINGERPRINT_LEN] = { 0 };
	struct bytes spki = identity_spki(ids[0]);

	(void)state;
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

static void bad_files_are_refused(void **state)
{
	char path[128];

	(void)state;
	load("none.crt", "p0.key", "none.crt: No such file");
	load("p0.crt", "none.key", "none.key: No such file");
	load("p0.crt", "p1.key", "do not belong together");
	load("p0.crt", "p2.key", "do not belong together");
	load("p0.csr", "p0.key", "no certificate");
	load("p0.crt", "p0.crt", "lets others at"); /* a key file is looked at for its mode first */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_key_and_message_fit),
		cmocka_unit_test(malformed_keys_are_refused),
		cmocka_unit_test(other_kinds_are_refused),
		cmocka_unit_test(ed25519_known_answer),
		cmocka_unit_test(ed25519_of_small_order),
		cmocka_unit_test(fingerprints),
		cmocka_unit_test(bad_files_are_refused),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
