/* Reads the embeddings of all parties of a run as one set. */
#include "tests/test.h"
#include "tests/unit/dir.h"

#include "common/base/file.h"
#include "common/data/embeddings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes a party's embeddings: row i has `dims` numbers first + i. */
static void party(const char *name, const char *ids, size_t n, size_t dims, float first)
{
	char text[64], *id[8], *below = file_join(dir, name);
	float X[32];
	size_t i = 0;

	snprintf(text, sizeof(text), "%s", ids);
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
		id[i++] = w;
	assert_int_equal(i, n);
	for (i = 0; i < n * dims; i++)
		X[i] = first + (float)(i / dims);
	assert_ok(embeddings_write(below, id, X, n, dims));
	free(below);
}

static double value_of(const struct embeddings *e, const char *id)
{
	size_t i = ids_find(&e->ids, (struct word){ id, strlen(id) });

	assert_true(i < e->ids.n);
	return MAT(&e->X, e->ids.row[i], 1);
}

TEST_WITH(test_joined, dir_make, dir_remove)
{
	struct embeddings e;
	char *gone;

	party("party-01", "z b", 2, 3, 10);
	party("party-00", "c a y", 3, 3, 0);
	party("coordinator", "q", 1, 3, 50);
	gone = file_join(dir, "coordinator/ids.csv"); /* the coordinator has no ids */
	assert_int_equal(unlink(gone), 0);
	free(gone);
	assert_ok(embeddings_read(dir, &e));
	assert_int_equal(e.X.rows, 5);
	assert_int_equal(e.X.cols, 3);
	assert_int_equal(e.ids.n, 5);
	assert_true(value_of(&e, "c") == 0 && value_of(&e, "a") == 1 && value_of(&e, "y") == 2);
	assert_true(value_of(&e, "z") == 10 && value_of(&e, "b") == 11);
	embeddings_release(&e);
}

TEST_WITH(test_one_directory, dir_make, dir_remove)
{
	struct embeddings e;
	char *below = file_join(dir, "party-00");

	party("party-00", "b a", 2, 2, 4);
	assert_ok(embeddings_read(below, &e));
	assert_int_equal(e.X.rows, 2);
	assert_true(value_of(&e, "b") == 4);
	embeddings_release(&e);
	free(below);
}

TEST_WITH(test_refused, dir_make, dir_remove)
{
	struct embeddings e;

	assert_err(embeddings_read(dir, &e), ERR_INPUT, "embeddings.npy");
	party("party-00", "a b", 2, 2, 0);
	party("party-01", "c", 1, 3, 0);
	assert_err(embeddings_read(dir, &e), ERR_INPUT, "embeddings of 3 numbers, others have 2");
	party("party-01", "b", 1, 2, 0);
	assert_err(embeddings_read(dir, &e), ERR_INPUT, "b");
	assert_int_equal(e.X.rows, 0);
}
