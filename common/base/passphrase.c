#include "common/base/passphrase.h"
#include "common/base/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* systemd lets a unit's user at a credential by an access list, whose mask stands where the group's
 * bits are: 0440. The group has no part in it, and nobody else gets into the directory. */
static bool is_credential(const char *path)
{
	const char *directory = getenv("CREDENTIALS_DIRECTORY");
	size_t n = directory ? strlen(directory) : 0;

	return n > 1 && directory[0] == '/' && strncmp(path, directory, n) == 0 && path[n] == '/' &&
	       !strchr(path + n + 1, '/');
}

enum err passphrase_read(struct passphrase *p, const char *path)
{
	struct buf bytes = { 0 };
	struct stat st;
	mode_t others;
	size_t n;
	enum err e;

	*p = (struct passphrase){ 0 };
	if (!path)
		return ERR_OK;
	e = file_read(path, PASSPHRASE_MAX, &bytes);
	for (n = bytes.n; n && (bytes.p[n - 1] == '\n' || bytes.p[n - 1] == '\r');)
		n--;
	others = is_credential(path) ? 037 : 077;
	if (e == ERR_OK && stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & others))
		e = err_set(ERR_INPUT, "%s: mode %04o lets others at the passphrase: chmod 600 %s",
			    path, (unsigned)st.st_mode & 07777, path);
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
		return err_set(
		    ERR_INPUT,
		    "%s: the private key is encrypted: give the file of its passphrase as "
		    "identity.passphrase",
		    key);
	if (p->asked && !read)
		return err_set(ERR_INPUT, "%s: the passphrase in %s does not open it", key, path);
	if (p->given && !p->asked && read)
		return err_set(ERR_INPUT,
			       "%s: the private key is not encrypted, but identity.passphrase is "
			       "%s: leave it out, "
			       "or encrypt the key",
			       key, path);
	return ERR_OK;
}
