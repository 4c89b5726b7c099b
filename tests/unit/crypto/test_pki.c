#include "tests/unit/crypto/lab.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];
static char crt[128], csr[128], key[128];

static const char *at(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", dir, name);
	return path;
}

static int make(void **state)
{
	(void)state;
	lab_dir(dir);
	assert_ok(pki_init(dir, "A CA of Größe", PKI_ED25519, 10));
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	lab_remove(dir);
	return 0;
}

static void paths(const char *name)
{
	snprintf(key, sizeof(key), "%s/%s.key", dir, name);
	snprintf(csr, sizeof(csr), "%s/%s.csr", dir, name);
	snprintf(crt, sizeof(crt), "%s/%s.crt", dir, name);
}

/* ---- certificates that TLS accepts ---- */

static X509 *load_certificate(const char *path)
{
	FILE *f = fopen(path, "r");
	X509 *x = f ? PEM_read_X509(f, NULL, NULL, NULL) : NULL;

	assert_non_null(x);
	fclose(f);
	return x;
}

static int verify(const char *path, const char *ca_path, int purpose)
{
	X509 *x = load_certificate(path), *ca = load_certificate(ca_path);
	X509_STORE *store = X509_STORE_new();
	X509_STORE_CTX *c = X509_STORE_CTX_new();
	int error;

	X509_STORE_add_cert(store, ca);
	X509_STORE_set_flags(store, X509_V_FLAG_X509_STRICT);
	X509_STORE_set_purpose(store, purpose);
	X509_STORE_CTX_init(c, store, x, NULL);
	X509_verify_cert(c);
	error = X509_STORE_CTX_get_error(c);
	X509_STORE_CTX_free(c);
	X509_STORE_free(store);
	X509_free(ca);
	X509_free(x);
	return error;
}

TEST(roles_and_names)
{
	char ca[128], says[512];
	struct buf text = { 0 };
	struct stat st;

	at(ca, "ca.crt");
	for (int type = 0; type < 2; type++) {
		const char *name = type ? "hub_P.256" : "hub-Ed";
		struct pki_request what = { .name = name,
					    .role = PKI_COORDINATOR,
					    .key_type = type ? PKI_P256 : PKI_ED25519,
					    .hosts = { "hub.example.org", "10.1.2.3", "::1" },
					    .host_count = 3 };
		X509 *x;

		paths(name);
		assert_ok(pki_make_request(dir, &what));
		assert_ok(pki_sign(dir, csr, crt, 5, &text));
		snprintf(says, sizeof(says),
			 "name: %s\nrole: coordinator\nhosts: %s hub.example.org 10.1.2.3 "
			 "::1\n",
			 name, name);
		assert_int_equal(text.n, strlen(says));
		assert_memory_equal(text.p, says, text.n);
		buf_release(&text);
		assert_int_equal(verify(crt, ca, X509_PURPOSE_SSL_SERVER), X509_V_OK);
		assert_int_equal(verify(crt, ca, X509_PURPOSE_SSL_CLIENT),
				 X509_V_ERR_INVALID_PURPOSE);
		x = load_certificate(crt);
		assert_int_equal(X509_check_host(x, name, 0, 0, NULL), 1);
		assert_int_equal(X509_check_host(x, "hub.example.org", 0, 0, NULL), 1);
		assert_int_equal(X509_check_host(x, "other.example.org", 0, 0, NULL), 0);
		assert_int_equal(X509_check_ip_asc(x, "10.1.2.3", 0), 1);
		assert_int_equal(X509_check_ca(x), 0);
		X509_free(x);
		assert_int_equal(stat(key, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
	paths("bank-a");
	assert_ok(pki_make_request(dir, &(struct pki_request){ .name = "bank-a" }));
	assert_ok(pki_sign(dir, csr, crt, 5, NULL));
	assert_int_equal(verify(crt, ca, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
	assert_int_equal(verify(crt, ca, X509_PURPOSE_SSL_SERVER), X509_V_ERR_INVALID_PURPOSE);
}

/* Uses P-256 for the CA, because browsers verify no chain with an Ed25519 key. */
TEST(a_ca_of_p256)
{
	char other[96], ca[128];
	X509 *x;

	snprintf(other, sizeof(other), "%s/p256", dir);
	snprintf(ca, sizeof(ca), "%s/ca.crt", other);
	assert_ok(pki_init(other, "of P-256", PKI_P256, 10));
	x = load_certificate(ca);
	assert_int_equal(EVP_PKEY_get_base_id(X509_get0_pubkey(x)), EVP_PKEY_EC);
	assert_int_equal(X509_get_signature_nid(x), NID_ecdsa_with_SHA256);
	X509_free(x);
	for (int type = 0; type < 2; type++) {
		struct pki_request what = { .name = type ? "by-p256" : "by-p256-ed",
					    .key_type = type ? PKI_P256 : PKI_ED25519 };

		paths(what.name);
		assert_ok(pki_make_request(dir, &what));
		assert_ok(pki_sign(other, csr, crt, 5, NULL));
		assert_int_equal(verify(crt, ca, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
	}
}

TEST(one_fingerprint_for_key_request_certificate)
{
	uint8_t a[FINGERPRINT_LEN], b[FINGERPRINT_LEN], c[FINGERPRINT_LEN], d[FINGERPRINT_LEN];
	char again[144];
	struct identity *id;

	for (int type = 0; type < 2; type++) {
		const char *name = type ? "fp-p256" : "fp-ed";
		struct pki_request what = { .name = name,
					    .key_type = type ? PKI_P256 : PKI_ED25519 };

		paths(name);
		assert_ok(pki_make_request(dir, &what));
		assert_ok(pki_sign(dir, csr, crt, 5, NULL));
		assert_ok(pki_fingerprint(key, a));
		assert_ok(pki_fingerprint(csr, b));
		assert_ok(pki_fingerprint(crt, c));
		assert_memory_equal(a, b, sizeof(a));
		assert_memory_equal(a, c, sizeof(a));
		/* a renewed certificate keeps its pin */
		snprintf(again, sizeof(again), "%s.renewed", crt);
		assert_ok(pki_sign(dir, csr, again, 6, NULL));
		assert_ok(identity_load(&id, again, key, NULL));
		identity_fingerprint(id, d);
		assert_memory_equal(a, d, sizeof(a));
		assert_string_equal(identity_name(id), name);
		identity_free(id);
	}
}

static bool contains(const struct buf *text, const char *what)
{
	return memmem(text->p, text->n, what, strlen(what)) != NULL;
}

TEST(show_says_what_and_no_secret)
{
	struct buf text = { 0 };
	char line[128], path[128];
	FILE *f;

	paths("shown");
	assert_ok(pki_make_request(dir, &(struct pki_request){ .name = "shown" }));
	assert_ok(pki_sign(dir, csr, crt, 5, NULL));
	assert_ok(pki_show(crt, &text));
	assert_true(contains(
	    &text, "file: certificate\nname: shown\nrole: party or user: the coordinator's "));
	assert_true(contains(&text, " decides\nhosts: shown\n"));
	assert_true(contains(&text, "key: Ed25519\nfingerprint: sha256:"));
	assert_true(contains(&text, "until: "));
	buf_release(&text);
	assert_ok(pki_show(csr, &text));
	assert_true(
	    contains(&text, "file: certificate request\nname: shown\nrole: party or user: the "));
	buf_release(&text);
	assert_ok(pki_show(at(path, "ca.crt"), &text));
	assert_true(contains(&text, "file: certificate of a CA\n"));
	buf_release(&text);
	assert_ok(pki_show(key, &text));
	assert_true(contains(&text, "file: private key\nkey: Ed25519\nfingerprint: sha256:"));
	f = fopen(key, "r");
	assert_non_null(fgets(line, sizeof(line), f));
	assert_non_null(fgets(line, sizeof(line), f)); /* the key itself, one line in PEM */
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	assert_true(strlen(line) > 40);
	assert_false(contains(&text, line + 20));
	assert_true(text.n < 200);
	buf_release(&text);
}

/* ---- refusals ---- */

TEST(nothing_is_overwritten)
{
	uint8_t before[FINGERPRINT_LEN], after[FINGERPRINT_LEN];
	struct pki_request what = { .name = "keep" };

	paths("keep");
	assert_ok(pki_make_request(dir, &what));
	assert_ok(pki_fingerprint(key, before));
	assert_err(pki_make_request(dir, &what), ERR_INPUT, "keep.csr exists");
	assert_int_equal(unlink(csr), 0);
	assert_err(pki_make_request(dir, &what), ERR_INPUT,
		   "keep.key exists and is not overwritten");
	assert_ok(pki_fingerprint(key, after));
	assert_memory_equal(before, after, sizeof(before));
	assert_int_not_equal(access(csr, F_OK), 0); /* the refused call made no request */
	assert_err(pki_init(dir, "another", PKI_ED25519, 10), ERR_INPUT, "has a CA already");
	assert_err(pki_lab(dir, 2), ERR_INPUT, "has a CA already");
	paths("bank-a");
	assert_err(pki_sign(dir, csr, crt, 5, NULL), ERR_INPUT, "bank-a.crt exists");
}

TEST(bad_requests_are_refused)
{
	static const char *const names[] = {
		"",
		"a b",
		"a/b",
		"ä",
		"a,DNS:b",
		"a\nb",
		"a1234567890123456789012345678901234567890123456789012345678901234"
	};
	static const char *const hosts[] = { "", "a b", "a,DNS:b", "*.example.org", "a\nb" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_err(pki_make_request(dir, &(struct pki_request){ .name = names[i] }),
			   ERR_INPUT, "1 to 64 of A-Z");
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct pki_request what = { .name = "x", .hosts = { hosts[i] }, .host_count = 1 };

		assert_err(pki_make_request(dir, &what), ERR_INPUT, "host name or an address");
	}
	assert_err(pki_init(dir, "", PKI_ED25519, 10), ERR_INPUT, "name has 1 to 64");
	assert_err(pki_init(dir, "a\033[1m", PKI_ED25519, 10), ERR_INPUT, "name has 1 to 64");
	assert_err(pki_init(dir, "x", PKI_ED25519, 0), ERR_INPUT, "days: 0");
	assert_err(pki_init(dir, "x", PKI_ED25519, 99999), ERR_INPUT, "days: 99999");
	assert_err(pki_lab(dir, 0), ERR_INPUT, "parties: 0");
	assert_err(pki_lab(dir, 257), ERR_INPUT, "parties: 257");
}

/* A certificate request that a stranger might make. */
struct strange {
	const char *subject, *alternative, *usage, *more;
	int more_nid;
	bool other_key;   /* signed by another key than its own */
	const char *kind; /* kind of key; NULL: Ed25519 */
};

static void write_strange(const struct strange *s, const char *path)
{
	EVP_PKEY *inside = s->kind ? EVP_EC_gen(s->kind) : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	EVP_PKEY *other = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	STACK_OF(X509_EXTENSION) *list = sk_X509_EXTENSION_new_null();
	X509_NAME *subject = X509_NAME_new();
	X509_REQ *r = X509_REQ_new();
	FILE *f = fopen(path, "w");

	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)s->subject,
				   -1, -1, 0);
	if (s->alternative)
		sk_X509_EXTENSION_push(
		    list, X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, s->alternative));
	if (s->usage)
		sk_X509_EXTENSION_push(
		    list, X509V3_EXT_conf_nid(NULL, NULL, NID_ext_key_usage, s->usage));
	if (s->more)
		sk_X509_EXTENSION_push(list, X509V3_EXT_conf_nid(NULL, NULL, s->more_nid, s->more));
	X509_REQ_set_subject_name(r, subject);
	X509_REQ_set_pubkey(r, inside);
	X509_REQ_add_extensions(r, list);
	assert_true(X509_REQ_sign(r, s->other_key ? other : inside, s->kind ? EVP_sha256() : NULL) >
		    0);
	assert_true(f && PEM_write_X509_REQ(f, r));
	fclose(f);
	X509_REQ_free(r);
	X509_NAME_free(subject);
	sk_X509_EXTENSION_pop_free(list, X509_EXTENSION_free);
	EVP_PKEY_free(inside);
	EVP_PKEY_free(other);
}

TEST(strange_requests_are_not_signed)
{
	static const struct {
		struct strange s;
		const char *sentence;
	} cases[] = {
		/* The first request is valid, so each other request fails for its own reason. */
		{ { "ok", "DNS:ok", "clientAuth", NULL, 0, false, NULL }, NULL },
		{ { "ok", "DNS:ok", "clientAuth", NULL, 0, true, NULL }, "its signature is wrong" },
		{ { "ok", "DNS:ok", "clientAuth", NULL, 0, false, "P-384" },
		  "neither Ed25519 nor" },
		{ { "ok", "DNS:other", "clientAuth", NULL, 0, false, NULL },
		  "subject must be the name" },
		{ { "ok", "DNS:a b", "clientAuth", NULL, 0, false, NULL },
		  "alternative name is missing" },
		{ { "ok", NULL, "clientAuth", NULL, 0, false, NULL },
		  "alternative name is missing" },
		{ { "ok", "IP:10.0.0.1", "clientAuth", NULL, 0, false, NULL },
		  "alternative name is missing" },
		{ { "ok", "DNS:ok,email:a@b.org", "clientAuth", NULL, 0, false, NULL },
		  "host names or addresses" },
		{ { "ok", "DNS:ok,DNS:*.org", "clientAuth", NULL, 0, false, NULL },
		  "host names or addresses" },
		{ { "ok", "DNS:ok", NULL, NULL, 0, false, NULL }, "extended key usage" },
		{ { "ok", "DNS:ok", "clientAuth,serverAuth", NULL, 0, false, NULL },
		  "extended key usage" },
		{ { "ok", "DNS:ok", "codeSigning", NULL, 0, false, NULL }, "extended key usage" },
		{ { "ok", "DNS:ok", "clientAuth", "CA:TRUE", NID_basic_constraints, false, NULL },
		  "basicConstraints" },
		{ { "ok", "DNS:ok", "clientAuth", "keyCertSign", NID_key_usage, false, NULL },
		  "keyUsage" },
	};

	paths("strange");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf says = { 0 };

		write_strange(&cases[i].s, csr);
		if (cases[i].sentence) {
			assert_err(pki_sign(dir, csr, crt, 5, &says), ERR_INPUT, cases[i].sentence);
			assert_int_equal(says.n, 0);
			assert_int_not_equal(access(crt, F_OK), 0);
		} else {
			assert_ok(pki_sign(dir, csr, crt, 5, &says));
			unlink(crt);
		}
		buf_release(&says);
	}
	unlink(csr);
}

TEST(signing_needs_a_ca)
{
	char sub[128], path[128];

	paths("late");
	assert_ok(pki_make_request(dir, &(struct pki_request){ .name = "late" }));
	assert_err(pki_sign(dir, csr, crt, 11, NULL), ERR_INPUT, "the CA itself ends in");
	assert_err(pki_sign(dir, csr, crt, 0, NULL), ERR_INPUT, "days: 0");
	assert_err(pki_sign(at(sub, "nowhere"), csr, crt, 5, NULL), ERR_INPUT,
		   "ca.crt: No such file");
	assert_err(pki_sign(dir, at(path, "none.csr"), crt, 5, NULL), ERR_INPUT,
		   "none.csr: No such");
	assert_err(pki_sign(dir, key, crt, 5, NULL), ERR_INPUT, "no certificate request");
	/* Refuses a certificate that is not a CA's, and then a key that does not belong to the
	 * certificate. */
	assert_ok(pki_sign(dir, csr, crt, 5, NULL));
	at(sub, "false-ca");
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(rename(crt, at(path, "false-ca/ca.crt")), 0);
	assert_int_equal(link(key, at(path, "false-ca/ca.key")), 0);
	assert_err(pki_sign(sub, csr, crt, 1, NULL), ERR_INPUT, "not the certificate of a CA");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(link(at(key, "ca.key"), path), 0);
	assert_err(pki_sign(sub, csr, crt, 1, NULL), ERR_INPUT, "do not belong together");
}

TEST(lab_makes_all)
{
	char sub[128], path[192], key_path[192], ca[192];

	at(sub, "lab/deep");
	assert_ok(pki_lab(sub, 12));
	snprintf(ca, sizeof(ca), "%s/ca.crt", sub);
	for (int i = -1; i < 12; i++) {
		char name[32] = "coordinator";
		struct identity *id;

		if (i >= 0)
			snprintf(name, sizeof(name), "party-%02d", i);
		snprintf(path, sizeof(path), "%s/%s.crt", sub, name);
		snprintf(key_path, sizeof(key_path), "%s/%s.key", sub, name);
		assert_ok(identity_load(&id, path, key_path, NULL));
		assert_string_equal(identity_name(id), name);
		identity_free(id);
		assert_int_equal(
		    verify(path, ca, i < 0 ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT),
		    X509_V_OK);
	}
}

TEST(other_files_are_named)
{
	uint8_t fp[FINGERPRINT_LEN];
	struct buf text = { 0 };

	assert_err(pki_show("/etc/passwd", &text), ERR_INPUT, "/etc/passwd: no certificate");
	assert_err(pki_fingerprint("/etc/passwd", fp), ERR_INPUT, "/etc/passwd: no certificate");
	assert_err(pki_show(dir, &text), ERR_INPUT, "directory");
	assert_err(pki_show("/none", &text), ERR_INPUT, "No such file");
	paths("bank-a");
	assert_int_equal(chmod(key, 0644), 0);
	assert_err(pki_show(key, &text), ERR_INPUT, "chmod 600");
	assert_int_equal(chmod(key, 0600), 0);
	assert_int_equal(text.n, 0);
}

TESTS_BETWEEN(make, unmake)
