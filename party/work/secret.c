#include "party/work/secret.h"
#include "common/base/file.h"
#include "crypto/hash.h"
#include "crypto/secret.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { KEY_LEN = 32, HEAD_AT = KEY_LEN, HEAD_LEN = 8 + SHA256_LEN, WHOLE = KEY_LEN + HEAD_LEN };

/* The file state/noise.key, open and locked, and its contents. */
struct secret {
	char *path;
	int fd;
	size_t n; /* number of bytes: KEY_LEN or WHOLE */
	uint8_t bytes[WHOLE];
};

static enum err secret_write(struct secret *s, size_t n)
{
	if (pwrite(s->fd, s->bytes, n, 0) != (ssize_t)n || fdatasync(s->fd) != 0)
		return err_set(ERR_JOB, "%s cannot be written: %s", s->path, strerror(errno));
	s->n = n;
	return ERR_OK;
}

/* Locks and reads the file. If it is empty, draws the secret and writes it, so the process that
 * locks the file first draws it. */
static enum err secret_load(struct secret *s)
{
	uint8_t more[WHOLE + 1];
	ssize_t n;

	if (flock(s->fd, LOCK_EX) != 0)
		return err_set(ERR_JOB, "%s cannot be locked: %s", s->path, strerror(errno));
	n = pread(s->fd, more, sizeof(more), 0);
	if (n < 0)
		return err_set(ERR_JOB, "%s cannot be read: %s", s->path, strerror(errno));
	if (n == 0) {
		TRY(random_secret(s->bytes, KEY_LEN));
		TRY(secret_write(s, KEY_LEN));
		return file_sync_dir(s->path);
	}
	s->n = (size_t)n;
	if (s->n == KEY_LEN || s->n == WHOLE)
		memcpy(s->bytes, more, s->n);
	wipe(more, sizeof(more));
	if (s->n == KEY_LEN || s->n == WHOLE)
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "%s: %zd bytes, expected %d or %d: put a backup in its place; without it "
		       "another attempt at a job would add other noise",
		       s->path, n, KEY_LEN, WHOLE);
}

/* Opens the file and calls secret_load(). If the file does not exist, creates it if `make` is true,
 * and otherwise only leaves s->n 0. */
static enum err secret_open(struct secret *s, const char *state, bool make)
{
	*s = (struct secret){ .path = file_join(state, "noise.key"), .fd = -1 };
	if (make)
		TRY(file_make_dirs(state));
	s->fd = open(s->path, O_RDWR | O_CLOEXEC | (make ? O_CREAT : 0), FILE_SECRET);
	if (s->fd < 0 && errno == ENOENT && !make)
		return ERR_OK;
	if (s->fd < 0)
		return err_set(ERR_JOB, "%s cannot be opened: %s", s->path, strerror(errno));
	return secret_load(s);
}

static void secret_close(struct secret *s)
{
	if (s->fd >= 0)
		close(s->fd); /* also releases the lock */
	wipe(s->bytes, sizeof(s->bytes));
	free(s->path);
}

enum err secret_hmac(const struct work *work, struct hmac **h)
{
	struct secret s = { .fd = -1 };
	enum err e =
	    work->state ? secret_open(&s, work->state, true) : random_secret(s.bytes, KEY_LEN);

	*h = e == ERR_OK ? hmac_new((struct bytes){ s.bytes, KEY_LEN }) : NULL;
	secret_close(&s);
	return e;
}

enum err secret_key(const struct work *work, const char *purpose, uint8_t key[static HMAC_LEN])
{
	struct hmac *h;

	TRY(secret_hmac(work, &h));
	hmac_add(h, purpose, strlen(purpose) + 1);
	hmac_add(h, work->job_id, JOB_ID_LEN);
	hmac_add(h, work->coordinator, sizeof(work->coordinator));
	hmac_end(h, key);
	hmac_free(h);
	return ERR_OK;
}

static void head_read(const struct secret *s, struct ledger_head *head)
{
	uint64_t count = 0;

	*head = (struct ledger_head){ 0 };
	if (s->n < WHOLE)
		return;
	memcpy(&count, s->bytes + HEAD_AT, sizeof(count));
	head->count = be64toh(count);
	memcpy(head->hash, s->bytes + HEAD_AT + sizeof(count), SHA256_LEN);
}

enum err secret_keep_head(const char *state, const struct ledger_head *head, bool make)
{
	uint64_t count = htobe64(head->count);
	struct ledger_head then;
	struct secret s;
	enum err e = secret_open(&s, state, make);

	head_read(&s, &then);
	if (e == ERR_OK && s.n && head->count > then.count) {
		memcpy(s.bytes + HEAD_AT, &count, sizeof(count));
		memcpy(s.bytes + HEAD_AT + sizeof(count), head->hash, SHA256_LEN);
		e = secret_write(&s, WHOLE);
	}
	secret_close(&s);
	return e;
}

enum err secret_head(const char *state, struct ledger_head *head)
{
	struct secret s;
	enum err e = secret_open(&s, state, false);

	head_read(&s, head);
	secret_close(&s);
	return e;
}
