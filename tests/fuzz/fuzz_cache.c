/* Pieces of a party's cache, behind their checksum: what is accepted fits the data, and is written
 * again as the same bytes. The first byte chooses: an embedding, or local clusters. */
#include "common/base/buf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool find_input(const char *dir, const char *name, const uint8_t *key, size_t max,
		       struct buf *file, struct bytes *piece);

#define cache_find find_input
#define cache_keep keep_nothing
#include "party/kcagc/local.c" /* fuzzers link no daemon's room; this file of it needs nothing else of it */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N = 6, COLUMNS = 4, DIMS = 2, K = 3 };
static struct bytes input;

static bool find_input(const char *dir, const char *name, const uint8_t *key, size_t max,
		       struct buf *file, struct bytes *piece)
{
	(void)dir, (void)name, (void)key, (void)max;
	*file = (struct buf){ 0 };
	buf_add(file, "#", 1); /* there is always a head */
	buf_add(file, input.p, input.n);
	*piece = (struct bytes){ file->p + 1, input.n };
	return true;
}

void keep_nothing(const char *dir, const char *name, const uint8_t *key, struct bytes piece)
{
	(void)dir, (void)name, (void)key, (void)piece;
}

static void same(const struct buf *again)
{
	if (again->n != input.n || (again->n && memcmp(again->p, input.p, again->n) != 0))
		abort();
}

static void an_embedding(struct work *work)
{
	struct buf again = { 0 };
	struct codec c = { .out = &again };
	struct embedding how = { 0 };
	struct mat Z = { 0 };

	if (!find_embedding(work, NULL, &Z, &how))
		return;
	if (Z.rows != N || Z.cols != how.map.cols || how.map.rows != COLUMNS)
		abort();
	walk_embedding(&c, &Z, &how);
	same(&again);
	buf_release(&again);
	mat_release(&Z);
	embedding_release(&how);
}

static void some_clusters(struct work *work)
{
	double zeros[N * DIMS] = { 0 };
	struct mat Z = { .rows = N, .cols = DIMS, .a = zeros }, centre = { 0 };
	struct buf again = { 0 };
	struct codec c = { .out = &again };
	uint32_t label[N];

	if (!find_clusters(work, NULL, &Z, K, label, &centre))
		return;
	if (centre.rows != K || centre.cols != DIMS)
		abort();
	walk_clusters(&c, label, N, K, &centre);
	same(&again);
	buf_release(&again);
	mat_release(&centre);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static double values[N * COLUMNS];
	struct features features = { .dense = { .rows = N, .cols = COLUMNS, .a = values } };
	static struct work work;

	if (size < 1)
		return 0;
	work.n = N;
	work.features = &features;
	input = (struct bytes){ data + 1, size - 1 };
	(data[0] & 1 ? some_clusters : an_embedding)(&work);
	return 0;
}
