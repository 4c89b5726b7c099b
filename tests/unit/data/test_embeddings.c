/* Writes embeddings and reads them back; refuses files that do not fit together. */
#include "tests/test.h"
#include "tests/unit/data/files.h"
#include "tests/unit/dir.h"

#include "common/base/file.h"
#include "common/data/embeddings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST_WITH(test_written_and_read_again, dir_enter, dir_leave)
{
	char *id[] = { (char *)"z", (char *)"with,comma", (char *)"a\"b" };
	static const float X[] = { 1, 2, -0.125f, 4, 5e-8f, 6 };
	struct embeddings e;

	assert_ok(embeddings_write("out/deep", id, X, 3, 2));
	assert_ok(embeddings_read("out/deep", &e));
	assert_true(e.X.rows == 3 && e.X.cols == 2 && e.ids.n == 3);
	for (size_t i = 0; i < 3; i++) {
		size_t row = e.ids.row[i];

		assert_string_equal(e.ids.id[i], id[row]);
		for (size_t j = 0; j < 2; j++)
			assert_true(MAT(&e.X, row, j) == (double)X[row * 2 + j]);
	}
	assert_int_equal(ids_find(&e.ids, (struct word){ "z", 1 }), 2);
	embeddings_release(&e);
	put("file", "");
	assert_err(embeddings_write("file/under", id, X, 3, 2), ERR_JOB, "file");
}

TEST_WITH(test_refused, dir_enter, dir_leave)
{
	char *id[] = { (char *)"a", (char *)"b" };
	static const float X[] = { 1, 2 };
	struct embeddings e;

	assert_err(embeddings_read("nowhere", &e), ERR_INPUT, "nowhere/embeddings.npy");
	assert_ok(embeddings_write("d", id, X, 2, 1));
	put("d/ids.csv", "id\na\n");
	assert_err(embeddings_read("d", &e), ERR_INPUT, "has 2 rows and d/ids.csv 1 ids");
	assert_true(!e.X.a && !e.ids.id);
	put("d/ids.csv", "name\na\nb\n");
	assert_err(embeddings_read("d", &e), ERR_INPUT, "ids.csv:1: the heading is not \"id\"");
	put("d/ids.csv", "id\na\nb,2\n");
	assert_err(embeddings_read("d", &e), ERR_INPUT, "ids.csv:3: more than one field");
	put("d/ids.csv", "id\na\na\n");
	assert_err(embeddings_read("d", &e), ERR_INPUT, "\"a\"");
	put("d/ids.csv", "id\na\nb c\n");
	assert_err(embeddings_read("d", &e), ERR_INPUT, "ids.csv:3");
	assert_int_equal(unlink("d/ids.csv"), 0);
	assert_err(embeddings_read("d", &e), ERR_INPUT, "ids.csv");
}
