/* identity.h -- files of a TLS identity: the own certificate and key, and the trusted CAs. */
#ifndef COMMON_BASE_IDENTITY_H
#define COMMON_BASE_IDENTITY_H

/* PEM files: own certificate chain, own key, trusted CAs. Also a file of revocation lists, or NULL.
 * Each handshake looks up all certificates of a chain in these lists, so the file must have the
 * list of each CA. Also the file of the key's passphrase, or NULL. */
struct identity_files {
	const char *certificate, *key, *ca, *crl, *passphrase;
};

#endif
