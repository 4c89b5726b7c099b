/* Checks constant time in the manner of ctgrind: the test marks secrets as uninitialised memory,
 * and valgrind then reports every branch and every address that depends on them.
 *
 * The check covers our own code, GMP's powers, and libcrypto as far as possible: valgrind emulates
 * a processor with AES instructions but without those for SHA. So libcrypto runs its usual code for
 * AES, but not for SHA-256. The check does not cover signatures and TLS.
 *
 * Outside valgrind the test runs itself again under valgrind. Without valgrind or its header, or
 * under a sanitizer, the test is skipped. */
#include "tests/test.h"
#include "crypto/dh.h"
#include "crypto/fixed.h"
#include "crypto/hmac.h"
#include "crypto/mask.h"
#include "crypto/paillier.h"
#include "crypto/pki.h"
#include "crypto/secret.h"
#include "crypto/seal.h"
#include "crypto/tag.h"

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__has_include) && __has_include(<valgrind/memcheck.h>) && !SANITIZED
#define HAVE_MEMCHECK 1
#endif

#ifdef HAVE_MEMCHECK
#include <valgrind/memcheck.h>

/* A published value is no longer secret. This file compiles its own copy of crypto/secagg.c, to
 * mark the public key S_i as public between its computation and its signature. */
static struct dh_key *dh_key_of(const struct dh_group *g, uint8_t secret[static DH_SECRET_LEN])
{
	VALGRIND_MAKE_MEM_UNDEFINED(secret, DH_SECRET_LEN);
	return dh_key_new(g, secret);
}

static void dh_publish(const struct dh_key *key, uint8_t out[static DH_BYTES_MAX])
{
	dh_public(key, out);
	VALGRIND_MAKE_MEM_DEFINED(out, DH_BYTES_MAX);
}
#define dh_key_new dh_key_of
#define dh_public  dh_publish
#include "crypto/secagg.c"
#undef dh_key_new
#undef dh_public

/* Marks the random numbers of crypto/paillier.c as secret, too. */
static enum err draw_hidden(void *p, size_t n)
{
	enum err err = random_secret(p, n);

	VALGRIND_MAKE_MEM_UNDEFINED(p, n);
	return err;
}
#define random_secret draw_hidden
#include "crypto/paillier.c"
#undef random_secret

/* Deliberate branches on secrets. Each is allowed because the result becomes public. */
static const char known[] =
    "{\n"
    "   a value is outside the bound or not: if it is, the job ends and says so\n"
    "   Memcheck:Cond\n"
    "   fun:fixed_encode\n"
    "}\n"
    "{\n"
    "   a tag is right or not: if it is not, the job ends and says so\n"
    "   Memcheck:Cond\n"
    "   obj:*libcrypto*\n"
    "   ...\n"
    "   fun:open_box\n"
    "   fun:seal_open\n"
    "}\n";

static volatile int sink;

/* Checks the method itself: valgrind must report a branch on a secret, or the other tests prove
 * nothing. */
static void a_branch_is_seen(void **state)
{
	uint8_t secret = (uint8_t)getpid();
	unsigned before = VALGRIND_COUNT_ERRORS;

	(void)state;
	VALGRIND_MAKE_MEM_UNDEFINED(&secret, 1);
	if (secret == 17)
		sink++;
	assert_int_not_equal(VALGRIND_COUNT_ERRORS, before);
}

static void an_address_is_seen(void **state)
{
	static const uint8_t table[256] = { 1 };
	uint8_t secret = (uint8_t)getpid();
	unsigned before = VALGRIND_COUNT_ERRORS;

	(void)state;
	VALGRIND_MAKE_MEM_UNDEFINED(&secret, 1);
	sink += *(const volatile uint8_t *)&table[secret];
	assert_int_not_equal(VALGRIND_COUNT_ERRORS, before);
}

/* GMP's mpz_powm_sec is not constant-time, because its numbers know their length. Therefore
 * crypto/dh.c does not use it. */
static void mpz_powm_sec_is_not(void **state)
{
	uint8_t secret[DH_SECRET_LEN], out[DH_BYTES_MAX];
	mpz_t base, exponent, prime, result;
	unsigned before;
	size_t n;

	(void)state;
	assert_ok(dh_secret(secret));
	mpz_inits(base, exponent, result, NULL);
	mpz_init_set_str(prime, dh_prime(dh_group(2048)), 16);
	mpz_set_ui(base, 2);
	before = VALGRIND_COUNT_ERRORS;
	VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof(secret));
	mpz_import(exponent, sizeof(secret), 1, 1, 1, 0, secret);
	mpz_powm_sec(result, base, exponent, prime);
	mpz_export(out, &n, 1, 1, 1, 0, result);
	assert_int_not_equal(VALGRIND_COUNT_ERRORS, before);
	mpz_clears(base, exponent, prime, result, NULL);
}

static void diffie_hellman(void **state)
{
	uint8_t secret[DH_SECRET_LEN], other[DH_SECRET_LEN], public_key[DH_BYTES_MAX],
	    out[DH_BYTES_MAX];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct dh_group *g = dh_group((const unsigned[]){ 2048, 3072, 4096, 255 }[i]);
		unsigned before = VALGRIND_COUNT_ERRORS;
		struct dh_key *key;

		assert_ok(dh_secret(secret));
		assert_ok(dh_secret(other));
		key = dh_key_new(g, other);
		dh_public(key, public_key);
		dh_key_free(key);
		VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof(secret));
		key = dh_key_new(g, secret);
		dh_public(key, out);
		assert_int_equal(VALGRIND_COUNT_ERRORS, before);
		dh_shared(key, public_key, out);
		dh_key_free(key);
		/* libcrypto branches on whether the X25519 shared secret is zero; dh_check() has
		 * made that public before. */
		assert_int_equal(VALGRIND_COUNT_ERRORS, before + (i == 3));
		assert_int_not_equal(VALGRIND_CHECK_MEM_IS_DEFINED(out, dh_len(g)),
				     0); /* the result is secret */
	}
}

/* Keys, plaintexts and factors are secret. Ciphertexts, and whether one decrypts, are public. */
static void paillier(void **state)
{
	int64_t x[2][PAILLIER_SLOTS] = { { 5, -7, 11 } }, w[2] = { -3, 4 };
	uint8_t c[2][PAILLIER_LEN], out[PAILLIER_LEN];
	struct paillier_vector *v;
	struct paillier_pair *two;
	const char *why;
	unsigned before;

	(void)state;
	assert_ok(paillier_pair_new(&two));
	before = VALGRIND_COUNT_ERRORS;
	VALGRIND_MAKE_MEM_UNDEFINED(two->order, sizeof(two->order));
	VALGRIND_MAKE_MEM_UNDEFINED(two->inverse, sizeof(two->inverse));
	VALGRIND_MAKE_MEM_UNDEFINED(x, sizeof(x));
	VALGRIND_MAKE_MEM_UNDEFINED(w, sizeof(w));
	for (size_t i = 0; i < 2; i++) {
		assert_ok(paillier_encrypt(two, x[i], PAILLIER_SLOTS, c[i]));
		VALGRIND_MAKE_MEM_DEFINED(c[i], PAILLIER_LEN);
	}
	v = paillier_vector_new(&two->key, c[0], 2, &why);
	assert_non_null(v);
	assert_ok(paillier_combine(v, w, out));
	VALGRIND_MAKE_MEM_DEFINED(out, PAILLIER_LEN);
	why = paillier_decrypt(two, out, x[0], PAILLIER_SLOTS);
	assert_int_equal(VALGRIND_COUNT_ERRORS, before);
	VALGRIND_MAKE_MEM_DEFINED(&why, sizeof(why));
	assert_null(why);
	assert_int_not_equal(VALGRIND_CHECK_MEM_IS_DEFINED(x[0], sizeof(x[0])), 0);
	paillier_vector_free(v);
	paillier_pair_free(two);
}

static void keys_and_masks(void **state)
{
	uint8_t shared[256] = { 1 }, prk[KDF_KEY_LEN], key[PRG_KEY_LEN];
	static uint64_t x[5000];

	(void)state;
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct mask *list = NULL, *m = mask_take(&list, bits);
		unsigned before = VALGRIND_COUNT_ERRORS;

		for (int peer = 0; peer < 2; peer++) {
			VALGRIND_MAKE_MEM_UNDEFINED(shared, sizeof(shared));
			VALGRIND_MAKE_MEM_UNDEFINED(x, sizeof(x));
			kdf_extract((struct bytes){ (const uint8_t *)"salt", 4 },
				    (struct bytes){ shared, sizeof(shared) }, prk);
			kdf_expand(prk, (struct bytes){ (const uint8_t *)"info", 4 }, key,
				   sizeof(key));
			mask_peer(m, key, peer ? MASK_PLUS : MASK_MINUS);
		}
		mask_add(m, x, 4999);
		mask_add(m, x, 1);
		mask_close(m);
		assert_int_equal(VALGRIND_COUNT_ERRORS, before);
		mask_free(list);
	}
}

/* Key, words, tag and masks are secret. A broadcast sum, its tag, and the result of their check are
 * public. */
static void tags(void **state)
{
	static uint64_t x[700];
	static const size_t all[] = { 0, 1 };
	uint8_t key[TAG_KEY_LEN] = { 1 }, session[TAG_SESSION_LEN] = { 2 }, tag[TAG_LEN],
		pair[PRG_KEY_LEN] = { 3 };
	struct mask *list = NULL, *m = mask_take(&list, 64);
	unsigned before = VALGRIND_COUNT_ERRORS;
	struct tag *t;

	(void)state;
	VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof(key));
	VALGRIND_MAKE_MEM_UNDEFINED(pair, sizeof(pair));
	VALGRIND_MAKE_MEM_UNDEFINED(x, sizeof(x));
	t = tag_new(key, session, 0, 0, 700);
	tag_add(t, x, 255);
	tag_add(t, x + 255, 445);
	tag_make(t, 1, tag);
	mask_peer(m, pair, MASK_PLUS);
	mask_peer(m, pair, MASK_MINUS);
	mask_tag(m, tag);
	mask_close(m);
	tag_add(t, x, 700);
	sink = tag_holds(t, all, 2, tag);
	assert_int_equal(VALGRIND_COUNT_ERRORS, before);
	assert_int_not_equal(VALGRIND_CHECK_MEM_IS_DEFINED(tag, sizeof(tag)), 0);
	tag_free(t);
	mask_free(list);
}

/* Values are secret. Whether all are within the bound is public. */
static void fixed_point(void **state)
{
	static double x[5000];
	static uint64_t words[5000];

	(void)state;
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct fixed f = { .modulus_bits = bits, .fraction_bits = bits / 2, .parties = 3 };
		unsigned before = VALGRIND_COUNT_ERRORS;

		for (size_t i = 0; i < 5000; i++)
			x[i] = (double)i / 7 - 300;
		VALGRIND_MAKE_MEM_UNDEFINED(x, sizeof(x));
		assert_ok(fixed_encode(&f, x, 5000, words, NULL));
		assert_int_equal(VALGRIND_COUNT_ERRORS, before);
		assert_int_not_equal(VALGRIND_CHECK_MEM_IS_DEFINED(words, 5000 * bits / 8), 0);
	}
}

static void hmac(void **state)
{
	uint8_t key[32] = { 1 }, text[1000] = { 2 }, out[HMAC_LEN];
	unsigned before = VALGRIND_COUNT_ERRORS;
	struct hmac *h;

	(void)state;
	VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof(key));
	VALGRIND_MAKE_MEM_UNDEFINED(text, sizeof(text));
	h = hmac_new((struct bytes){ key, sizeof(key) });
	for (int i = 0; i < 2; i++) {
		hmac_add(h, text, sizeof(text));
		hmac_end(h, out);
	}
	hmac_free(h);
	assert_int_equal(VALGRIND_COUNT_ERRORS, before);
	assert_int_not_equal(VALGRIND_CHECK_MEM_IS_DEFINED(out, sizeof(out)), 0);
}

/* ---- two parties, from their exponents to their messages ---- */

static struct secagg *pair[2];

static void load(struct identity **id, const char *dir, size_t i)
{
	char certificate[64], key[64];

	snprintf(certificate, sizeof(certificate), "%s/party-%02zu.crt", dir, i);
	snprintf(key, sizeof(key), "%s/party-%02zu.key", dir, i);
	assert_ok(identity_load(id, certificate, key, NULL));
}

static void two_parties(void **state)
{
	static const char *const names[] = { "party-00", "party-01" };
	char dir[] = "/tmp/coterie-ct-XXXXXX", command[64];
	uint8_t pins[2][SECAGG_HASH_LEN];
	struct identity *id[2];
	struct secagg_advert advert[2];
	unsigned before;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_ok(pki_lab(dir, 2));
	before = VALGRIND_COUNT_ERRORS;
	for (size_t i = 0; i < 2; i++) {
		struct secagg_setup setup = { .attempt = 1,
					      .group_bits = 2048,
					      .modulus_bits = 64,
					      .parties = 2,
					      .names = names,
					      .own = i };

		load(&id[i], dir, i);
		identity_fingerprint(id[i], pins[i]);
		assert_ok(secagg_new(&pair[i], &setup, id[i]));
		secagg_own_advert(pair[i], &advert[i]);
	}
	for (size_t i = 0; i < 2; i++) {
		assert_ok(secagg_agree(pair[i], advert, pins));
		assert_int_not_equal(
		    VALGRIND_CHECK_MEM_IS_DEFINED(&pair[i]->pair[1 - i], sizeof(struct kdf_key)),
		    0);
		identity_free(id[i]);
	}
	/* VALGRIND_CHECK_MEM_IS_DEFINED counts undefined memory as an error, so the two checks
	 * above add two errors. */
	assert_int_equal(VALGRIND_COUNT_ERRORS, before + 2);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

static void sums_of_two(void **state)
{
	static const size_t members[] = { 0, 1 };
	static const uint8_t transcript[SECAGG_HASH_LEN];
	static uint64_t x[2][3000];
	unsigned before = VALGRIND_COUNT_ERRORS;

	(void)state;
	VALGRIND_MAKE_MEM_UNDEFINED(x, sizeof(x));
	for (size_t i = 0; i < 2; i++) {
		struct mask *m;
		uint64_t round;

		assert_ok(secagg_open(pair[i], members, 2, transcript, &m, &round));
		mask_add(m, x[i], 3000);
		mask_close(m);
		secagg_history(pair[i], members, 2, transcript);
	}
	assert_int_equal(VALGRIND_COUNT_ERRORS, before);
}

static void sealed(void **state)
{
	uint8_t text[100] = { 7 }, opened[100];
	struct buf box = { 0 };
	unsigned before = VALGRIND_COUNT_ERRORS;

	(void)state;
	VALGRIND_MAKE_MEM_UNDEFINED(text, sizeof(text));
	seal_make(pair[0], 1, 2, (struct bytes){ text, sizeof(text) }, &box);
	VALGRIND_MAKE_MEM_DEFINED(box.p, box.n); /* the box is public */
	assert_ok(seal_open(pair[1], 0, 2, (struct bytes){ box.p, box.n }, opened));
	assert_int_equal(VALGRIND_COUNT_ERRORS, before);
	box.p[3] ^= 1;
	assert_err(seal_open(pair[1], 0, 2, (struct bytes){ box.p, box.n }, opened), ERR_PEER,
		   "does not open");
	assert_int_equal(VALGRIND_COUNT_ERRORS, before);
	assert_int_not_equal(
	    VALGRIND_CHECK_MEM_IS_DEFINED(&pair[0]->pair[1], sizeof(struct kdf_key)), 0);
	secagg_free(pair[0]);
	secagg_free(pair[1]);
	buf_release(&box);
}

/* Runs this program again under valgrind. Prints the output only on failure, indented, because it
 * looks like a test report. */
static void under_valgrind(void **state)
{
	char self[256] = { 0 }, command[512], line[512], report[32 << 10] = "";
	char path[] = "/tmp/coterie-ct-XXXXXX";
	size_t n = 0;
	FILE *f;
	int status, fd;

	(void)state;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 1 || strchr(self, '\'') ||
	    system("valgrind --version >/dev/null 2>&1"))
		skip();
	fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, known, sizeof(known) - 1) == sizeof(known) - 1);
	snprintf(command, sizeof(command),
		 "valgrind -q --error-limit=no --suppressions='%s' '%s' 2>&1", path, self);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (n + strlen(line) + 3 < sizeof(report))
			n += (size_t)sprintf(report + n, "  %s", line);
	status = pclose(f);
	close(fd);
	unlink(path);
	/* valgrind cannot read this compiler's debug information, so it did not start */
	if (strstr(report, "debuginfo reader"))
		skip();
	if (status)
		printf("%s", report); /* cmocka would shorten the report */
	assert_int_equal(status, 0);
}

int tests_run(void)
{
	const struct CMUnitTest inside[] = {
		cmocka_unit_test(a_branch_is_seen),
		cmocka_unit_test(an_address_is_seen),
		cmocka_unit_test(mpz_powm_sec_is_not),
		cmocka_unit_test(diffie_hellman),
		cmocka_unit_test(paillier),
		cmocka_unit_test(keys_and_masks),
		cmocka_unit_test(tags),
		cmocka_unit_test(fixed_point),
		cmocka_unit_test(hmac),
		cmocka_unit_test(two_parties),
		cmocka_unit_test(sums_of_two),
		cmocka_unit_test(sealed),
	};
	const struct CMUnitTest outside[] = { cmocka_unit_test(under_valgrind) };

	if (RUNNING_ON_VALGRIND)
		return cmocka_run_group_tests(inside, NULL, NULL);
	return cmocka_run_group_tests(outside, NULL, NULL);
}

#else

static void no_memcheck(void **state)
{
	(void)state;
	skip();
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(no_memcheck) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
