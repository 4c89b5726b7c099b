#include "party/consent/aligned.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/progress.h"
#include "crypto/hmac.h"
#include "crypto/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { TICK = 1 << 16, LOOK_EVERY_US = 20000 };

struct set {
	uint8_t data[SHA256_LEN];
	uint64_t word[ALIGNED_WORDS];
};

/* Contents of state/aligned. The file ends after its last set; the newest set comes first. */
struct kept {
	char magic[24];
	uint8_t key[KDF_KEY_LEN];
	struct set set[ALIGNED_SETS];
};

static const char MAGIC[24] = "coterie aligned sets v1";

static size_t size_of(size_t sets)
{
	return offsetof(struct kept, set) + sets * sizeof(struct set);
}

static enum err read_kept(const char *path, struct kept *k, size_t *sets)
{
	struct buf file = { 0 };
	enum err e;

	*sets = 0;
	if (!file_exists(path)) {
		memcpy(k->magic, MAGIC, sizeof(MAGIC));
		return random_secret(k->key, sizeof(k->key));
	}
	TRY(file_read(path, sizeof(*k), &file));
	if (file.n >= size_of(0))
		*sets = (file.n - size_of(0)) / sizeof(struct set);
	if (file.n != size_of(*sets) || memcmp(file.p, MAGIC, sizeof(MAGIC)) != 0)
		e = err_set(ERR_INPUT,
			    "%s: %zu bytes that are no sets of ids: it is damaged; without it, "
			    "sets that were matched before are forgotten",
			    path, file.n);
	else {
		memcpy(k, file.p, file.n);
		e = ERR_OK;
	}
	buf_release(&file);
	return e;
}

static void aligned_summarise(const struct kept *k, const struct ids *ids, struct set *s)
{
	struct hmac *h = hmac_new((struct bytes){ k->key, sizeof(k->key) });
	uint64_t mac[HMAC_LEN / sizeof(uint64_t)];

	memset(s->word, 0, sizeof(s->word));
	for (size_t i = 0; i < ids->n; i++) {
		hmac_add(h, ids->id[i], strlen(ids->id[i]));
		hmac_end(h, (uint8_t *)mac);
		s->word[mac[0] % ALIGNED_WORDS] ^= mac[1];
		if (i % TICK == 0)
			progress_tick();
	}
	hmac_free(h);
}

static size_t differing(const struct set *a, const struct set *b)
{
	size_t words = 0;

	for (size_t w = 0; w < ALIGNED_WORDS; w++)
		words += a->word[w] != b->word[w];
	return words;
}

/* Decides whether the set is new. ERR_PEER: the set differs from an earlier one, but by fewer than
 * ALIGNED_CHANGE_MIN ids. */
static enum err aligned_check_change(const struct kept *k, size_t sets, const struct set *s,
				     const char *name, bool *is_new)
{
	*is_new = true;
	for (size_t i = 0; i < sets; i++)
		*is_new = *is_new && differing(&k->set[i], s) > 0;
	for (size_t i = 0; *is_new && i < sets; i++) {
		size_t words = differing(&k->set[i], s);

		if (words < ALIGNED_CHANGE_MIN)
			return err_set(
			    ERR_PEER,
			    "the ids of %s differ by about %zu from those of an earlier job that "
			    "matched rows: together the two would disclose which of these ids "
			    "others have; expected the same ids, or %d different ones",
			    name, words, ALIGNED_CHANGE_MIN);
	}
	return ERR_OK;
}

static enum err aligned_note_set(const char *path, const char *name, const struct ids *ids,
				 const uint8_t data[static SHA256_LEN])
{
	struct kept *k = alloc(1, sizeof(*k));
	struct set *s = alloc(1, sizeof(*s));
	bool is_new = true;
	size_t sets;
	enum err e = read_kept(path, k, &sets);

	for (size_t i = 0; i < sets && e == ERR_OK; i++)
		is_new = is_new && memcmp(k->set[i].data, data, SHA256_LEN) != 0;
	if (e == ERR_OK && is_new) {
		memcpy(s->data, data, SHA256_LEN);
		aligned_summarise(k, ids, s);
		e = aligned_check_change(k, sets, s, name, &is_new);
	}
	if (e == ERR_OK && is_new) {
		sets += sets < ALIGNED_SETS;
		memmove(&k->set[1], &k->set[0], (sets - 1) * sizeof(*s));
		k->set[0] = *s;
		e = file_write(path, (struct bytes){ (const uint8_t *)k, size_of(sets) },
			       FILE_SECRET);
	}
	wipe(k, sizeof(*k));
	free(s);
	free(k);
	return e;
}

/* Locks the state directory, waiting for other processes; *fd holds the lock until it is closed.
 * The lock has its own file, because the file of sets is replaced. */
static enum err lock(const char *state, int *fd)
{
	char *path = file_join(state, "aligned.lock");
	enum err e = ERR_OK;

	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_SECRET);
	if (*fd < 0)
		e = err_set(ERR_JOB, "%s cannot be opened: %s", path, strerror(errno));
	while (e == ERR_OK && flock(*fd, LOCK_EX | LOCK_NB) != 0) {
		e = errno == EWOULDBLOCK || errno == EINTR
			? progress_check()
			: err_set(ERR_JOB, "%s cannot be locked: %s", path, strerror(errno));
		progress_tick();
		usleep(LOOK_EVERY_US);
	}
	free(path);
	return e;
}

enum err aligned_note(const char *state, const char *name, const struct ids *ids,
		      const uint8_t data[static SHA256_LEN])
{
	char *path = file_join(state, "aligned");
	int fd = -1;
	enum err e = file_make_dirs(state);

	if (e == ERR_OK)
		e = lock(state, &fd);
	if (e == ERR_OK)
		e = aligned_note_set(path, name, ids, data);
	if (fd >= 0)
		close(fd);
	free(path);
	return e;
}
