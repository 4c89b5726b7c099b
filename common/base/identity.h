/* identity.h -- files of a TLS identity: the own certificate and key, and the trusted CAs. */
#ifndef COMMON_BASE_IDENTITY_H
#define COMMON_BASE_IDENTITY_H

/* Paths of PEM files: own certificate chain, own key, trusted CAs, and revocation lists (or NULL).
 * Each handshake looks up all certificates of a chain in the revocation lists, so their file must
 * have the list of each CA. The last path is the file of the key's passphrase, or NULL. */
struct identity_files {
	const char *certificate, *key, *ca, *crl, *passphrase;
};

#endif
