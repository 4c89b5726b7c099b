/* Numbering keys come from the file and the seed, or are drawn at random. Invalid files are
 * refused. */
#include "crypto/numbering.h"
#include "common/base/file.h"
#include "tests/unit/crypto/lab.h"

#include <sys/stat.h>

struct fixture {
	char dir[64], *path;
	struct numbering n;
};

static void begin(struct fixture *f, const char *content, mode_t mode)
{
	lab_dir(f->dir);
	f->path = file_join(f->dir, "key");
	assert_ok(file_write(f->path, (struct bytes){ (const uint8_t *)content, strlen(content) },
			     FILE_PUBLIC));
	assert_int_equal(chmod(f->path, mode), 0);
}

static void end(struct fixture *f)
{
	free(f->path);
	lab_remove(f->dir);
}

static bool same(const struct numbering *a, const char *as, uint64_t seed,
		 const struct numbering *b, const char *bs, uint64_t other)
{
	uint8_t x[NUMBERING_KEY_LEN], y[NUMBERING_KEY_LEN];

	assert_ok(numbering_key(a, as, seed, x));
	assert_ok(numbering_key(b, bs, other, y));
	return memcmp(x, y, sizeof(x)) == 0;
}

TEST(test_key_is_kept)
{
	struct fixture f, g;

	begin(&f, "sixteen bytes...", 0600);
	begin(&g, "sixteen bytes..!", 0400);
	assert_ok(numbering_read(&f.n, f.path));
	assert_ok(numbering_read(&g.n, g.path));
	assert_true(f.n.kept);
	assert_true(same(&f.n, "a", 1, &f.n, "a", 1));
	assert_false(same(&f.n, "a", 1, &f.n, "b", 1));
	assert_false(same(&f.n, "a", 1, &f.n, "a", 2));
	assert_false(same(&f.n, "a", 1, &g.n, "a", 1));
	end(&f);
	end(&g);
}

TEST(test_key_is_drawn)
{
	struct numbering n;

	assert_ok(numbering_read(&n, NULL));
	assert_false(n.kept);
	assert_false(same(&n, "a", 1, &n, "a", 1));
	assert_false(same(NULL, "a", 1, NULL, "a", 1));
}

TEST(test_refused)
{
	struct fixture f;

	begin(&f, "fifteen bytes..", 0600);
	assert_err(numbering_read(&f.n, f.path), ERR_INPUT, "15 bytes, expected at least 16");
	end(&f);
	begin(&f, "sixteen bytes...", 0640);
	assert_err(numbering_read(&f.n, f.path), ERR_INPUT, "mode 0640");
	assert_false(f.n.kept);
	assert_err(numbering_read(&f.n, f.dir), ERR_INPUT, f.dir);
	assert_err(numbering_read(&f.n, "/nowhere/key"), ERR_INPUT, "/nowhere/key");
	end(&f);
}
