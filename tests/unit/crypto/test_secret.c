/* Memory for keys is locked, left out of core dumps, and wiped when it is freed. */
#include "tests/test.h"
#include "common/base/log.h"
#include "crypto/cert.h"
#include "crypto/mask.h"
#include "crypto/secret.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads two flags of p's mapping from /proc/self/smaps: *locked is `lo` (locked in memory),
 * *undumped is `dd` (left out of core dumps). */
static void look(const void *p, bool *locked, bool *undumped)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	bool in = false;
	char line[512];

	assert_non_null(f);
	*locked = *undumped = false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			in = (uintptr_t)p >= from && (uintptr_t)p < to;
		else if (in && !strncmp(line, "VmFlags:", 8)) {
			*locked = strstr(line, " lo") != NULL;
			*undumped = strstr(line, " dd") != NULL;
		}
	}
	fclose(f);
}

static int in_child(int (*f)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(f());
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static int locks(void)
{
	uint8_t *key, *other = malloc(4096);
	bool locked, undumped;

	if (!secret_begin())
		return 77;
	key = secret_new(32);
	memset(key, 0xaa, 32);
	look(key, &locked, &undumped);
	if (!locked || !undumped)
		return 1;
	look(other, &locked, &undumped);
	if (locked || undumped)
		return 2; /* memory outside the area must have neither flag */
	secret_free(key, 32);
	for (int i = 0; i < 32; i++)
		if (key[i] == 0xaa) /* readable, because the area stays mapped */
			return 3;
	free(other);
	return 0;
}

TEST(keys_are_locked_and_wiped)
{
	int status = in_child(locks);

	if (emulated() || (WIFEXITED(status) && WEXITSTATUS(status) == 77))
		skip();
	assert_int_equal(status, 0);
}

/* libcrypto allocates private keys in the locked area by itself, once the area exists. */
static int holds_identities(void)
{
	secret_begin();
	for (int type = PKI_ED25519; type <= PKI_P256; type++) {
		size_t before = CRYPTO_secure_used();
		EVP_PKEY *key;

		if (cert_make_key(&key, type) != ERR_OK || CRYPTO_secure_used() <= before)
			return 1 + type;
		EVP_PKEY_free(key);
	}
	return 0;
}

/* A mask must be secret: with it anybody can unmask the term. */
static int holds_masks(void)
{
	struct mask *list = NULL;
	size_t before;

	secret_begin();
	before = CRYPTO_secure_used();
	mask_take(&list, 64);
	if (CRYPTO_secure_used() < before + PRG_BLOCK)
		return 1;
	mask_free(list);
	return CRYPTO_secure_used() != before;
}

TEST(masks_lie_there_too)
{
	assert_int_equal(in_child(holds_masks), 0);
}

TEST(private_keys_lie_there_too)
{
	assert_int_equal(in_child(holds_identities), 0);
}

/* A secret that does not fit is allocated elsewhere; freed room is used again. */
static int overflows(void)
{
	enum { N = 40 };
	void *p[N];

	secret_begin();
	for (int round = 0; round < 2; round++) {
		bool outside = false;

		for (int i = 0; i < N; i++) {
			p[i] = secret_new(SECRET_AREA / 16);
			outside = outside || !CRYPTO_secure_allocated(p[i]);
			for (size_t j = 0; j < SECRET_AREA / 16; j++)
				if (((uint8_t *)p[i])[j])
					return 1;
			memset(p[i], 1, SECRET_AREA / 16);
		}
		if (!outside || !CRYPTO_secure_allocated(p[0]))
			return 2;
		for (int i = 0; i < N; i++)
			secret_free(p[i], SECRET_AREA / 16);
	}
	secret_free(NULL, 0);
	return 0;
}

TEST(a_full_area_is_no_end)
{
	assert_int_equal(in_child(overflows), 0);
}

static int complains(void)
{
	struct rlimit none = { 0, 0 };
	char path[] = "/tmp/coterie-secret-XXXXXX", text[1024] = "";
	int fd = mkstemp(path);

	unlink(path);
	log_set_stream(fd, false);
	if (setrlimit(RLIMIT_MEMLOCK, &none))
		return 1;
	if (geteuid() == 0 && (setgid(65534) || setuid(65534))) /* root has no limit */
		return 2;
	if (secret_begin())
		return 3;
	secret_report();
	if (pread(fd, text, sizeof(text) - 1, 0) < 1 || !strstr(text, "512 KiB cannot be locked") ||
	    !strstr(text, "(Operation not permitted)") || !strstr(text, "0 KiB\""))
		return 4;
	secret_free(secret_new(32), 32);
	return 0;
}

TEST(without_leave_to_lock_it_says_so)
{
	assert_int_equal(in_child(complains), 0);
}
