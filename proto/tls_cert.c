#include "proto/tls_cert.h"
#include "proto/tls.h"

#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

bool tls_cert_name(X509 *cert, char name[static MSG_NAME_MAX + 1])
{
	GENERAL_NAMES *all = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
	bool found = false;

	for (int i = 0; i < sk_GENERAL_NAME_num(all) && !found; i++) {
		const GENERAL_NAME *one = sk_GENERAL_NAME_value(all, i);
		const unsigned char *text;
		int len;

		if (one->type != GEN_DNS)
			continue;
		text = ASN1_STRING_get0_data(one->d.dNSName);
		len = ASN1_STRING_length(one->d.dNSName);
		found = len >= 1 && len <= MSG_NAME_MAX;
		for (int k = 0; found && k < len; k++)
			found = text[k] > 0x20 && text[k] < 0x7f;
		if (!found)
			break;
		memcpy(name, text, (size_t)len);
		name[len] = '\0';
	}
	GENERAL_NAMES_free(all);
	return found;
}

void tls_clock_text(char text[static TLS_DATE])
{
	ASN1_TIME *now = X509_gmtime_adj(NULL, 0);

	tls_date_text(now, text);
	ASN1_TIME_free(now);
}

int tls_cert_verdict(int error)
{
	switch (error) {
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
	case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
	case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
	case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
	case X509_V_ERR_CERT_SIGNATURE_FAILURE:
		return X509_V_ERR_CERT_SIGNATURE_FAILURE;
	default:
		return error;
	}
}

/* Text with a certificate's date, this host's time, and advice that holds if the clocks of both
 * hosts are right. */
#define CLOCKS "%s (it is %s here: if that is right, and so is the clock there, %s)"

void tls_cert_refused(X509_STORE_CTX *store, int depth, bool server, char *text, size_t size)
{
	X509 *cert = X509_STORE_CTX_get_current_cert(store);
	char name[MSG_NAME_MAX + 1], date[TLS_DATE], now[TLS_DATE], shown[MSG_NAME_MAX + 16] = "";
	char which[192] = "";
	int error = X509_STORE_CTX_get_error(store);
	const char *what;

	tls_clock_text(now);
	if (cert && tls_cert_name(cert, name))
		snprintf(shown, sizeof(shown), " (for %s)", name);
	switch (tls_cert_verdict(error)) {
	case X509_V_ERR_CERT_HAS_EXPIRED:
		what = "that expired on ";
		tls_date_text(X509_get0_notAfter(cert), date);
		snprintf(which, sizeof(which), CLOCKS, date, now, "have it renewed");
		break;
	case X509_V_ERR_CERT_NOT_YET_VALID:
		what = "that is not valid before ";
		tls_date_text(X509_get0_notBefore(cert), date);
		snprintf(which, sizeof(which), CLOCKS, date, now, "wait until then");
		break;
	case X509_V_ERR_CERT_SIGNATURE_FAILURE:
		what = "that our CA did not sign (unknown CA)";
		break;
	case X509_V_ERR_CERT_REVOKED:
		what = "that our CA has revoked";
		break;
	case X509_V_ERR_CRL_HAS_EXPIRED:
		tls_date_text(X509_CRL_get0_nextUpdate(X509_STORE_CTX_get0_current_crl(store)),
			      date);
		what = "that cannot be looked up: our list of revoked certificates (identity.crl) "
		       "has expired, on ";
		snprintf(which, sizeof(which), "%s (it is %s here)", date, now);
		break;
	case X509_V_ERR_UNABLE_TO_GET_CRL:
		what = "of whose CA we have no list of revoked certificates (identity.crl): ";
		X509_NAME_oneline(X509_get_issuer_name(cert), which, sizeof(which));
		break;
	case X509_V_ERR_INVALID_PURPOSE:
		what = "of the wrong purpose, expected ";
		snprintf(which, sizeof(which), "%s",
			 server ? "clientAuth, for one who dials"
				: "serverAuth, for one who listens");
		break;
	default:
		what = "that was not accepted: ";
		snprintf(which, sizeof(which), "%s", X509_verify_cert_error_string(error));
	}
	snprintf(text, size, "shows %s%s %s%s",
		 depth == 0 ? "a certificate" : "a chain with a certificate", shown, what, which);
}

int tls_cert_error(int error)
{
	switch (error) {
	case X509_V_ERR_CRL_HAS_EXPIRED:
	case X509_V_ERR_CRL_NOT_YET_VALID:
	case X509_V_ERR_UNABLE_TO_GET_CRL:
	case X509_V_ERR_CRL_SIGNATURE_FAILURE:
		/* makes OpenSSL send the alert "certificate unknown" */
		return X509_V_ERR_CRL_PATH_VALIDATION_ERROR;
	case X509_V_ERR_CERT_NOT_YET_VALID:
		return X509_V_ERR_CERT_HAS_EXPIRED; /* its alert also means "not currently valid" */
	default:
		return error;
	}
}
