/* Fuzzes pieces of a party's cache, without their checksum. An accepted piece fits the data and is
 * written again as the same bytes. The first byte selects an embedding or local clusters. */

/* Fuzzers do not link the daemon, so this test includes the one source file that it needs. */
#include "protocols/kcagc/party/pieces.c"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N = 6, COLUMNS = 4, DIMS = 2, K = 3 };

static void same(struct bytes input, struct buf *again)
{
	if (again->n != input.n || (again->n && memcmp(again->p, input.p, again->n) != 0))
		abort();
	buf_release(again);
}

static void an_embedding(struct bytes input)
{
	struct embedding how = { 0 };
	struct buf again = { 0 };
	struct mat Z = { 0 };

	if (!embedding_parse(input, N, COLUMNS, &Z, &how))
		return;
	if (Z.rows != N || Z.cols != how.map.cols || how.map.rows != COLUMNS)
		abort();
	embedding_write(&Z, &how, &again);
	same(input, &again);
	mat_release(&Z);
	embedding_release(&how);
}

static void some_clusters(struct bytes input)
{
	double zeros[N * DIMS] = { 0 };
	struct mat Z = { .rows = N, .cols = DIMS, .a = zeros }, centre = { 0 };
	struct buf again = { 0 };
	uint32_t label[N];

	if (!clusters_parse(input, &Z, K, label, &centre))
		return;
	if (centre.rows != K || centre.cols != DIMS)
		abort();
	clusters_write(label, N, K, &centre, &again);
	same(input, &again);
	mat_release(&centre);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	(data[0] & 1 ? some_clusters : an_embedding)((struct bytes){ data + 1, size - 1 });
	return 0;
}
