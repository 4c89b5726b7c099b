#include "common/base/passphrase.h"
#include "common/base/file.h"

#include <string.h>

enum err passphrase_read(struct passphrase *p, const char *path)
{
	struct buf bytes = { 0 };
	size_t n;
	enum err e;

	*p = (struct passphrase){ 0 };
	if (!path)
		return ERR_OK;
	e = file_read(path, PASSPHRASE_MAX, &bytes);
	for (n = bytes.n; n && (bytes.p[n - 1] == '\n' || bytes.p[n - 1] == '\r');)
		n--;
	if (e == ERR_OK)
		e = file_check_secret(path, "the passphrase");
	if (e == ERR_OK && n == 0)
		e = err_set(ERR_INPUT, "%s: has no passphrase in it", path);
	if (e == ERR_OK && (memchr(bytes.p, '\n', n) || memchr(bytes.p, 0, n)))
		e = err_set(ERR_INPUT, "%s: expected the passphrase as one line of text", path);
	if (e == ERR_OK) {
		memcpy(p->text, bytes.p, n);
		p->n = n;
		p->given = true;
	}
	if (bytes.n)
		explicit_bzero(bytes.p, bytes.n);
	buf_release(&bytes);
	return e;
}

void passphrase_wipe(struct passphrase *p)
{
	explicit_bzero(p, sizeof(*p));
}

int passphrase_give(char *text, int size, int writing, void *passphrase)
{
	struct passphrase *p = passphrase;

	(void)writing;
	p->asked = true;
	if (!p->given || p->n > (size_t)size)
		return -1;
	memcpy(text, p->text, p->n);
	return (int)p->n;
}

enum err passphrase_check(const struct passphrase *p, bool read, const char *key, const char *path)
{
	if (p->asked && !p->given)
		return err_set(ERR_INPUT,
			       "%s: the private key is encrypted: give the file of its passphrase "
			       "as identity.passphrase",
			       key);
	if (p->asked && !read)
		return err_set(ERR_INPUT, "%s: the passphrase in %s does not open it", key, path);
	if (p->given && !p->asked && read)
		return err_set(ERR_INPUT,
			       "%s: the private key is not encrypted, but identity.passphrase is "
			       "%s: leave it out, or encrypt the key",
			       key, path);
	return ERR_OK;
}
