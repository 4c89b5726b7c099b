/* Fuzzes a party's FedGCN model. If fedgcn_file_parse() accepts a file, the model is written again
 * as the same bytes. If it assigns a graph, it gives one of its clusters. The input has facts, 8
 * bytes that all weights repeat, and the rest. This file adds head, weights and checksum, since no
 * input would be long enough. */
#include "protocols/fedgcn/file.c" /* for magic */

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4 + 4 + 4 + 8, TWO_WEIGHTS = 8, WEIGHTS_MOST = 1 << 16 };

/* Lets the model assign a cluster to a graph: two nodes with two coordinates each, and one edge. */
static void assign(const struct fedgcn_model *m)
{
	size_t first[] = { 0, 2 }, start[] = { 0, 1, 2 };
	uint32_t index[] = { 1, 0 }, label = UINT32_MAX;
	double place[] = { 0, 1, 2, 2 };
	struct graphs g = { .count = 1, .first = first };

	g.A = (struct csr){ .rows = 2, .cols = 2, .start = start, .index = index };
	g.attribute = (struct mat){ .rows = 2, .cols = 2, .a = place };
	if (fedgcn_assign(m, &g, 1, &label) == ERR_OK && label >= m->k)
		abort();
}

static void make_file(const uint8_t *data, size_t size, struct buf *file)
{
	struct unpack facts = { data + HEAD - 8, 8 };
	uint64_t weights = unpack_take(&facts, 8);

	buf_add(file, magic, sizeof(magic));
	pack_put(file, FEDGCN_FILE_VERSION, 4);
	buf_add(file, data, HEAD);
	for (uint64_t i = 0; weights <= WEIGHTS_MOST && i < weights; i++)
		buf_add(file, data + HEAD + i % 2 * 4, 4);
	buf_add(file, data + HEAD + TWO_WEIGHTS, size - HEAD - TWO_WEIGHTS);
	pack_put(file, pack_crc(file->p, file->n), CHECKSUM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = { 0 }, again = { 0 };
	struct fedgcn_model m;

	if (size < HEAD + TWO_WEIGHTS)
		return 0;
	make_file(data, size, &file);
	if (fedgcn_file_parse((struct bytes){ file.p, file.n }, "f", &m) == ERR_OK) {
		fedgcn_file_print(&m, &again);
		if (again.n != file.n || memcmp(again.p, file.p, file.n) != 0)
			abort();
		assign(&m);
		fedgcn_model_release(&m);
	}
	buf_release(&again);
	buf_release(&file);
	return 0;
}
