#include "crypto/pem.h"
#include "common/base/buf.h"
#include "common/base/file.h"
#include "crypto/must.h"
#include "crypto/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/pem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Instead of asking on the terminal. */
static int no_passphrase(char *text, int size, int writing, void *seen)
{
	(void)text, (void)size, (void)writing;
	*(bool *)seen = true;
	return -1;
}

/* An object of one of the three kinds. */
static enum err load(void **object, const char *path, enum pem_kind kind)
{
	static const char *const what[] = { [PEM_KEY] = "private key",
					    [PEM_CERTIFICATE] = "certificate",
					    [PEM_REQUEST] = "certificate request" };
	bool encrypted = false;
	struct buf t = { 0 };
	struct stat st;
	BIO *bio;
	enum err e;

	*object = NULL;
	if (kind == PEM_KEY && stat(path, &st))
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	if (kind == PEM_KEY && S_ISREG(st.st_mode) && (st.st_mode & (S_IRWXG | S_IRWXO)))
		return err_set(ERR_INPUT,
			       "%s: mode %04o lets others at the private key: chmod 600 %s", path,
			       st.st_mode & 07777, path);
	e = file_read(path, PEM_MAX, &t);
	if (e == ERR_OK) {
		bio = BIO_new_mem_buf(t.p, (int)t.n);
		must(bio, "memory BIO");
		if (kind == PEM_KEY)
			*object = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, &encrypted);
		else if (kind == PEM_CERTIFICATE)
			*object = PEM_read_bio_X509(bio, NULL, no_passphrase, &encrypted);
		else
			*object = PEM_read_bio_X509_REQ(bio, NULL, no_passphrase, &encrypted);
		BIO_free(bio);
		if (!*object && encrypted)
			e = err_set(ERR_INPUT,
				    "%s: the private key is encrypted, which is not supported: "
				    "protect it by its file mode",
				    path);
		else if (!*object)
			e = err_set(ERR_INPUT, "%s: no %s in PEM found (%s)", path, what[kind],
				    must_reason());
	}
	must_reason();
	text_release(&t);
	return e;
}

enum err pem_key(EVP_PKEY **key, const char *path)
{
	void *object;

	*key = NULL;
	TRY(load(&object, path, PEM_KEY));
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
	enum err e = load(&object, path, PEM_CERTIFICATE);

	*certificate = object;
	return e;
}

enum err pem_request(X509_REQ **request, const char *path)
{
	void *object;
	enum err e = load(&object, path, PEM_REQUEST);

	*request = object;
	return e;
}

/* Takes the place with an empty file first, so that nothing is ever overwritten. */
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
	BIO *bio = BIO_new(BIO_s_secmem()); /* cleanses what it frees */
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
