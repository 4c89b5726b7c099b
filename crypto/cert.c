#include "crypto/cert.h"
#include "common/base/buf.h"
#include "common/base/config.h"
#include "common/base/file.h"
#include "common/base/passphrase.h"
#include "crypto/must.h"
#include "crypto/secret.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

/* New certificates are valid from EARLY_S seconds ago, because clocks differ. */
enum { SERIAL_LEN = 16, EARLY_S = 3600 };

static void text_release(struct buf *t)
{
	if (t->p)
		wipe(t->p, t->cap);
	buf_release(t);
}

enum err pem_kind_of(enum pem_kind *kind, const char *path)
{
	static const struct {
		const char *line;
		enum pem_kind kind;
	} lines[] = {
		{ "-----BEGIN CERTIFICATE-----", PEM_CERTIFICATE },
		{ "-----BEGIN CERTIFICATE REQUEST-----", PEM_REQUEST },
		{ "-----BEGIN NEW CERTIFICATE REQUEST-----", PEM_REQUEST },
		{ "-----BEGIN PRIVATE KEY-----", PEM_KEY },
		{ "-----BEGIN EC PRIVATE KEY-----", PEM_KEY },
		{ "-----BEGIN ENCRYPTED PRIVATE KEY-----", PEM_KEY },
	};
	struct buf t = { 0 };
	enum err e = file_read(path, PEM_MAX, &t);
	const char *begin = e == ERR_OK ? strstr((char *)t.p, "-----BEGIN ") : NULL;

	*kind = PEM_OTHER;
	for (size_t i = 0; begin && i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strncmp(begin, lines[i].line, strlen(lines[i].line)))
			*kind = lines[i].kind;
	text_release(&t);
	return e;
}

bool pem_supported(const EVP_PKEY *key)
{
	char curve[64];

	if (EVP_PKEY_is_a(key, "ED25519"))
		return true;
	return EVP_PKEY_is_a(key, "EC") &&
	       EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, curve, sizeof(curve),
					      NULL) == 1 &&
	       !strcmp(curve, "prime256v1");
}

const EVP_MD *pem_digest(const EVP_PKEY *key)
{
	return EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256();
}

/* Loads one object of the given kind. passphrase: path of the passphrase file of a key, or NULL. */
static enum err cert_load(void **object, const char *path, enum pem_kind kind,
			  const char *passphrase)
{
	static const char *const what[] = { [PEM_KEY] = "private key",
					    [PEM_CERTIFICATE] = "certificate",
					    [PEM_REQUEST] = "certificate request" };
	struct passphrase p;
	struct buf t = { 0 };
	BIO *bio;
	enum err e;

	*object = NULL;
	if (kind == PEM_KEY)
		TRY(file_check_secret(path, "the private key"));
	e = passphrase_read(&p, passphrase);
	if (e == ERR_OK)
		e = file_read(path, PEM_MAX, &t);
	if (e == ERR_OK) {
		bio = BIO_new_mem_buf(t.p, (int)t.n);
		must(bio, "memory BIO");
		if (kind == PEM_KEY)
			*object = PEM_read_bio_PrivateKey(bio, NULL, passphrase_give, &p);
		else if (kind == PEM_CERTIFICATE)
			*object = PEM_read_bio_X509(bio, NULL, passphrase_give, &p);
		else
			*object = PEM_read_bio_X509_REQ(bio, NULL, passphrase_give, &p);
		BIO_free(bio);
		e = passphrase_check(&p, *object != NULL, path, passphrase);
		if (e == ERR_OK && !*object)
			e = err_set(ERR_INPUT, "%s: no %s in PEM found (%s)", path, what[kind],
				    must_reason());
	}
	if (e != ERR_OK && *object && kind == PEM_KEY) {
		EVP_PKEY_free(*object);
		*object = NULL;
	}
	must_reason();
	passphrase_wipe(&p);
	text_release(&t);
	return e;
}

enum err pem_key(EVP_PKEY **key, const char *path, const char *passphrase)
{
	void *object;

	*key = NULL;
	TRY(cert_load(&object, path, PEM_KEY, passphrase));
	if (!pem_supported(object)) {
		EVP_PKEY_free(object);
		return err_set(ERR_INPUT, "%s: the key is neither Ed25519 nor ECDSA P-256", path);
	}
	*key = object;
	return ERR_OK;
}

enum err pem_certificate(X509 **certificate, const char *path)
{
	void *object;
	enum err e = cert_load(&object, path, PEM_CERTIFICATE, NULL);

	*certificate = object;
	return e;
}

enum err pem_request(X509_REQ **request, const char *path)
{
	void *object;
	enum err e = cert_load(&object, path, PEM_REQUEST, NULL);

	*request = object;
	return e;
}

/* Creates an empty file with O_EXCL first, so that an existing file is never overwritten. */
static enum err write_new(BIO *bio, const char *path, mode_t mode)
{
	struct bytes text;
	uint8_t *p;
	enum err e;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	if (fd < 0 && errno == EEXIST)
		return err_set(ERR_INPUT, "%s exists and is not overwritten: move it away first",
			       path);
	if (fd < 0)
		return err_set(ERR_JOB, "%s: %s", path, strerror(errno));
	close(fd);
	text.n = (size_t)BIO_get_mem_data(bio, &p);
	text.p = p;
	e = file_write(path, text, mode);
	if (e != ERR_OK)
		unlink(path);
	return e;
}

enum err pem_write_key(const EVP_PKEY *key, const char *path)
{
	BIO *bio = BIO_new(BIO_s_secmem());
	enum err e;

	must(bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL),
	     "writing a key");
	e = write_new(bio, path, FILE_SECRET);
	BIO_free(bio);
	return e;
}

enum err pem_write_certificate(const X509 *certificate, const char *path)
{
	BIO *bio = BIO_new(BIO_s_mem());
	enum err e;

	must(bio && PEM_write_bio_X509(bio, certificate), "writing a certificate");
	e = write_new(bio, path, FILE_PUBLIC);
	BIO_free(bio);
	return e;
}

enum err pem_write_request(const X509_REQ *request, const char *path)
{
	BIO *bio = BIO_new(BIO_s_mem());
	enum err e;

	must(bio && PEM_write_bio_X509_REQ(bio, request), "writing a certificate request");
	e = write_new(bio, path, FILE_PUBLIC);
	BIO_free(bio);
	return e;
}

enum err cert_make_key(EVP_PKEY **key, enum pki_key_type type)
{
	*key = type == PKI_ED25519 ? EVP_PKEY_Q_keygen(NULL, NULL, "ED25519") : EVP_EC_gen("P-256");
	if (!*key)
		return err_set(ERR_INTERNAL, "making a key: %s", must_reason());
	return ERR_OK;
}

static void *decoded(const STACK_OF(X509_EXTENSION) * extensions, int nid)
{
	void *value = X509V3_get_d2i(extensions, nid, NULL, NULL);

	must_reason();
	return value;
}

bool cert_name(const STACK_OF(X509_EXTENSION) * extensions, char name[static IDENTITY_NAME_MAX + 1])
{
	GENERAL_NAMES *names = decoded(extensions, NID_subject_alt_name);
	const ASN1_STRING *dns = NULL;
	size_t n;

	name[0] = 0;
	for (int i = 0; i < sk_GENERAL_NAME_num(names) && !dns; i++)
		if (sk_GENERAL_NAME_value(names, i)->type == GEN_DNS)
			dns = sk_GENERAL_NAME_value(names, i)->d.dNSName;
	n = dns ? (size_t)ASN1_STRING_length(dns) : 0;
	if (n >= 1 && n <= IDENTITY_NAME_MAX) {
		memcpy(name, ASN1_STRING_get0_data(dns), n);
		name[n] = 0;
	}
	GENERAL_NAMES_free(names);
	/* A zero byte in the name would hide the rest of it. */
	return n && strlen(name) == n && !config_check_name(name);
}

static bool host_text(const GENERAL_NAME *g, char text[static INET6_ADDRSTRLEN + 256])
{
	const ASN1_STRING *s = g->d.ia5;
	int n;

	if (g->type != GEN_DNS && g->type != GEN_IPADD)
		return false;
	n = ASN1_STRING_length(s);
	if (g->type == GEN_IPADD)
		return (n == 4 || n == 16) &&
		       inet_ntop(n == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(s), text,
				 INET6_ADDRSTRLEN);
	if (n < 1 || n > 253)
		return false;
	memcpy(text, ASN1_STRING_get0_data(s), (size_t)n);
	text[n] = 0;
	return strlen(text) == (size_t)n &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
		   (size_t)n;
}

bool cert_hosts(const STACK_OF(X509_EXTENSION) * extensions, struct buf *text)
{
	GENERAL_NAMES *names = decoded(extensions, NID_subject_alt_name);
	bool good = names != NULL;

	for (int i = 0; good && i < sk_GENERAL_NAME_num(names); i++) {
		char host[INET6_ADDRSTRLEN + 256];

		good = host_text(sk_GENERAL_NAME_value(names, i), host);
		if (good)
			buf_printf(text, "%s%s", i ? " " : "", host);
	}
	GENERAL_NAMES_free(names);
	return good;
}

bool cert_role(const STACK_OF(X509_EXTENSION) * extensions, enum pki_role *role)
{
	EXTENDED_KEY_USAGE *usage = decoded(extensions, NID_ext_key_usage);
	int nid = NID_undef;

	if (sk_ASN1_OBJECT_num(usage) == 1)
		nid = OBJ_obj2nid(sk_ASN1_OBJECT_value(usage, 0));
	EXTENDED_KEY_USAGE_free(usage);
	*role = nid == NID_server_auth ? PKI_COORDINATOR : PKI_PARTY;
	return nid == NID_server_auth || nid == NID_client_auth;
}

static void cert_add_name(X509_NAME *subject, const char *name)
{
	must(X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8,
					(const unsigned char *)name, -1, -1, 0),
	     "certificate name");
}

static void add_extension(X509 *x, X509V3_CTX *context, int nid, const char *value)
{
	X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, context, nid, value);

	must(e && X509_add_ext(x, e, -1), "certificate extension");
	X509_EXTENSION_free(e);
}

static enum err cert_start(X509 **x, EVP_PKEY *key, const X509_NAME *issuer, unsigned days)
{
	uint8_t serial[SERIAL_LEN];
	BIGNUM *number;

	TRY(random_secret(serial, sizeof(serial)));
	/* The serial number is positive and always has SERIAL_LEN bytes. */
	serial[0] = (uint8_t)((serial[0] & 0x7f) | 0x40);
	number = BN_bin2bn(serial, sizeof(serial), NULL);
	*x = X509_new();
	must(*x && number && X509_set_version(*x, X509_VERSION_3) &&
		 BN_to_ASN1_INTEGER(number, X509_get_serialNumber(*x)) &&
		 X509_gmtime_adj(X509_getm_notBefore(*x), -EARLY_S) &&
		 X509_time_adj_ex(X509_getm_notAfter(*x), (int)days, 0, NULL) &&
		 X509_set_pubkey(*x, key) && X509_set_issuer_name(*x, issuer),
	     "certificate");
	BN_free(number);
	return ERR_OK;
}

static enum err cert_sign(X509 *x, EVP_PKEY *key)
{
	if (X509_sign(x, key, pem_digest(key)) <= 0)
		return err_set(ERR_INTERNAL, "signing a certificate: %s", must_reason());
	return ERR_OK;
}

enum err cert_make_ca(X509 **ca, EVP_PKEY *key, const char *name, unsigned days)
{
	X509_NAME *subject = X509_NAME_new();
	X509V3_CTX context;
	enum err e;

	*ca = NULL;
	must(subject, "certificate name");
	cert_add_name(subject, name);
	e = cert_start(ca, key, subject, days);
	if (e == ERR_OK) {
		must(X509_set_subject_name(*ca, subject), "certificate name");
		X509V3_set_ctx(&context, *ca, *ca, NULL, NULL, 0);
		add_extension(*ca, &context, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
		add_extension(*ca, &context, NID_key_usage, "critical,keyCertSign,cRLSign");
		add_extension(*ca, &context, NID_subject_key_identifier, "hash");
		e = cert_sign(*ca, key);
	}
	X509_NAME_free(subject);
	return e;
}

static void push_extension(STACK_OF(X509_EXTENSION) * list, int nid, const char *value)
{
	X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

	must(e && sk_X509_EXTENSION_push(list, e), "certificate extension");
}

enum err cert_make_request(X509_REQ **request, EVP_PKEY *key, const struct pki_request *what)
{
	STACK_OF(X509_EXTENSION) *wanted = sk_X509_EXTENSION_new_null();
	X509_NAME *subject = X509_NAME_new();
	struct buf names = { 0 };
	enum err e = ERR_OK;

	*request = X509_REQ_new();
	must(wanted && subject && *request, "certificate request");
	cert_add_name(subject, what->name);
	buf_printf(&names, "DNS:%s", what->name);
	for (size_t i = 0; i < what->host_count; i++) {
		uint8_t address[16];
		bool numeric = inet_pton(AF_INET, what->hosts[i], address) == 1 ||
			       inet_pton(AF_INET6, what->hosts[i], address) == 1;

		buf_printf(&names, ",%s:%s", numeric ? "IP" : "DNS", what->hosts[i]);
	}
	buf_add(&names, "", 1);
	push_extension(wanted, NID_subject_alt_name, (const char *)names.p);
	push_extension(wanted, NID_ext_key_usage,
		       what->role == PKI_COORDINATOR ? "serverAuth" : "clientAuth");
	must(X509_REQ_set_version(*request, X509_REQ_VERSION_1) &&
		 X509_REQ_set_subject_name(*request, subject) &&
		 X509_REQ_set_pubkey(*request, key) && X509_REQ_add_extensions(*request, wanted),
	     "certificate request");
	if (X509_REQ_sign(*request, key, pem_digest(key)) <= 0)
		e = err_set(ERR_INTERNAL, "signing a request: %s", must_reason());
	buf_release(&names);
	X509_NAME_free(subject);
	sk_X509_EXTENSION_pop_free(wanted, X509_EXTENSION_free);
	return e;
}

enum err cert_make(X509 **certificate, X509_REQ *request, X509 *ca, EVP_PKEY *ca_key, unsigned days)
{
	STACK_OF(X509_EXTENSION) *wanted = X509_REQ_get_extensions(request);
	X509V3_CTX context;
	X509 *x = NULL;
	enum err e;

	e = cert_start(&x, X509_REQ_get0_pubkey(request), X509_get_subject_name(ca), days);
	if (e == ERR_OK) {
		must(X509_set_subject_name(x, X509_REQ_get_subject_name(request)),
		     "certificate name");
		X509V3_set_ctx(&context, ca, x, NULL, NULL, 0);
		add_extension(x, &context, NID_basic_constraints, "critical,CA:FALSE");
		add_extension(x, &context, NID_key_usage, "critical,digitalSignature");
		add_extension(x, &context, NID_subject_key_identifier, "hash");
		add_extension(x, &context, NID_authority_key_identifier, "keyid:always");
		for (int i = 0; i < sk_X509_EXTENSION_num(wanted); i++)
			must(X509_add_ext(x, sk_X509_EXTENSION_value(wanted, i), -1),
			     "certificate extension");
		e = cert_sign(x, ca_key);
	}
	sk_X509_EXTENSION_pop_free(wanted, X509_EXTENSION_free);
	*certificate = x;
	return e;
}
