#include "crypto/pki.h"
#include "common/base/config.h"
#include "common/base/file.h"
#include "crypto/cert.h"
#include "crypto/must.h"

#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAB_DAYS = 30, PATH_NAME_MAX = IDENTITY_NAME_MAX + 8 };

static const char *role_name(enum pki_role role)
{
	return role == PKI_COORDINATOR
		   ? "coordinator"
		   : "party or user: the coordinator's \"parties\" or \"api.roles\" decides";
}

static char *pki_path_of(const char *dir, const char *name, const char *suffix)
{
	char file[PATH_NAME_MAX];

	snprintf(file, sizeof(file), "%s.%s", name, suffix);
	return file_join(dir, file);
}

static enum err check_days(unsigned days)
{
	if (days < 1 || days > PKI_DAYS_MAX)
		return err_set(ERR_INPUT, "days: %u, expected 1 to %d", days, PKI_DAYS_MAX);
	return ERR_OK;
}

enum err pki_init(const char *dir, const char *name, enum pki_key_type key_type, unsigned days)
{
	char *key_path = pki_path_of(dir, "ca", "key"), *path = pki_path_of(dir, "ca", "crt");
	EVP_PKEY *key = NULL;
	X509 *ca = NULL;
	size_t n = strlen(name);
	enum err e = check_days(days);

	for (size_t i = 0; i < n && e == ERR_OK; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			n = 0;
	if (e == ERR_OK && (n < 1 || n > IDENTITY_NAME_MAX))
		e = err_set(ERR_INPUT, "the CA's name has 1 to %d bytes and none of them controls",
			    IDENTITY_NAME_MAX);
	if (e == ERR_OK)
		e = file_make_dirs(dir);
	if (e == ERR_OK)
		e = cert_make_key(&key, key_type);
	if (e == ERR_OK)
		e = cert_make_ca(&ca, key, name, days);
	/* Checks the certificate's path before the key is written, because a later failure would
	 * leave a key without a certificate. */
	if (e == ERR_OK && file_exists(path))
		e = err_set(ERR_INPUT, "%s exists: this folder has a CA already", path);
	if (e == ERR_OK)
		e = pem_write_key(key, key_path);
	if (e == ERR_OK)
		e = pem_write_certificate(ca, path);
	X509_free(ca);
	EVP_PKEY_free(key);
	free(path);
	free(key_path);
	return e;
}

static enum err check_request(const struct pki_request *what)
{
	const char *expected = config_check_name(what->name);

	if (expected)
		return err_set(ERR_INPUT, "name: \"%.100s\", expected %s", what->name, expected);
	if (what->host_count > PKI_HOSTS_MAX)
		return err_set(ERR_INPUT, "%zu hosts, at most %d expected", what->host_count,
			       PKI_HOSTS_MAX);
	for (size_t i = 0; i < what->host_count; i++) {
		const char *host = what->hosts[i];
		size_t n = strlen(host),
		       good = strspn(
			   host,
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-:");

		if (n < 1 || n > 253 || good != n)
			return err_set(ERR_INPUT,
				       "host: \"%.100s\", expected a host name or an address",
				       host);
	}
	return ERR_OK;
}

enum err pki_make_request(const char *dir, const struct pki_request *what)
{
	char *key_path = NULL, *path = NULL;
	EVP_PKEY *key = NULL;
	X509_REQ *request = NULL;
	enum err e = check_request(what);

	if (e == ERR_OK)
		e = file_make_dirs(dir);
	if (e == ERR_OK)
		e = cert_make_key(&key, what->key_type);
	if (e == ERR_OK)
		e = cert_make_request(&request, key, what);
	if (e == ERR_OK) {
		key_path = pki_path_of(dir, what->name, "key");
		path = pki_path_of(dir, what->name, "csr");
		if (file_exists(path))
			e = err_set(ERR_INPUT,
				    "%s exists and is not overwritten: move it away first", path);
	}
	if (e == ERR_OK)
		e = pem_write_key(key, key_path);
	if (e == ERR_OK)
		e = pem_write_request(request, path);
	X509_REQ_free(request);
	EVP_PKEY_free(key);
	free(path);
	free(key_path);
	return e;
}

struct ca {
	X509 *certificate;
	EVP_PKEY *key;
};

static void ca_release(struct ca *ca)
{
	X509_free(ca->certificate);
	EVP_PKEY_free(ca->key);
}

static enum err ca_load(struct ca *ca, const char *dir)
{
	char *key_path = pki_path_of(dir, "ca", "key"), *path = pki_path_of(dir, "ca", "crt");
	enum err e = pem_certificate(&ca->certificate, path);

	if (e == ERR_OK)
		e = pem_key(&ca->key, key_path, NULL);
	if (e == ERR_OK && X509_check_private_key(ca->certificate, ca->key) != 1)
		e = err_set(ERR_INPUT, "%s and %s do not belong together", path, key_path);
	if (e == ERR_OK && X509_check_ca(ca->certificate) != 1)
		e = err_set(ERR_INPUT, "%s is not the certificate of a CA", path);
	if (e == ERR_OK && X509_cmp_current_time(X509_get0_notAfter(ca->certificate)) < 0)
		e = err_set(ERR_INPUT, "%s has expired: make a new CA", path);
	must_reason();
	free(path);
	free(key_path);
	return e;
}

static enum err check_wanted(const STACK_OF(X509_EXTENSION) * wanted, X509_REQ *request,
			     const char *path, struct buf *says)
{
	char name[IDENTITY_NAME_MAX + 1], subject[IDENTITY_NAME_MAX + 2] = "";
	enum pki_role role;

	for (int i = 0; i < sk_X509_EXTENSION_num(wanted); i++) {
		int nid =
		    OBJ_obj2nid(X509_EXTENSION_get_object(sk_X509_EXTENSION_value(wanted, i)));

		if (nid != NID_subject_alt_name && nid != NID_ext_key_usage)
			return err_set(
			    ERR_INPUT,
			    "%s asks for the extension %s: only a name and a role are given", path,
			    OBJ_nid2sn(nid));
	}
	if (!cert_name(wanted, name))
		return err_set(ERR_INPUT,
			       "%s: its first DNS subject alternative name is missing or not %s",
			       path, config_check_name(""));
	X509_NAME_get_text_by_NID(X509_REQ_get_subject_name(request), NID_commonName, subject,
				  sizeof(subject));
	if (X509_NAME_entry_count(X509_REQ_get_subject_name(request)) != 1 || strcmp(subject, name))
		return err_set(
		    ERR_INPUT,
		    "%s: its subject must be the name alone (CN = %s), as in its alternative name",
		    path, name);
	if (!cert_role(wanted, &role))
		return err_set(ERR_INPUT,
			       "%s: its extended key usage must be clientAuth (a party) or "
			       "serverAuth (a coordinator)",
			       path);
	buf_printf(says, "name: %s\nrole: %s\nhosts: ", name, role_name(role));
	if (!cert_hosts(wanted, says))
		return err_set(ERR_INPUT,
			       "%s: its alternative names must be host names or addresses", path);
	buf_add(says, "\n", 1);
	return ERR_OK;
}

static enum err check_csr(X509_REQ *request, const char *path, struct buf *says)
{
	STACK_OF(X509_EXTENSION) *wanted = X509_REQ_get_extensions(request);
	EVP_PKEY *key = X509_REQ_get0_pubkey(request);
	enum err e;

	if (!key || !pem_supported(key))
		e = err_set(ERR_INPUT, "%s: its key is neither Ed25519 nor ECDSA P-256", path);
	else if (X509_REQ_verify(request, key) != 1)
		e = err_set(ERR_INPUT,
			    "%s: its signature is wrong: whoever made it may not have the key",
			    path);
	else
		e = check_wanted(wanted, request, path, says);
	must_reason();
	sk_X509_EXTENSION_pop_free(wanted, X509_EXTENSION_free);
	return e;
}

static enum err fingerprint_of_key(X509_PUBKEY *public_key, uint8_t fp[static FINGERPRINT_LEN])
{
	unsigned char *der = NULL;
	int n = i2d_X509_PUBKEY(public_key, &der);

	if (n < 1)
		return err_set(ERR_INTERNAL, "public key: %s", must_reason());
	fingerprint_of((struct bytes){ der, (size_t)n }, fp);
	OPENSSL_free(der);
	return ERR_OK;
}

enum err pki_sign(const char *ca_dir, const char *request_path, const char *path, unsigned days,
		  struct buf *says)
{
	struct ca ca = { 0 };
	struct buf text = { 0 };
	X509_REQ *request = NULL;
	X509 *certificate = NULL;
	int left = 0, seconds;
	enum err e = check_days(days);

	if (e == ERR_OK)
		e = ca_load(&ca, ca_dir);
	/* A certificate must not outlive the CA, since it would become invalid before its own end
	 * date. */
	must(e || ASN1_TIME_diff(&left, &seconds, NULL, X509_get0_notAfter(ca.certificate)),
	     "certificate time");
	if (e == ERR_OK && days > (unsigned)left)
		e = err_set(ERR_INPUT, "days: %u, but the CA itself ends in %d days", days, left);
	if (e == ERR_OK)
		e = pem_request(&request, request_path);
	if (e == ERR_OK)
		e = check_csr(request, request_path, &text);
	if (e == ERR_OK)
		e = cert_make(&certificate, request, ca.certificate, ca.key, days);
	if (e == ERR_OK)
		e = pem_write_certificate(certificate, path);
	if (e == ERR_OK && says)
		buf_add(says, text.p, text.n);
	buf_release(&text);
	X509_free(certificate);
	X509_REQ_free(request);
	ca_release(&ca);
	return e;
}

struct object { /* a loaded file: exactly one member is set */
	X509 *certificate;
	X509_REQ *request;
	EVP_PKEY *key;
};

static void object_release(struct object *o)
{
	X509_free(o->certificate);
	X509_REQ_free(o->request);
	EVP_PKEY_free(o->key);
}

static enum err object_load(struct object *o, const char *path)
{
	enum pem_kind kind;

	*o = (struct object){ 0 };
	TRY(pem_kind_of(&kind, path));
	switch (kind) {
	case PEM_CERTIFICATE:
		return pem_certificate(&o->certificate, path);
	case PEM_REQUEST:
		return pem_request(&o->request, path);
	case PEM_KEY:
		return pem_key(&o->key, path, NULL);
	case PEM_OTHER:
		break;
	}
	return err_set(ERR_INPUT, "%s: no certificate, certificate request or private key in PEM",
		       path);
}

static enum err object_fingerprint(const struct object *o, uint8_t fp[static FINGERPRINT_LEN])
{
	X509_PUBKEY *made = NULL;
	enum err e;

	if (o->certificate)
		return fingerprint_of_key(X509_get_X509_PUBKEY(o->certificate), fp);
	if (o->request)
		return fingerprint_of_key(X509_REQ_get_X509_PUBKEY(o->request), fp);
	must(X509_PUBKEY_set(&made, o->key), "public key");
	e = fingerprint_of_key(made, fp);
	X509_PUBKEY_free(made);
	return e;
}

enum err pki_fingerprint(const char *path, uint8_t fp[static FINGERPRINT_LEN])
{
	struct object o;
	enum err e = object_load(&o, path);

	if (e == ERR_OK)
		e = object_fingerprint(&o, fp);
	object_release(&o);
	return e;
}

/* Shows a name without control bytes, which must not reach the terminal from a foreign file. */
static void show_name(struct buf *text, const char *field, const X509_NAME *name)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *p;
	long n;

	must(bio && X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253) >= 0, "name");
	n = BIO_get_mem_data(bio, &p);
	buf_printf(text, "%s: %.*s\n", field, (int)n, p);
	BIO_free(bio);
}

static void show_time(struct buf *text, const char *field, const ASN1_TIME *time)
{
	char date[32] = "not a date";
	struct tm tm;

	if (ASN1_TIME_to_tm(time, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	buf_printf(text, "%s: %s\n", field, date);
}

static void show_extensions(struct buf *text, const STACK_OF(X509_EXTENSION) * extensions)
{
	char name[IDENTITY_NAME_MAX + 1];
	struct buf hosts = { 0 };
	enum pki_role role;

	if (cert_name(extensions, name))
		buf_printf(text, "name: %s\n", name);
	if (cert_role(extensions, &role))
		buf_printf(text, "role: %s\n", role_name(role));
	if (cert_hosts(extensions, &hosts))
		buf_printf(text, "hosts: %.*s\n", (int)hosts.n, (const char *)hosts.p);
	buf_release(&hosts);
}

static const char *key_kind(const EVP_PKEY *key)
{
	if (!key || !pem_supported(key))
		return "not supported";
	return EVP_PKEY_is_a(key, "ED25519") ? "Ed25519" : "ECDSA P-256";
}

enum err pki_show(const char *path, struct buf *text)
{
	char fp_text[FINGERPRINT_TEXT_LEN];
	uint8_t fp[FINGERPRINT_LEN];
	STACK_OF(X509_EXTENSION) *wanted = NULL;
	const EVP_PKEY *key = NULL;
	struct object o;
	enum err e = object_load(&o, path);

	if (e == ERR_OK)
		e = object_fingerprint(&o, fp);
	if (e == ERR_OK && o.certificate) {
		buf_printf(text, "file: %s\n",
			   X509_check_ca(o.certificate) == 1 ? "certificate of a CA"
							     : "certificate");
		show_extensions(text, X509_get0_extensions(o.certificate));
		show_name(text, "subject", X509_get_subject_name(o.certificate));
		show_name(text, "issuer", X509_get_issuer_name(o.certificate));
		show_time(text, "from", X509_get0_notBefore(o.certificate));
		show_time(text, "until", X509_get0_notAfter(o.certificate));
		key = X509_get0_pubkey(o.certificate);
	} else if (e == ERR_OK && o.request) {
		wanted = X509_REQ_get_extensions(o.request);
		buf_printf(text, "file: certificate request\n");
		show_extensions(text, wanted);
		show_name(text, "subject", X509_REQ_get_subject_name(o.request));
		key = X509_REQ_get0_pubkey(o.request);
	} else if (e == ERR_OK) {
		buf_printf(text, "file: private key\n");
		key = o.key;
	}
	if (e == ERR_OK) {
		fingerprint_text(fp, fp_text);
		buf_printf(text, "key: %s\nfingerprint: %s\n", key_kind(key), fp_text);
	}
	sk_X509_EXTENSION_pop_free(wanted, X509_EXTENSION_free);
	must_reason();
	object_release(&o);
	return e;
}

static enum err lab_member(const char *dir, const struct ca *ca, const char *name,
			   enum pki_role role)
{
	struct pki_request what = { .name = name, .role = role, .key_type = PKI_ED25519 };
	char *key_path = pki_path_of(dir, name, "key"), *path = pki_path_of(dir, name, "crt");
	X509_REQ *request = NULL;
	X509 *certificate = NULL;
	EVP_PKEY *key = NULL;
	enum err e;

	if (role == PKI_COORDINATOR) {
		what.hosts[what.host_count++] = "localhost";
		what.hosts[what.host_count++] = "127.0.0.1";
	}
	e = cert_make_key(&key, what.key_type);
	if (e == ERR_OK)
		e = cert_make_request(&request, key, &what);
	if (e == ERR_OK)
		e = cert_make(&certificate, request, ca->certificate, ca->key, LAB_DAYS);
	if (e == ERR_OK)
		e = pem_write_key(key, key_path);
	if (e == ERR_OK)
		e = pem_write_certificate(certificate, path);
	X509_free(certificate);
	X509_REQ_free(request);
	EVP_PKEY_free(key);
	free(path);
	free(key_path);
	return e;
}

enum err pki_lab(const char *dir, size_t parties)
{
	struct ca ca = { 0 };
	enum err e;

	if (parties < 1 || parties > PARTIES_MAX)
		return err_set(ERR_INPUT, "parties: %zu, expected 1 to %d", parties, PARTIES_MAX);
	TRY(pki_init(dir, "Coterie lab CA", PKI_ED25519, LAB_DAYS + 1));
	e = ca_load(&ca, dir);
	if (e == ERR_OK)
		e = lab_member(dir, &ca, "coordinator", PKI_COORDINATOR);
	for (size_t i = 0; i < parties && e == ERR_OK; i++) {
		char name[16];

		snprintf(name, sizeof(name), "party-%02zu", i);
		e = lab_member(dir, &ca, name, PKI_PARTY);
	}
	ca_release(&ca);
	return e;
}
