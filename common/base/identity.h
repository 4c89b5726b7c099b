/* identity.h -- files of a TLS identity: own and trusted. */
#ifndef COMMON_BASE_IDENTITY_H
#define COMMON_BASE_IDENTITY_H

/* PEM files: own chain, own key, trusted CAs. Lists of revoked certificates, or NULL: each
 * handshake looks up all certificates of a chain in them, so the list of each CA is required. The
 * file of the key's passphrase, or NULL. */
struct identity_files {
	const char *certificate, *key, *ca, *crl, *passphrase;
};

#endif
