/* A party may match the same set of ids again, but not a set that differs from an earlier one by
 * few ids. */
#include "tests/unit/crypto/lab.h"
#include "common/base/file.h"
#include "party/consent/aligned.h"

static char dir[64];

/* Notes the ids first .. first + n - 1 in the party's file; every byte of the data's fingerprint is
 * `data`. */
static enum err note(size_t first, size_t n, uint8_t data)
{
	uint8_t hash[SHA256_LEN];
	struct buf text = { 0 };
	struct ids ids;
	enum err e;

	memset(hash, data, sizeof(hash));
	for (size_t i = 0; i < n; i++)
		buf_printf(&text, "id%zu\n", first + i);
	assert_ok(ids_parse((struct bytes){ text.p, text.n }, "ids", &ids));
	e = aligned_note(dir, "bank-a", &ids, hash);
	ids_release(&ids);
	buf_release(&text);
	return e;
}

/* Requires that note() refused the set. The error counts the differing words of the two sets'
 * summaries (aligned.h): at most `ids`, and fewer if two ids share a word. */
static void assert_differs(enum err e, size_t ids)
{
	static const char before[] = "the ids of bank-a differ by about ";
	size_t words;

	assert_err(e, ERR_PEER, before);
	words = strtoul(strstr(err_detail(), before) + strlen(before), NULL, 10);
	assert_in_range(words, (ids + 1) / 2, ids);
}

TEST(test_changes)
{
	lab_dir(dir);
	assert_ok(note(0, 3000, 1));
	assert_ok(note(0, 3000, 1)); /* the same data */
	assert_ok(note(0, 3000, 2)); /* other columns, the same ids */
	assert_err(note(0, 3001, 3), ERR_PEER, "differ by about 1 from those of an earlier job");
	assert_differs(note(4, 3000, 3), 8);
	assert_differs(note(0, 2991, 3), 9);
	assert_ok(note(0, 3020, 3));
	assert_ok(note(0, 3000, 4));         /* the first set is permitted again */
	assert_differs(note(0, 3012, 5), 8); /* 8 ids fewer than the accepted set of 3020 */
	assert_ok(note(9000, 40, 6));
	assert_ok(note(0, 3000, 7));
	lab_remove(dir);
}

/* The party forgets its oldest set, so that the file does not grow. */
TEST(test_many)
{
	lab_dir(dir);
	for (uint8_t i = 0; i <= ALIGNED_SETS; i++)
		assert_ok(note(100u * i, 1000, i));
	assert_differs(note(101, 1000, 99), 2);
	assert_ok(note(1, 1000, 99));
	lab_remove(dir);
}

TEST(test_damaged)
{
	struct buf file = { 0 };
	char *path;

	lab_dir(dir);
	path = file_join(dir, "aligned");
	assert_ok(note(0, 1000, 1));
	assert_ok(file_read(path, 1 << 20, &file));
	assert_ok(file_write(path, (struct bytes){ file.p, file.n - 1 }, FILE_SECRET));
	assert_err(note(0, 1000, 2), ERR_INPUT, "bytes that are no sets of ids: it is damaged");
	file.p[0] ^= 1;
	assert_ok(file_write(path, (struct bytes){ file.p, file.n }, FILE_SECRET));
	assert_err(note(0, 1000, 2), ERR_INPUT, "it is damaged");
	assert_ok(file_write(path, (struct bytes){ file.p, 0 }, FILE_SECRET));
	assert_err(note(0, 1000, 2), ERR_INPUT, "aligned: 0 bytes");
	buf_release(&file);
	free(path);
	lab_remove(dir);
}
