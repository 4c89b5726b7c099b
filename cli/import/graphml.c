/* The one door to expat: GraphML, nodes with their attributes as a table and edges between them. */
#include "cli/import/sources.h"
#include "cli/import/unpack.h"
#include "common/data/limits.h"
#include "common/base/log.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 4096, VALUE_MAX = 65536 };

struct key {
	char *id, *name, *standard; /* standard: what a node without one has; or NULL */
	bool of_nodes;
};

struct reader {
	XML_Parser xml;
	const char *where, *weight; /* the attribute that is the weight; NULL: none */
	struct key *key;
	size_t keys, columns; /* columns: keys of nodes */
	char **value; /* nodes x (1 + KEYS as there were at the first node); [0] is the id */
	size_t nodes, room, width;
	struct buf edges, text; /* lines of an edges.tsv; what stands in the element that is open */
	char *source, *target, *edge_weight;
	struct key *data; /* the key of the <data> that is open */
	enum { IN_GRAPH, IN_NODE, IN_EDGE, IN_KEY } in;
	bool taking, directed;
	enum err err;
};

static void stop(struct reader *r, enum err err)
{
	r->err = err;
	XML_StopParser(r->xml, XML_FALSE);
}

#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9 /* 2.9 deprecates it for one of 64 bits */
#define XML_GetCurrentLineNumber64 XML_GetCurrentLineNumber
#endif

#define WRONG(r, ...) stop(r, wrong(r, __VA_ARGS__))
static enum err PRINTF(2, 3) wrong(struct reader *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(ERR_INPUT, "%s:%lu: %s", r->where,
		       (unsigned long)XML_GetCurrentLineNumber64(r->xml), text);
}

static const char *attribute(const char **pairs, const char *name)
{
	for (; *pairs; pairs += 2)
		if (!strcmp(pairs[0], name))
			return pairs[1];
	return NULL;
}

static void begin_key(struct reader *r, const char **a)
{
	const char *id = attribute(a, "id"), *of = attribute(a, "for"),
		   *name = attribute(a, "attr.name");

	if (!id || r->in != IN_GRAPH || r->keys == KEYS_MAX || r->nodes) {
		WRONG(r,
		      "a key without id, within another element, behind the first node, or one "
		      "more than %d",
		      KEYS_MAX);
		return;
	}
	r->key = alloc_again(r->key, r->keys + 1, sizeof(*r->key));
	r->key[r->keys++] =
	    (struct key){ .id = alloc_copy(id),
			  .name = alloc_copy(name ? name : id),
			  .of_nodes = !of || !strcmp(of, "node") || !strcmp(of, "all") };
	r->in = IN_KEY;
}

static void begin_node(struct reader *r, const char **a)
{
	const char *id = attribute(a, "id");
	char **row;

	if (r->in != IN_GRAPH || !id || r->nodes == ROWS_MAX) {
		WRONG(r, "a node without id, within another or one more than %zu", ROWS_MAX);
		return;
	}
	r->width = 1 + r->keys;
	if (r->nodes == r->room) {
		r->room = r->room ? 2 * r->room : 256;
		r->value = alloc_again(r->value, r->room * r->width, sizeof(*r->value));
	}
	row = r->value + r->nodes++ * r->width;
	memset(row, 0, r->width * sizeof(*row));
	row[0] = alloc_copy(id);
	r->in = IN_NODE;
}

static void begin_edge(struct reader *r, const char **a)
{
	const char *source = attribute(a, "source"), *target = attribute(a, "target");

	if (r->in != IN_GRAPH || !source || !target || !*source || !*target ||
	    strpbrk(source, " \t\r\n") || strpbrk(target, " \t\r\n")) {
		WRONG(r, "an edge without source or target, with blanks in one of them, or within "
			 "another element");
		return;
	}
	r->source = alloc_copy(source);
	r->target = alloc_copy(target);
	r->in = IN_EDGE;
}

static void begin_data(struct reader *r, const char **a)
{
	const char *id = attribute(a, "key");

	r->data = NULL;
	for (size_t i = 0; id && i < r->keys; i++)
		if (!strcmp(r->key[i].id, id))
			r->data = &r->key[i];
	if (!r->data && (r->in == IN_NODE || r->in == IN_EDGE)) {
		WRONG(r, "data of key \"%.40s\", which no <key> before has", id ? id : "");
		return;
	}
	r->text.n = 0;
	r->taking = true;
}

static void XMLCALL begin(void *arg, const char *name, const char **a)
{
	struct reader *r = arg;

	if (r->err)
		return;
	if (!strcmp(name, "key"))
		begin_key(r, a);
	else if (!strcmp(name, "node"))
		begin_node(r, a);
	else if (!strcmp(name, "edge"))
		begin_edge(r, a);
	else if (!strcmp(name, "data") || !strcmp(name, "default"))
		begin_data(r, a);
	else if (!strcmp(name, "hyperedge") || (!strcmp(name, "graph") && r->in == IN_NODE))
		WRONG(r, "a %s, expected nodes and edges between two of them", name);
	else if (!strcmp(name, "graph"))
		r->directed |=
		    attribute(a, "edgedefault") && !strcmp(attribute(a, "edgedefault"), "directed");
}

static void XMLCALL characters(void *arg, const char *p, int n)
{
	struct reader *r = arg;

	if (!r->taking || r->err)
		return;
	if (r->text.n + (size_t)n > VALUE_MAX)
		WRONG(r, "a value of more than %d bytes", VALUE_MAX);
	else
		buf_add(&r->text, p, (size_t)n);
}

static void take_text(struct reader *r)
{
	char **to = NULL;

	buf_add(&r->text, "", 1);
	r->taking = false;
	if (r->in == IN_KEY)
		to = &r->key[r->keys - 1].standard;
	else if (r->in == IN_NODE)
		to = &r->value[(r->nodes - 1) * r->width + 1 + (size_t)(r->data - r->key)];
	else if (r->in == IN_EDGE && r->weight && !strcmp(r->data->name, r->weight))
		to = &r->edge_weight;
	if (to && *to)
		WRONG(r, "two values of one key");
	else if (to)
		*to = alloc_copy((char *)r->text.p);
}

static void end_edge(struct reader *r)
{
	if (r->weight && !r->edge_weight)
		WRONG(r,
		      "the edge of \"%.40s\" and \"%.40s\" has no \"%.40s\", which is to be its "
		      "weight",
		      r->source, r->target, r->weight);
	buf_printf(&r->edges, "%s\t%s\t%s\n", r->source, r->target,
		   r->edge_weight ? r->edge_weight : "");
	free(r->source);
	free(r->target);
	free(r->edge_weight);
	r->source = r->target = r->edge_weight = NULL;
}

static void XMLCALL end(void *arg, const char *name)
{
	struct reader *r = arg;

	if (r->err)
		return;
	if (!strcmp(name, "data") || !strcmp(name, "default"))
		take_text(r);
	else if (!strcmp(name, "edge"))
		end_edge(r);
	if (!strcmp(name, "node") || !strcmp(name, "edge") || !strcmp(name, "key"))
		r->in = IN_GRAPH;
}

static enum err parse(struct reader *r, struct bytes file)
{
	static const XML_Memory_Handling_Suite memory = { malloc, realloc, free };

	r->xml = XML_ParserCreate_MM(NULL, &memory, NULL);
	if (!r->xml)
		return err_set(ERR_INTERNAL, "%s: expat does not begin", r->where);
	XML_SetUserData(r->xml, r);
	XML_SetElementHandler(r->xml, begin, end);
	XML_SetCharacterDataHandler(r->xml, characters);
	for (size_t at = 0;; at += 1 << 20) { /* expat counts in int */
		size_t n = file.n - at < 1 << 20 ? file.n - at : 1 << 20;
		enum XML_Status status =
		    XML_Parse(r->xml, (const char *)file.p + at, (int)n, at + n == file.n);

		if (status != XML_STATUS_OK && !r->err)
			r->err = wrong(r, "%s", XML_ErrorString(XML_GetErrorCode(r->xml)));
		if (r->err || at + n == file.n)
			break;
	}
	XML_ParserFree(r->xml);
	if (!r->err && !r->nodes)
		r->err = err_set(ERR_INPUT, "%s: no nodes in it, expected GraphML", r->where);
	return r->err;
}

static struct cell text_cell(const char *p) /* NULL: no value */
{
	if (!p)
		return (struct cell){ .kind = CELL_NULL };
	return (struct cell){ .p = p, .n = strlen(p), .kind = CELL_QUOTED };
}

/* Attributes as a table, in the order of the keys; the ids are the first column, if nothing else is
 * said. */
static enum err make_sheet(struct reader *r, struct imported *in, struct reading *how)
{
	struct cell *cell = alloc(1 + r->keys, sizeof(*cell));
	size_t n = 0;
	enum err err;

	cell[n++] = text_cell("node id");
	for (size_t i = 0; i < r->keys; i++)
		if (r->key[i].of_nodes)
			cell[n++] = text_cell(r->key[i].name);
	err = sheet_begin(&in->sheet, how, r->where, "node", cell, n);
	in->sheet.lasting = true; /* with r */
	for (size_t at = 0; at < r->nodes && !err; at++) {
		char **row = r->value + at * r->width;

		n = 0;
		cell[n++] = text_cell(row[0]);
		for (size_t i = 0; i < r->keys; i++) {
			const char *v = row[1 + i] ? row[1 + i] : r->key[i].standard;

			if (r->key[i].of_nodes)
				cell[n++] = text_cell(v);
		}
		err = sheet_row(&in->sheet, at + 1, cell);
	}
	free(cell);
	return err ? err : sheet_end(&in->sheet);
}

static void release(struct reader *r)
{
	for (size_t i = 0; i < r->nodes * r->width; i++)
		free(r->value[i]);
	for (size_t i = 0; i < r->keys; i++) {
		free(r->key[i].id);
		free(r->key[i].name);
		free(r->key[i].standard);
	}
	free(r->value);
	free(r->key);
	free(r->source);
	free(r->target);
	free(r->edge_weight);
	buf_release(&r->edges);
	buf_release(&r->text);
}

enum err import_graphml(struct imported *in, const char *path, const struct import_request *r)
{
	struct reader x = { .where = path, .weight = r->how.weight };
	struct reading how = r->how; /* borrows */
	char edges[300];
	enum err err;

	in->is_table = in->said.heading = true;
	snprintf(in->said.why, sizeof(in->said.why), "as attributes of nodes have names");
	if (!how.id)
		how.id = (char *)(uintptr_t) "#1";
	err = parse(&x, (struct bytes){ in->file.p, in->file.n });
	if (!err)
		err = make_sheet(&x, in, &how);
	in->sheet.how = &r->how;
	if (!err && x.directed)
		log_warn("%s: its edges are directed; they are read as edges of both directions",
			 path);
	snprintf(edges, sizeof(edges), "%.200s: edge", path);
	if (!err && r->how.id)
		err = err_set(ERR_INPUT,
			      "%s: edges are between the ids of nodes, expected no other id", path);
	if (!err)
		err = edges_parse_tsv((struct bytes){ x.edges.p, x.edges.n }, edges, in->sheet.rows,
				      &in->sheet.ids, &in->edges, &in->dropped);
	in->has_edges = !err;
	release(&x);
	return err;
}
