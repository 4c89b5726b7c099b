/* Checks this process's certificate, key and CA before use. A check fails for each reason for which
 * peers would later reject them. */
#include "proto/tls.h"
#include "proto/tls_cert.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* most certificates in a file, and most lists of revoked certificates */
enum { CERTIFICATES_MAX = 64 };
/* A certificate's owner is warned this many days before it expires. */
enum { SOON_DAYS = 21 };

void tls_date_text(const struct asn1_string_st *time, char text[static TLS_DATE])
{
	struct tm tm;

	if (!ASN1_TIME_to_tm(time, &tm) ||
	    strftime(text, TLS_DATE, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		snprintf(text, TLS_DATE, "an unreadable date");
}

/* Returns true if reading a PEM file ended because the file has no further entry. False: the next
 * entry is damaged. */
static bool was_last(void)
{
	unsigned long end = ERR_peek_last_error();

	ERR_clear_error();
	return ERR_GET_LIB(end) == ERR_LIB_PEM && ERR_GET_REASON(end) == PEM_R_NO_START_LINE;
}

/* Reads all certificates of a file. There must be at least one, and all must be readable. */
static enum err tls_check_read_all(const char *path, STACK_OF(X509) * *all)
{
	FILE *f = fopen(path, "re");
	enum err e = ERR_OK;
	int count = 0;
	bool last;
	X509 *one;

	if (!f)
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	ERR_clear_error();
	*all = sk_X509_new_null();
	while (count <= CERTIFICATES_MAX && (one = PEM_read_X509(f, NULL, NULL, NULL)))
		count = sk_X509_push(*all, one);
	last = was_last();
	fclose(f);
	if (count > CERTIFICATES_MAX)
		e = err_set(ERR_INPUT, "%s: has more than %d certificates", path, CERTIFICATES_MAX);
	else if (!last)
		e = err_set(ERR_INPUT, "%s: certificate %d in it is damaged: copy it again", path,
			    count + 1);
	else if (!count)
		e = err_set(ERR_INPUT, "%s: has no certificate in PEM", path);
	if (e != ERR_OK) {
		sk_X509_pop_free(*all, X509_free);
		*all = NULL;
	}
	return e;
}

/* Checks that each CA may sign certificates. If a party's own certificate took the place of a CA,
 * no peer would be trusted. */
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
	int lists = 0;
	bool last;

	if (!f)
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	ERR_clear_error();
	while (lists <= CERTIFICATES_MAX && (one = PEM_read_X509_CRL(f, NULL, NULL, NULL))) {
		X509_STORE_add_crl(store, one);
		X509_CRL_free(one);
		lists++;
	}
	last = was_last();
	fclose(f);
	/* Too many lists are an error. If one were skipped, the certificates that it revokes would
	 * be accepted. */
	if (lists > CERTIFICATES_MAX)
		return err_set(ERR_INPUT, "%s: has more than %d lists of revoked certificates",
			       path, CERTIFICATES_MAX);
	if (!last)
		return err_set(
		    ERR_INPUT,
		    "%s: list %d of revoked certificates (CRL) in it is damaged: fetch it again",
		    path, lists + 1);
	if (!lists)
		return err_set(ERR_INPUT, "%s: has no list of revoked certificates (CRL) in PEM",
			       path);
	/* Intermediate CAs are also looked up, because a revoked CA must not sign any more. */
	X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
	return ERR_OK;
}

static enum err refused(const struct identity_files *files, X509_STORE_CTX *v, enum tls_role role)
{
	int error = X509_STORE_CTX_get_error(v), depth = X509_STORE_CTX_get_error_depth(v);
	const X509 *cert = X509_STORE_CTX_get_current_cert(v);
	const char *ca = files->ca, *crl = files->crl, *path = depth > 0 ? ca : files->certificate;
	char date[TLS_DATE], subject[128], issuer[128];

	switch (tls_cert_verdict(error)) {
	case X509_V_ERR_CERT_HAS_EXPIRED:
		tls_date_text(X509_get0_notAfter(cert), date);
		return err_set(ERR_INPUT, "%s: this certificate expired on %s: have it renewed",
			       path, date);
	case X509_V_ERR_CERT_NOT_YET_VALID:
		tls_date_text(X509_get0_notBefore(cert), date);
		return err_set(
		    ERR_INPUT,
		    "%s: this certificate is not valid before %s: is this host's clock right?",
		    path, date);
	case X509_V_ERR_INVALID_PURPOSE:
		return err_set(ERR_INPUT,
			       "%s: this certificate is of the wrong purpose, expected %s", path,
			       role == TLS_SERVER ? "serverAuth, for a coordinator"
						  : "clientAuth, for a party");
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
		X509_NAME_oneline(X509_get_issuer_name(cert), issuer, sizeof(issuer));
		X509_NAME_oneline(X509_get_subject_name(cert), subject, sizeof(subject));
		return err_set(ERR_INPUT,
			       "%s: no list of revoked certificates in it is of %s, the CA that "
			       "signed %s: append the list of that CA (%s)",
			       crl, issuer, subject, ca);
	case X509_V_ERR_CRL_SIGNATURE_FAILURE:
		return err_set(ERR_INPUT,
			       "%s: this list of revoked certificates is not of the CA in %s", crl,
			       ca);
	default:
		return err_set(ERR_INPUT, "%s: others will not accept this certificate: %s", path,
			       X509_verify_cert_error_string(error));
	}
}

static enum err check_chain(const struct identity_files *files, STACK_OF(X509) * own,
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

enum err tls_check(enum tls_role role, const struct identity_files *files)
{
	STACK_OF(X509) *own = NULL, *trusted = NULL;
	struct tls_context *ctx;
	enum err e;

	TRY(tls_check_read_all(files->certificate, &own));
	e = tls_check_read_all(files->ca, &trusted);
	if (e == ERR_OK)
		e = tls_context_new(&ctx, role, files);
	if (e == ERR_OK) {
		tls_context_free(ctx);
		e = check_ca(files->ca, trusted);
	}
	if (e == ERR_OK)
		e = check_chain(files, own, trusted, role);
	sk_X509_pop_free(own, X509_free);
	sk_X509_pop_free(trusted, X509_free);
	return e;
}

/* Returns the time from now until the first certificate of a file expires, as days and seconds of
 * the same sign. */
static enum err first_end(const char *path, int *days, int *seconds, char date[static TLS_DATE])
{
	const ASN1_TIME *first = NULL;
	STACK_OF(X509) *all = NULL;

	TRY(tls_check_read_all(path, &all));
	for (int i = 0; i < sk_X509_num(all); i++) {
		const ASN1_TIME *end = X509_get0_notAfter(sk_X509_value(all, i));

		if (!first || ASN1_TIME_compare(end, first) < 0)
			first = end;
	}
	tls_date_text(first, date);
	if (!ASN1_TIME_diff(days, seconds, NULL, first))
		*days = *seconds = 0;
	sk_X509_pop_free(all, X509_free);
	return ERR_OK;
}

enum err tls_days_left(const char *path, int *days, char date[static TLS_DATE])
{
	int seconds;

	TRY(first_end(path, days, &seconds, date));
	if (seconds < 0)
		--*days;
	return ERR_OK;
}

enum err tls_ends(const char *path, time_t *when)
{
	char date[TLS_DATE];
	int days, seconds;

	TRY(first_end(path, &days, &seconds, date));
	*when = time(NULL) + (time_t)days * 86400 + seconds;
	return ERR_OK;
}

static void tls_check_add_name(const GENERAL_NAME *name, struct buf *names, size_t *n)
{
	const ASN1_STRING *s = name->type == GEN_DNS ? name->d.dNSName : name->d.iPAddress;
	int len = ASN1_STRING_length(s);
	char address[INET6_ADDRSTRLEN];

	if (name->type == GEN_DNS)
		buf_printf(names, "%s%.*s", (*n)++ ? ", " : "", len,
			   (const char *)ASN1_STRING_get0_data(s));
	else if (name->type == GEN_IPADD && (len == 4 || len == 16) &&
		 inet_ntop(len == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(s), address,
			   sizeof(address)))
		buf_printf(names, "%s%s", (*n)++ ? ", " : "", address);
}

enum err tls_names(const char *path, struct buf *names, size_t *n)
{
	STACK_OF(X509) *certificates = NULL;
	GENERAL_NAMES *all;

	*n = 0;
	TRY(tls_check_read_all(path, &certificates));
	all = X509_get_ext_d2i(sk_X509_value(certificates, 0), NID_subject_alt_name, NULL, NULL);
	for (int i = 0; i < sk_GENERAL_NAME_num(all); i++)
		tls_check_add_name(sk_GENERAL_NAME_value(all, i), names, n);
	buf_add(names, "", 1);
	GENERAL_NAMES_free(all);
	sk_X509_pop_free(certificates, X509_free);
	return ERR_OK;
}

bool tls_for_browsers(const char *path)
{
	STACK_OF(X509) *certificates = NULL;
	X509 *first;
	bool good;

	if (tls_check_read_all(path, &certificates) != ERR_OK)
		return false;
	first = sk_X509_value(certificates, 0);
	good = X509_get_signature_nid(first) != NID_ED25519 &&
	       !EVP_PKEY_is_a(X509_get0_pubkey(first), "ED25519");
	sk_X509_pop_free(certificates, X509_free);
	return good;
}

bool tls_expires_soon(const char *certificate, int *days, char date[static TLS_DATE])
{
	return tls_days_left(certificate, days, date) == ERR_OK && *days < SOON_DAYS;
}

bool tls_lists_expire(const char *crl, int64_t *seconds, char date[static TLS_DATE])
{
	FILE *f = fopen(crl, "re");
	X509_CRL *one;
	bool any = false;

	while (f && (one = PEM_read_X509_CRL(f, NULL, NULL, NULL))) {
		const ASN1_TIME *next = X509_CRL_get0_nextUpdate(one);
		int days, rest;

		if (next && ASN1_TIME_diff(&days, &rest, NULL, next) &&
		    (!any || (int64_t)days * 86400 + rest < *seconds)) {
			*seconds = (int64_t)days * 86400 + rest;
			tls_date_text(next, date);
			any = true;
		}
		X509_CRL_free(one);
	}
	ERR_clear_error();
	if (f)
		fclose(f);
	return any;
}
