/* A set that tu_parse() accepts is consistent in graphs, both directions of each edge, attributes
 * and classes. Zero bytes divide the input into the four files; an empty file counts as missing. */
#include "common/base/alloc.h"
#include "common/data/tu.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_edge(const struct csr *A, size_t u, size_t v)
{
	for (size_t e = A->start[u]; e < A->start[u + 1]; e++)
		if (A->index[e] == v)
			return true;
	return false;
}

static void check_graph(const struct graphs *g, size_t i)
{
	if (g->first[i] >= g->first[i + 1])
		abort();
	for (size_t u = g->first[i]; u < g->first[i + 1]; u++) {
		for (size_t e = g->A.start[u]; e < g->A.start[u + 1]; e++) {
			size_t v = g->A.index[e];

			if (v < g->first[i] || v >= g->first[i + 1] || v == u ||
			    (e > g->A.start[u] && g->A.index[e - 1] >= v) || !has_edge(&g->A, v, u))
				abort();
		}
	}
}

static struct bytes next_file(const uint8_t **at, const uint8_t *end)
{
	const uint8_t *stop = *at < end ? memchr(*at, 0, (size_t)(end - *at)) : NULL;
	struct bytes file = { 0 };

	if (*at >= end)
		return file;
	if (!stop)
		stop = end;
	if (stop > *at)
		file = (struct bytes){ *at, (size_t)(stop - *at) };
	*at = stop + 1;
	return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *at = data, *end = data + size;
	struct tu_files f;
	struct tu tu;

	f.indicator = next_file(&at, end);
	f.edges = next_file(&at, end);
	f.attributes = next_file(&at, end);
	f.labels = next_file(&at, end);
	if (tu_parse(&f, "f", &tu) != ERR_OK)
		return 0;
	for (size_t i = 0; i < tu.graphs.count; i++)
		check_graph(&tu.graphs, i);
	for (size_t i = 0; i < tu.graphs.attribute.rows * tu.graphs.attribute.cols; i++)
		if (!isfinite(tu.graphs.attribute.a[i]))
			abort();
	if (tu.class) {
		uint32_t *label = alloc(tu.graphs.count, sizeof(*label));
		size_t classes;

		tu_classes(&tu, label, &classes);
		for (size_t i = 0; i < tu.graphs.count; i++)
			if (label[i] >= classes)
				abort();
		free(label);
	}
	tu_release(&tu);
	return 0;
}
