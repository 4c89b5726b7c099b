/* Fuzzes readers of lines: edges without and with ids, labels, and edges in CSV. The first byte
 * selects a reader. An accepted graph is symmetric and sorted, has no loops, and reads back the
 * same after printing. Ids are in ascending order, and labels are within bounds. */
#include "common/base/alloc.h"
#include "common/data/edges.h"
#include "common/data/labels.h"
#include "common/data/limits.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES = 50 };

static bool has(const struct csr *g, size_t u, size_t v, double w)
{
	for (size_t e = g->start[u]; e < g->start[u + 1]; e++) {
		if (g->index[e] == v)
			return (g->value ? g->value[e] : 1) == w;
	}
	return false;
}

static void edges(struct bytes file, const struct ids *ids)
{
	struct edges_dropped dropped;
	struct csr g, again;
	struct buf out = { 0 };
	size_t n = ids ? ids->n : NODES;

	if (edges_parse_tsv(file, "f", n, ids, &g, &dropped) != ERR_OK)
		return;
	for (size_t u = 0; u < n; u++) {
		for (size_t e = g.start[u]; e < g.start[u + 1]; e++) {
			double w = g.value ? g.value[e] : 1;

			if (g.index[e] == u || !(w > 0) || !has(&g, g.index[e], u, w) ||
			    (e > g.start[u] && g.index[e - 1] >= g.index[e]))
				abort();
		}
	}
	edges_print_tsv(&g, ids ? ids->id : NULL, &out);
	if (edges_parse_tsv((struct bytes){ out.p, out.n }, "f", n, ids, &again, &dropped) !=
		ERR_OK ||
	    dropped.loops || dropped.repeated || again.start[n] != g.start[n] ||
	    memcmp(again.start, g.start, (n + 1) * sizeof(*g.start)) != 0 ||
	    (g.start[n] && memcmp(again.index, g.index, g.start[n] * sizeof(*g.index)) != 0))
		abort();
	buf_release(&out);
	csr_release(&g);
	csr_release(&again);
}

/* Reads ids up to the first zero byte, and edges from the rest. */
static void edges_with_ids(struct bytes file)
{
	const uint8_t *zero = file.n ? memchr(file.p, 0, file.n) : NULL;
	size_t n = zero ? (size_t)(zero - file.p) : file.n;
	struct ids ids;

	if (ids_parse((struct bytes){ file.p, n }, "f", &ids) != ERR_OK)
		return;
	for (size_t i = 1; i < ids.n; i++) {
		if (strcmp(ids.id[i - 1], ids.id[i]) >= 0)
			abort();
	}
	edges((struct bytes){ file.p + n + (zero != NULL), file.n - n - (zero != NULL) }, &ids);
	ids_release(&ids);
}

/* If a file is read without ids, the nodes are those that it names. If these nodes are given as
 * ids, the file gives the same graph. */
static void named(struct bytes file)
{
	struct edges_dropped dropped;
	struct csr g, again;
	struct ids ids;

	if (edges_parse_named(file, "f", &ids, &g, &dropped) != ERR_OK)
		return;
	if (g.rows != ids.n ||
	    edges_parse_tsv(file, "f", ids.n, &ids, &again, &dropped) != ERR_OK ||
	    memcmp(again.start, g.start, (ids.n + 1) * sizeof(*g.start)) != 0 ||
	    (g.start[ids.n] &&
	     memcmp(again.index, g.index, g.start[ids.n] * sizeof(*g.index)) != 0))
		abort();
	csr_release(&g);
	csr_release(&again);
	edges(file, &ids);
	ids_release(&ids);
}

static void labels(struct bytes file, bool csv)
{
	struct labels l;

	if ((csv ? labels_parse_csv : labels_parse_txt)(file, "f", &l) != ERR_OK)
		return;
	for (size_t i = 0; i < l.n; i++) {
		if (l.label[i] >= LABELS_MAX || (csv && (!*l.id[i] || strlen(l.id[i]) > ID_MAX)))
			abort();
	}
	labels_release(&l);
}

/* A table of edges gives a text that passes the checks of named(). */
static void table_of_edges(struct bytes file)
{
	struct reading how;
	struct buf text = { 0 };

	reading_init(&how);
	if (file.n && file.p[0] == '#') {
		how.header = HEADER_YES;
		how.from = alloc_copy("#2");
		how.to = alloc_copy("#1");
	}
	if (edges_from_csv(file, "f.csv", &how, &text) == ERR_OK)
		named((struct bytes){ text.p, text.n });
	buf_release(&text);
	reading_release(&how);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes rest = { data + 1, size - 1 };

	if (size == 0)
		return 0;
	switch (data[0] % 6) {
	case 0:
		edges(rest, NULL);
		break;
	case 1:
		edges_with_ids(rest);
		break;
	case 2:
		labels(rest, false);
		break;
	case 3:
		labels(rest, true);
		break;
	case 4:
		table_of_edges(rest);
		break;
	default:
		named(rest);
	}
	return 0;
}
