/* identity.h -- files of a TLS identity: own and trusted. */
#ifndef COMMON_BASE_IDENTITY_H
#define COMMON_BASE_IDENTITY_H

/* PEM files: own chain, own key, trusted CAs; their lists of revoked certificates, or NULL: all
 * certificates of a chain are looked up in them at each handshake, so each CA's list must be there;
 * and the file of the key's passphrase, or NULL. */
struct identity_files {
	const char *certificate, *key, *ca, *crl, *passphrase;
};

#endif
