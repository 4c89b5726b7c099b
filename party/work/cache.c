#include "party/work/cache.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/progress.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file consists of magic, key, piece, and the SHA-256 of these three. */
enum { MAGIC_LEN = 8, HEAD_LEN = MAGIC_LEN + SHA256_LEN, KEY_SHOWN = 8 };
static const char MAGIC[MAGIC_LEN + 1] = "COTCACH1";
static const char SUFFIX[] = ".cache";

char *cache_dir(const char *state)
{
	return file_join(state, "cache");
}

/* Returns the file's path. The name contains a part of the key that suffices to distinguish pieces.
 * The file contains the whole key. */
static char *cache_path_of(const char *dir, const char *name, const uint8_t *key)
{
	char hex[2 * KEY_SHOWN + 1], text[CACHE_NAME_MAX + sizeof(hex) + 16];

	hex_write(key, KEY_SHOWN, hex);
	snprintf(text, sizeof(text), "%.*s-%s%s", CACHE_NAME_MAX, name, hex, SUFFIX);
	return file_join(dir, text);
}

bool cache_find(const char *dir, const char *name, const uint8_t key[static SHA256_LEN], size_t max,
		struct buf *file, struct bytes *piece)
{
	char *path = dir ? cache_path_of(dir, name, key) : NULL;
	uint8_t sum[SHA256_LEN];
	bool found = false;

	*file = (struct buf){ 0 };
	if (!path || !file_exists(path)) {
		free(path);
		return false;
	}
	if (file_read(path, max + HEAD_LEN + SHA256_LEN, file) != ERR_OK) {
		log_warn("the cache is not used: %s", err_detail());
	} else {
		found = file->n >= HEAD_LEN + SHA256_LEN &&
			memcmp(file->p, MAGIC, MAGIC_LEN) == 0 &&
			memcmp(file->p + MAGIC_LEN, key, SHA256_LEN) == 0;
		if (found)
			sha256_of(file->p, file->n - SHA256_LEN, sum);
		found = found && memcmp(sum, file->p + file->n - SHA256_LEN, SHA256_LEN) == 0;
		if (!found)
			log_warn("%s is damaged: recomputing it", path);
	}
	if (found) {
		*piece = (struct bytes){ file->p + HEAD_LEN, file->n - HEAD_LEN - SHA256_LEN };
	} else {
		buf_release(file);
		unlink(path);
	}
	free(path);
	return found;
}

void cache_keep(const char *dir, const char *name, const uint8_t key[static SHA256_LEN],
		struct bytes piece)
{
	struct buf file = { 0 };
	uint8_t sum[SHA256_LEN];
	char *path;
	enum err e;

	if (!dir || progress_stopped()) /* after a stop, the piece may be incomplete */
		return;
	path = cache_path_of(dir, name, key);
	buf_add(&file, MAGIC, MAGIC_LEN);
	buf_add(&file, key, SHA256_LEN);
	buf_add(&file, piece.p, piece.n);
	sha256_of(file.p, file.n, sum);
	buf_add(&file, sum, sizeof(sum));
	e = file_make_dirs(dir);
	if (e == ERR_OK)
		e = file_write_soon(path, (struct bytes){ file.p, file.n }, FILE_SECRET);
	if (e != ERR_OK && e != ERR_CANCELLED)
		log_warn("a result was not stored, so another attempt must recompute it: %s",
			 err_detail());
	buf_release(&file);
	free(path);
}

void cache_forget(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return;
	file_sweep(dir);
	while ((entry = readdir(d))) {
		size_t n = strlen(entry->d_name);

		if (n > strlen(SUFFIX) && strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX) == 0)
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	closedir(d);
	rmdir(dir); /* fails if the directory contains other files */
}
