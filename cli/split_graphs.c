#include "cli/split_graphs.h"
#include "cli/args.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/tu.h"
#include "common/math/skew.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A party's files, as they grow. */
struct texts {
	struct buf edges, indicator, labels, attributes, which;
	size_t graphs, nodes;
};

static void add_node(const struct tu *tu, size_t v, size_t first, struct texts *t)
{
	const struct csr *A = &tu->graphs.A;
	const struct mat *X = &tu->graphs.attribute;

	buf_printf(&t->indicator, "%zu\n", t->graphs);
	for (size_t e = A->start[v]; e < A->start[v + 1]; e++)
		buf_printf(&t->edges, "%zu, %zu\n", t->nodes + v - first + 1,
			   t->nodes + A->index[e] - first + 1);
	for (size_t j = 0; j < X->cols; j++)
		buf_printf(&t->attributes, "%.17g%s", MAT(X, v, j), j + 1 < X->cols ? ", " : "\n");
}

static void add_graph(const struct tu *tu, size_t g, struct texts *t)
{
	size_t first = tu->graphs.first[g], end = tu->graphs.first[g + 1];

	t->graphs++;
	for (size_t v = first; v < end; v++)
		add_node(tu, v, first, t);
	t->nodes += end - first;
	if (tu->class)
		buf_printf(&t->labels, "%" PRId64 "\n", tu->class[g]);
	buf_printf(&t->which, "%zu\n", g + 1);
}

static enum err write_one(const char *dir, const char *name, struct buf *text)
{
	return text->n ? args_write(dir, name, text) : ERR_OK;
}

static enum err write_texts(const char *dir, struct texts *t)
{
	TRY(file_make_dirs(dir));
	TRY(args_write(dir, "graphs_A.txt", &t->edges));
	TRY(args_write(dir, "graphs_graph_indicator.txt", &t->indicator));
	TRY(write_one(dir, "graphs_graph_labels.txt", &t->labels));
	TRY(write_one(dir, "graphs_node_attributes.txt", &t->attributes));
	return args_write(dir, "graphs.txt", &t->which);
}

static enum err write_party(const struct split_params *p, const struct tu *tu, const uint32_t *part,
			    uint32_t l)
{
	char *dir = split_party_dir(p, l);
	struct texts t = { 0 };
	enum err err;

	for (size_t g = 0; g < tu->graphs.count; g++)
		if (part[g] == l)
			add_graph(tu, g, &t);
	err = write_texts(dir, &t);
	buf_release(&t.edges);
	buf_release(&t.indicator);
	buf_release(&t.labels);
	buf_release(&t.attributes);
	buf_release(&t.which);
	free(dir);
	return err;
}

static enum err write_split_json(const struct split_params *p, size_t graphs)
{
	struct json *root = json_object();
	struct buf text = { 0 };

	json_put_string(root, "by", split_by_names[p->by]);
	json_put_number(root, "parties", (double)p->parties);
	json_put_number(root, "seed", (double)p->seed);
	json_put_number(root, "graphs", (double)graphs);
	if (p->skew > 0)
		json_put_number(root, "skew", p->skew);
	json_write_pretty(root, &text);
	json_free(root);
	return args_write(p->out, "split.json", &text);
}

static void choose(const struct split_params *p, const struct tu *tu, uint32_t *part)
{
	uint32_t *label;
	size_t classes;

	if (!(p->skew > 0)) {
		split_parts(tu->graphs.count, p->parties, p->seed, part);
		return;
	}
	ALLOC(label, tu->graphs.count);
	tu_classes(tu, label, &classes);
	skew_parts(label, tu->graphs.count, p->parties, p->skew, p->seed, part);
	free(label);
}

static enum err write_all(const struct split_params *p, const struct tu *tu)
{
	uint32_t *part;
	enum err err = ERR_OK;

	if (tu->graphs.count < p->parties)
		return err_set(ERR_INPUT,
			       "%s has %zu graphs, expected at least one for each of %zu parties",
			       p->data, tu->graphs.count, p->parties);
	if (p->skew > 0 && !tu->class)
		return err_set(ERR_INPUT,
			       "%s: no graph labels there, which a skew needs: it goes by class",
			       p->data);
	ALLOC(part, tu->graphs.count);
	choose(p, tu, part);
	for (uint32_t l = 0; l < p->parties && !err; l++)
		err = write_party(p, tu, part, l);
	free(part);
	return err ? err : write_split_json(p, tu->graphs.count);
}

enum err split_graphs(const struct split_params *p)
{
	struct tu tu;
	enum err err;

	TRY(tu_read(p->data, &tu));
	err = write_all(p, &tu);
	tu_release(&tu);
	return err;
}
