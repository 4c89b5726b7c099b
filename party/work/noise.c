#include "party/work/noise.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/prg.h"
#include "crypto/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { KEY_LEN = 32 };

/* Made by the first that asks: of two processes on one state, too. */
static enum err key_of(int fd, const char *path, uint8_t key[static KEY_LEN])
{
	ssize_t n;

	if (flock(fd, LOCK_EX) != 0)
		return err_set(ERR_JOB, "%s cannot be locked: %s", path, strerror(errno));
	n = pread(fd, key, KEY_LEN, 0);
	if (n == 0) {
		TRY(random_secret(key, KEY_LEN));
		if (pwrite(fd, key, KEY_LEN, 0) == KEY_LEN && fsync(fd) == 0)
			return ERR_OK;
	}
	if (n < 0 || n == 0)
		return err_set(ERR_JOB, "%s cannot be %s: %s", path, n ? "read" : "written",
			       strerror(errno));
	return n == KEY_LEN
		   ? ERR_OK
		   : err_set(ERR_INPUT,
			     "%s: %zd bytes, expected %d: put a backup in its place; without it "
			     "another attempt at a job would add other noise",
			     path, n, KEY_LEN);
}

static enum err read_key(const char *state, uint8_t key[static KEY_LEN])
{
	char *path = file_join(state, "noise.key");
	enum err e = file_make_dirs(state);
	int fd;

	if (e == ERR_OK) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_SECRET);
		e = fd >= 0 ? key_of(fd, path, key)
			    : err_set(ERR_JOB, "%s cannot be opened: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd); /* and with it the lock */
	}
	free(path);
	return e;
}

static enum err next_bytes(void *prg, void *p, size_t n)
{
	for (uint8_t *to = p; n > 0;) {
		size_t some = n < PRG_BLOCK ? n : PRG_BLOCK;

		prg_next(prg, to, some);
		to += some;
		n -= some;
	}
	return ERR_OK;
}

enum err work_noise(struct work *work, const char *of, struct bytes asked,
		    const struct noise_source **source)
{
	struct work_noise *noise = work->noise;
	uint8_t key[KEY_LEN], mac[HMAC_LEN];
	struct hmac *h;

	if (!noise) {
		ALLOC(noise, 1);
		noise->prg = prg_new();
		noise->source = (struct noise_source){ noise->prg, next_bytes };
		work->noise = noise;
	}
	TRY(work->state ? read_key(work->state, key) : random_secret(key, sizeof(key)));
	h = hmac_new((struct bytes){ key, KEY_LEN });
	wipe(key, sizeof(key));
	hmac_add(h, of, strlen(of) + 1);
	hmac_add(h, work->job_id, JOB_ID_LEN);
	if (work->data_hash)
		hmac_add(h, work->data_hash, SHA256_LEN);
	/* The same noise in another share, as of fewer parties, would show the number beneath. */
	if (asked.n)
		hmac_add(h, &work->L, sizeof(work->L));
	hmac_add(h, asked.p, asked.n);
	hmac_end(h, mac);
	hmac_free(h);
	prg_start(noise->prg, mac);
	wipe(mac, sizeof(mac));
	*source = &noise->source;
	return ERR_OK;
}

void work_noise_end(struct work *work)
{
	if (work->noise)
		prg_free(work->noise->prg);
	free(work->noise);
	work->noise = NULL;
}
