/* A cache returns exactly what was stored, or nothing. */
#include "party/work/cache.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/progress.h"
#include "tests/unit/crypto/lab.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 100, MOST = 1000 };

struct fixture {
	char dir[64];
	char *cache, *path; /* the directory, and the one file in it */
	uint8_t key[SHA256_LEN], piece[PIECE];
};

static bool find(struct fixture *f, const char *name, const uint8_t *key)
{
	struct bytes piece;
	struct buf file;
	bool found = cache_find(f->cache, name, key, MOST, &file, &piece);

	if (found) {
		assert_int_equal(piece.n, PIECE);
		assert_memory_equal(piece.p, f->piece, PIECE);
	} else {
		assert_null(file.p);
	}
	buf_release(&file);
	return found;
}

static void keep(struct fixture *f)
{
	struct dirent *entry;
	DIR *d;

	cache_keep(f->cache, "thing", f->key, (struct bytes){ f->piece, PIECE });
	free(f->path);
	f->path = NULL;
	d = opendir(f->cache);
	assert_non_null(d);
	while ((entry = readdir(d)))
		if (entry->d_name[0] != '.') {
			assert_null(f->path);
			f->path = file_join(f->cache, entry->d_name);
		}
	closedir(d);
	assert_non_null(f->path);
}

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	lab_dir(f->dir);
	f->cache = cache_dir(f->dir);
	for (int i = 0; i < PIECE; i++)
		f->piece[i] = (uint8_t)(7 * i);
	memset(f->key, 0x5a, sizeof(f->key));
	keep(f);
}

static void end(struct fixture *f)
{
	cache_forget(f->cache);
	free(f->path);
	free(f->cache);
	lab_remove(f->dir);
}

TEST(test_kept_and_found)
{
	struct fixture f;
	struct stat st;
	uint8_t other[SHA256_LEN];

	begin(&f);
	assert_true(find(&f, "thing", f.key));
	assert_true(find(&f, "thing", f.key)); /* find() does not remove the entry */
	assert_false(find(&f, "thin", f.key));
	memcpy(other, f.key, sizeof(other));
	other[0] ^= 1;
	assert_false(find(&f, "thing", other));
	assert_int_equal(stat(f.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	end(&f);
}

/* Two keys with the same start share a file, but only the right key finds the entry. */
TEST(test_whole_key_counts)
{
	struct fixture f;
	uint8_t other[SHA256_LEN];

	begin(&f);
	memcpy(other, f.key, sizeof(other));
	other[31] ^= 1;
	assert_false(find(&f, "thing", other));
	end(&f);
}

/* Stores no result of a computation that was stopped: the next attempt computes it again. */
TEST(test_what_was_stopped)
{
	struct progress p = { 0 };
	struct fixture f;

	begin(&f);
	progress_enter(&p);
	progress_stop(&p);
	cache_keep(f.cache, "half", f.key, (struct bytes){ f.piece, PIECE });
	progress_enter(NULL);
	assert_false(find(&f, "half", f.key));
	end(&f);
}

static void rewrite(const struct fixture *f, size_t n, size_t flip)
{
	struct buf b = { 0 };

	assert_ok(file_read(f->path, MOST, &b));
	if (flip < b.n)
		b.p[flip] ^= 0x40;
	assert_ok(file_write(f->path, (struct bytes){ b.p, n < b.n ? n : b.n }, FILE_SECRET));
	buf_release(&b);
}

/* The cache does not find an entry with a wrong byte or a wrong length, and removes the file. */
TEST(test_damaged_file_is_removed)
{
	struct fixture f;
	struct stat st;
	size_t n;

	begin(&f);
	assert_int_equal(stat(f.path, &st), 0);
	n = (size_t)st.st_size;
	for (size_t at = 0; at < n; at++) {
		keep(&f);
		rewrite(&f, n, at);
		assert_false(find(&f, "thing", f.key));
		assert_false(file_exists(f.path));
		keep(&f);
		rewrite(&f, at, n);
		assert_false(find(&f, "thing", f.key));
	}
	keep(&f);
	assert_true(find(&f, "thing", f.key));
	end(&f);
}

TEST(test_bounded)
{
	struct fixture f;
	struct bytes piece;
	struct buf file;

	begin(&f);
	assert_false(cache_find(f.cache, "thing", f.key, PIECE - 1, &file, &piece));
	assert_false(file_exists(f.path));
	end(&f);
}

TEST(test_forgotten)
{
	struct fixture f;
	char *other;

	begin(&f);
	other = file_join(f.cache, "somebody-else's");
	assert_ok(file_write(other, (struct bytes){ f.piece, 1 }, FILE_SECRET));
	cache_forget(f.cache);
	assert_false(file_exists(f.path));
	assert_true(file_exists(other));
	unlink(other);
	cache_forget(f.cache);
	assert_false(file_exists(f.cache));
	free(other);
	end(&f);
}

/* Stores nothing, without an error, if there is no directory. */
TEST(test_nowhere)
{
	struct fixture f;
	struct bytes piece;
	struct buf file;

	begin(&f);
	cache_keep(NULL, "thing", f.key, (struct bytes){ f.piece, PIECE });
	assert_false(cache_find(NULL, "thing", f.key, MOST, &file, &piece));
	/* the cache's path names a file instead of a directory */
	cache_keep(f.path, "thing", f.key, (struct bytes){ f.piece, PIECE });
	assert_true(find(&f, "thing", f.key));
	end(&f);
}
