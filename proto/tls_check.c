/* Own certificate, key and CA before they are used: what peers would refuse later, said at once. */
#include "proto/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CERTIFICATES_MAX = 64 }; /* in one file */
enum { SOON_DAYS = 21 };        /* before a certificate expires its owner is told */

static void date_text(const ASN1_TIME *time, char text[static 40])
{
	struct tm tm;

	if (!ASN1_TIME_to_tm(time, &tm) || strftime(text, 40, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		snprintf(text, 40, "an unreadable date");
}

/* All certificates of a file; at least one. */
static enum err read_all(const char *path, STACK_OF(X509) * *all)
{
	FILE *f = fopen(path, "re");
	X509 *one;

	if (!f)
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	*all = sk_X509_new_null();
	while (sk_X509_num(*all) < CERTIFICATES_MAX && (one = PEM_read_X509(f, NULL, NULL, NULL)))
		sk_X509_push(*all, one);
	ERR_clear_error(); /* that there is no further one */
	fclose(f);
	if (sk_X509_num(*all) > 0)
		return ERR_OK;
	sk_X509_free(*all);
	*all = NULL;
	return err_set(ERR_INPUT, "%s: has no certificate in PEM", path);
}

/* Who signs must be allowed to: a party's own certificate in the CA's place would trust nobody
 * else. */
static enum err check_ca(const char *path, STACK_OF(X509) * ca)
{
	char name[128];

	for (int i = 0; i < sk_X509_num(ca); i++) {
		X509 *one = sk_X509_value(ca, i);

		if (X509_check_ca(one))
			continue;
		X509_NAME_oneline(X509_get_subject_name(one), name, sizeof(name));
		return err_set(ERR_INPUT,
			       "%s: is the certificate of %s, not of a CA: it cannot sign others",
			       path, name);
	}
	return ERR_OK;
}

enum err tls_load_crl(X509_STORE *store, const char *path)
{
	FILE *f = fopen(path, "re");
	X509_CRL *one;
	unsigned long end;
	int lists = 0;

	if (!f)
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	ERR_clear_error();
	while (lists <= CERTIFICATES_MAX && (one = PEM_read_X509_CRL(f, NULL, NULL, NULL))) {
		X509_STORE_add_crl(store, one);
		X509_CRL_free(one);
		lists++;
	}
	end = ERR_peek_last_error();
	ERR_clear_error();
	fclose(f);
	/* A list that is left out would let in whom it revokes. */
	if (lists > CERTIFICATES_MAX)
		return err_set(ERR_INPUT, "%s: has more than %d lists of revoked certificates",
			       path, CERTIFICATES_MAX);
	if (ERR_GET_LIB(end) != ERR_LIB_PEM || ERR_GET_REASON(end) != PEM_R_NO_START_LINE)
		return err_set(ERR_INPUT,
			       "%s: list %d of revoked certificates (CRL) in it is damaged: fetch "
			       "it again",
			       path, lists + 1);
	if (!lists)
		return err_set(ERR_INPUT, "%s: has no list of revoked certificates (CRL) in PEM",
			       path);
	X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
	return ERR_OK;
}

static enum err refused(const struct tls_files *files, X509_STORE_CTX *v, enum tls_role role)
{
	int error = X509_STORE_CTX_get_error(v), depth = X509_STORE_CTX_get_error_depth(v);
	const X509 *cert = X509_STORE_CTX_get_current_cert(v);
	const char *ca = files->ca, *crl = files->crl, *path = depth > 0 ? ca : files->certificate;
	char date[40];

	switch (error) {
	case X509_V_ERR_CERT_HAS_EXPIRED:
		date_text(X509_get0_notAfter(cert), date);
		return err_set(ERR_INPUT, "%s: this certificate expired on %s: have it renewed",
			       path, date);
	case X509_V_ERR_CERT_NOT_YET_VALID:
		date_text(X509_get0_notBefore(cert), date);
		return err_set(
		    ERR_INPUT,
		    "%s: this certificate is not valid before %s: is this host's clock right?",
		    path, date);
	case X509_V_ERR_INVALID_PURPOSE:
		return err_set(ERR_INPUT,
			       "%s: this certificate is of the wrong purpose, expected %s", path,
			       role == TLS_SERVER ? "serverAuth, for a coordinator"
						  : "clientAuth, for a party");
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
	case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
	case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
	case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
	case X509_V_ERR_CERT_SIGNATURE_FAILURE:
		return err_set(ERR_INPUT, "%s: this certificate was not signed by the CA in %s",
			       path, ca);
	case X509_V_ERR_CERT_REVOKED:
		return err_set(ERR_INPUT,
			       "%s: this certificate was revoked, says %s: have a new one signed",
			       path, crl);
	case X509_V_ERR_CRL_HAS_EXPIRED:
		return err_set(
		    ERR_INPUT,
		    "%s: this list of revoked certificates has expired: fetch the CA's next one",
		    crl);
	case X509_V_ERR_CRL_NOT_YET_VALID:
		return err_set(ERR_INPUT,
			       "%s: this list of revoked certificates is not valid yet: is this "
			       "host's clock right?",
			       crl);
	case X509_V_ERR_UNABLE_TO_GET_CRL:
	case X509_V_ERR_CRL_SIGNATURE_FAILURE:
		return err_set(ERR_INPUT,
			       "%s: this list of revoked certificates is not of the CA in %s", crl,
			       ca);
	default:
		return err_set(ERR_INPUT, "%s: others will not accept this certificate: %s", path,
			       X509_verify_cert_error_string(error));
	}
}

static enum err check_chain(const struct tls_files *files, STACK_OF(X509) * own,
			    STACK_OF(X509) * ca, enum tls_role role)
{
	X509_STORE *store = X509_STORE_new();
	X509_STORE_CTX *v = X509_STORE_CTX_new();
	enum err e = ERR_OK;

	for (int i = 0; i < sk_X509_num(ca); i++)
		X509_STORE_add_cert(store, sk_X509_value(ca, i));
	if (files->crl)
		e = tls_load_crl(store, files->crl);
	if (e == ERR_OK && (!v || !X509_STORE_CTX_init(v, store, sk_X509_value(own, 0), own)))
		e = err_set(ERR_INTERNAL, "%s: could not be verified", files->certificate);
	if (e == ERR_OK) {
		X509_STORE_CTX_set_purpose(v, role == TLS_SERVER ? X509_PURPOSE_SSL_SERVER
								 : X509_PURPOSE_SSL_CLIENT);
		if (X509_verify_cert(v) != 1)
			e = refused(files, v, role);
	}
	X509_STORE_CTX_free(v);
	X509_STORE_free(store);
	ERR_clear_error();
	return e;
}

enum err tls_check(enum tls_role role, const struct tls_files *files)
{
	STACK_OF(X509) *own = NULL, *trusted = NULL;
	struct tls_context *ctx;
	enum err e;

	TRY(tls_context_new(&ctx, role, files));
	tls_context_free(ctx);
	TRY(read_all(files->certificate, &own));
	e = read_all(files->ca, &trusted);
	if (e == ERR_OK)
		e = check_ca(files->ca, trusted);
	if (e == ERR_OK)
		e = check_chain(files, own, trusted, role);
	sk_X509_pop_free(own, X509_free);
	sk_X509_pop_free(trusted, X509_free);
	return e;
}

bool tls_expires_soon(const char *certificate, int *days, char date[static 40])
{
	STACK_OF(X509) *own = NULL;
	int seconds;
	bool soon;

	if (read_all(certificate, &own) != ERR_OK)
		return false;
	date_text(X509_get0_notAfter(sk_X509_value(own, 0)), date);
	soon = ASN1_TIME_diff(days, &seconds, NULL, X509_get0_notAfter(sk_X509_value(own, 0))) &&
	       *days < SOON_DAYS;
	sk_X509_pop_free(own, X509_free);
	return soon;
}
