/* Reads ids: sorts them as bytes, finds them, and refuses invalid ones. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/base/rng.h"
#include "common/data/ids.h"

#include <stdio.h>

static enum err parse(const char *text, struct ids *ids)
{
	struct bytes b = exact_text(text);
	enum err err = ids_parse(b, "ids.txt", ids);

	free((void *)(uintptr_t)b.p);
	return err;
}

TEST(test_order)
{
	static const char *const sorted[] = { "10", "9", "B", "a", "aa", "\xc3\xa9" };
	static const uint32_t rows[] = { 1, 0, 5, 3, 2, 4 };
	struct ids ids;

	assert_ok(parse("9\n10\r\naa\n a \n\xc3\xa9\nB", &ids));
	assert_int_equal(ids.n, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(ids.id[i], sorted[i]);
		assert_int_equal(ids.row[i], rows[i]);
		assert_int_equal(ids_find(&ids, (struct word){ sorted[i], strlen(sorted[i]) }), i);
	}
	assert_true(ids_find(&ids, (struct word){ "1", 1 }) == SIZE_MAX);
	assert_true(ids_find(&ids, (struct word){ "aaa", 3 }) == SIZE_MAX);
	assert_true(ids_find(&ids, (struct word){ "", 0 }) == SIZE_MAX);
	assert_true(ids_find(&ids, (struct word){ "aa\0bcdefgh", 11 }) == SIZE_MAX);
	ids_release(&ids);
}

TEST(test_refusals)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "ids.txt: the file has no ids" },
		{ "a\n\nb\n", "ids.txt:2: an id of 0 bytes" },
		{ "a\nb c\n", "ids.txt:2: \"c\" is more than expected" },
		{ "a\n#b\n", "ids.txt:2: the id \"#b\" begins with '#'" },
		{ "a\nb\x01\n", "ids.txt:2: byte 2 of the id" },
		{ "a\nb\x7f\n", "ids.txt:2: byte 2 of the id" },
		{ "a\n\xff\n", "ids.txt:2: byte 1 of the id" },
		{ "x\na\nb\na\n", "ids.txt:4: the id \"a\" is given twice, first on line 2" },
	};
	char text[300];
	struct ids ids;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_err(parse(cases[i].text, &ids), ERR_INPUT, cases[i].message);
		assert_null(ids.id);
	}
	memset(text, 'x', sizeof(text));
	text[255] = 0;
	assert_ok(parse(text, &ids));
	ids_release(&ids);
	text[255] = 'x';
	text[256] = 0;
	assert_err(parse(text, &ids), ERR_INPUT, "an id of 256 bytes");
}

TEST(test_many_ids)
{
	enum { N = 20000 };
	struct buf text = { 0 };
	uint32_t order[N];
	struct rng rng;
	struct ids ids;

	rng_seed(&rng, 7, 0);
	for (uint32_t i = 0; i < N; i++)
		order[i] = i;
	rng_shuffle(&rng, order, N);
	for (size_t i = 0; i < N; i++)
		buf_printf(&text, "id-%u\n", order[i]);
	assert_ok(ids_parse((struct bytes){ text.p, text.n }, "x", &ids));
	for (size_t i = 0; i < N; i++) {
		char id[32];

		if (i)
			assert_true(strcmp(ids.id[i - 1], ids.id[i]) < 0);
		snprintf(id, sizeof(id), "id-%u", order[ids.row[i]]);
		assert_string_equal(ids.id[i], id);
		assert_int_equal(ids_find(&ids, (struct word){ id, strlen(id) }), i);
	}
	ids_release(&ids);
	buf_release(&text);
}
