/* lab.h -- makes identities for tests: loads them from a lab CA in a temporary folder, and removes
 * the folder. */
#ifndef TESTS_UNIT_CRYPTO_LAB_H
#define TESTS_UNIT_CRYPTO_LAB_H

#include "tests/test.h"
#include "crypto/pki.h"
#include "crypto/sign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void lab_dir(char dir[static 64])
{
	strcpy(dir, "/tmp/coterie-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
}

static inline void lab_remove(const char *dir)
{
	char command[128];

	assert_int_equal(strncmp(dir, "/tmp/coterie-test-", 18), 0);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

/* Names ascend with i: "p0", "p1", ... Every third key is P-256, the others are Ed25519. */
static inline struct identity *lab_identity(const char *dir, int i)
{
	char name[16], key[96], csr[96], crt[96];
	struct pki_request what = { .name = name, .key_type = i % 3 == 2 ? PKI_P256 : PKI_ED25519 };
	struct identity *id;

	snprintf(name, sizeof(name), "p%d", i);
	snprintf(key, sizeof(key), "%s/%s.key", dir, name);
	snprintf(csr, sizeof(csr), "%s/%s.csr", dir, name);
	snprintf(crt, sizeof(crt), "%s/%s.crt", dir, name);
	if (i == 0)
		assert_ok(pki_init(dir, "test", PKI_ED25519, 2));
	assert_ok(pki_make_request(dir, &what));
	assert_ok(pki_sign(dir, csr, crt, 1, NULL));
	assert_ok(identity_load(&id, crt, key, NULL));
	return id;
}

#endif
