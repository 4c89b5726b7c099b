/* Constant time in the manner of ctgrind: secrets are marked as uninitialised memory, and valgrind
 * then reports every branch and every address that depends on them.
 *
 * Outside valgrind the test runs itself again under it; where valgrind or its header is missing, or
 * under a sanitizer, it is skipped. */
#include "tests/test.h"
#include "crypto/dh.h"
#include "crypto/kdf.h"
#include "crypto/secagg.h"
#include "crypto/mask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__has_include) && __has_include(<valgrind/memcheck.h>) &&                              \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if !defined(__has_feature)
#define HAVE_MEMCHECK 1
#elif !__has_feature(address_sanitizer)
#define HAVE_MEMCHECK 1
#endif
#endif

#ifdef HAVE_MEMCHECK
#include <valgrind/memcheck.h>

static volatile int sink;

/* The instrument itself must see a branch on a secret, or the rest proves nothing. */
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

static void diffie_hellman(void **state)
{
	uint8_t secret[DH_SECRET_LEN], other[DH_SECRET_LEN], public_key[DH_BYTES_MAX],
	    out[DH_BYTES_MAX];

	(void)state;
	for (unsigned bits = 2048; bits <= 4096; bits += 1024) {
		const struct dh_group *g = dh_group(bits);
		unsigned before = VALGRIND_COUNT_ERRORS;

		assert_ok(dh_secret(secret));
		assert_ok(dh_secret(other));
		dh_public(g, other, public_key);
		VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof(secret));
		dh_public(g, secret, out);
		dh_shared(g, secret, public_key, out);
		assert_int_equal(VALGRIND_COUNT_ERRORS, before);
		assert_int_not_equal(VALGRIND_CHECK_MEM_IS_DEFINED(out, dh_len(g)),
				     0); /* it is secret */
	}
}

static void keys_and_masks(void **state)
{
	uint8_t shared[256] = { 1 }, prk[KDF_KEY_LEN], key[PRG_KEY_LEN];
	static uint64_t x[5000];

	(void)state;
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct mask *m = mask_new(bits, NULL);
		unsigned before = VALGRIND_COUNT_ERRORS;

		mask_begin(m);
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
		mask_free(m);
	}
}

/* Its own program again, under valgrind; what it prints is shown only if it fails, and indented, as
 * it looks like a test's own report. */
static void under_valgrind(void **state)
{
	char self[256] = { 0 }, command[512], line[512], report[32 << 10] = "";
	size_t n = 0;
	FILE *f;
	int status;

	(void)state;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 1 || strchr(self, '\'') ||
	    system("valgrind --version >/dev/null 2>&1"))
		skip();
	snprintf(command, sizeof(command), "valgrind -q --error-limit=no '%s' 2>&1", self);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (n + strlen(line) + 3 < sizeof(report))
			n += (size_t)sprintf(report + n, "  %s", line);
	status = pclose(f);
	if (strstr(report,
		   "debuginfo reader")) /* it cannot read this compiler's: it did not start */
		skip();
	if (status)
		fail_msg("under valgrind (status %d):\n%s", status, report);
}

int main(void)
{
	const struct CMUnitTest inside[] = {
		cmocka_unit_test(a_branch_is_seen),
		cmocka_unit_test(diffie_hellman),
		cmocka_unit_test(keys_and_masks),
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(no_memcheck) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
