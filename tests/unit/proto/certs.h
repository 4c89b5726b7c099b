/* certs.h -- certificates for tests, made in a temporary directory that is removed at exit. */
#ifndef TESTS_UNIT_PROTO_CERTS_H
#define TESTS_UNIT_PROTO_CERTS_H

#include <assert.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CERT_PATH = 256 };

struct cert_ca {
	X509 *cert;
	EVP_PKEY *key;
	char path[CERT_PATH];
};

/* Contents of a certificate. If all fields are 0, the certificate is a valid party's, from
 * yesterday to tomorrow. */
struct cert_wish {
	const char *name;     /* DNS name; NULL: none */
	const char *usage;    /* "serverAuth", ...; NULL: "clientAuth"; "": none */
	int from_day, to_day; /* days after today; if both are 0: -1 and 1 */
	bool p256;            /* the key is a P-256 key instead of Ed25519 */
	const char *second;   /* a second DNS name */
};

struct cert_files {
	char cert[CERT_PATH], key[CERT_PATH];
	unsigned char fingerprint[32]; /* SHA-256 of the public key */
};

static char certs_dir[64];

static inline void certs_remove(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", certs_dir);
	if (certs_dir[0] && system(command) != 0)
		perror("rm");
}

static inline void certs_path(char path[CERT_PATH], const char *file, const char *suffix)
{
	static int number;

	if (!certs_dir[0]) {
		strcpy(certs_dir, "/tmp/coterie-test-XXXXXX");
		if (!mkdtemp(certs_dir))
			abort();
		atexit(certs_remove);
	}
	snprintf(path, CERT_PATH, "%s/%d-%s.%s", certs_dir, number++, file, suffix);
}

static inline EVP_PKEY *certs_key(bool p256)
{
	EVP_PKEY *key = p256 ? EVP_EC_gen("P-256") : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");

	if (!key)
		abort();
	return key;
}

static inline void certs_extend(X509 *cert, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX ctx;
	X509_EXTENSION *ext;

	X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
	ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	if (!ext || !X509_add_ext(cert, ext, -1))
		abort();
	X509_EXTENSION_free(ext);
}

static inline X509 *certs_blank(EVP_PKEY *key, const char *common_name, int from_day, int to_day)
{
	static long serial = 1;
	X509 *cert = X509_new();
	X509_NAME *name = X509_get_subject_name(cert);

	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
	X509_time_adj_ex(X509_getm_notBefore(cert), from_day, 0, NULL);
	X509_time_adj_ex(X509_getm_notAfter(cert), to_day, 0, NULL);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common_name, -1,
				   -1, 0);
	X509_set_pubkey(cert, key);
	return cert;
}

static inline void certs_write(const char *path, X509 *cert, EVP_PKEY *key)
{
	FILE *f = fopen(path, "w");

	if (!f || (cert && !PEM_write_X509(f, cert)) ||
	    (key && !PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL)) || fclose(f) != 0)
		abort();
}

static inline void certs_ca(struct cert_ca *ca, const char *name)
{
	ca->key = certs_key(true);
	ca->cert = certs_blank(ca->key, name, -30, 30);
	X509_set_issuer_name(ca->cert, X509_get_subject_name(ca->cert));
	certs_extend(ca->cert, ca->cert, NID_basic_constraints, "critical,CA:TRUE");
	certs_extend(ca->cert, ca->cert, NID_key_usage, "critical,keyCertSign,cRLSign");
	if (!X509_sign(ca->cert, ca->key, EVP_sha256()))
		abort();
	certs_path(ca->path, name, "crt");
	certs_write(ca->path, ca->cert, NULL);
}

static inline void certs_ca_release(struct cert_ca *ca)
{
	X509_free(ca->cert);
	EVP_PKEY_free(ca->key);
}

static inline void certs_issue(struct cert_files *files, const struct cert_ca *ca,
			       const struct cert_wish *wish)
{
	EVP_PKEY *key = certs_key(wish->p256);
	bool dated = wish->from_day || wish->to_day;
	X509 *cert =
	    certs_blank(key, "unused", dated ? wish->from_day : -1, dated ? wish->to_day : 1);
	const char *usage = wish->usage ? wish->usage : "clientAuth";
	const char *file = wish->name ? wish->name : "nameless";
	unsigned char *der = NULL;
	int len;
	char names[256];

	X509_set_issuer_name(cert, X509_get_subject_name(ca->cert));
	if (wish->name) {
		snprintf(names, sizeof(names), "DNS:%s%s%s", wish->name,
			 wish->second ? ",DNS:" : "", wish->second ? wish->second : "");
		certs_extend(cert, ca->cert, NID_subject_alt_name, names);
	}
	if (usage[0])
		certs_extend(cert, ca->cert, NID_ext_key_usage, usage);
	if (!X509_sign(cert, ca->key, EVP_sha256()))
		abort();
	certs_path(files->cert, strlen(file) < 40 ? file : "long", "crt");
	certs_path(files->key, strlen(file) < 40 ? file : "long", "key");
	certs_write(files->cert, cert, NULL);
	certs_write(files->key, NULL, key);
	len = i2d_PUBKEY(key, &der);
	EVP_Digest(der, (size_t)len, files->fingerprint, NULL, EVP_sha256(), NULL);
	OPENSSL_free(der);
	X509_free(cert);
	EVP_PKEY_free(key);
}

#endif
