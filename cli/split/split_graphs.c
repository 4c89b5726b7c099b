#include "cli/split/split_graphs.h"
#include "cli/args/args.h"
#include "cli/split/split_parties.h"
#include "common/base/alloc.h"
#include "common/data/tu.h"
#include "common/data/skew.h"

#include <inttypes.h>
#include <stdlib.h>

struct source {
	const struct tu *tu;
	const uint32_t *part; /* of each graph */
};

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
	TRY(args_write(dir, "graphs_A.txt", &t->edges));
	TRY(args_write(dir, "graphs_graph_indicator.txt", &t->indicator));
	TRY(write_one(dir, "graphs_graph_labels.txt", &t->labels));
	TRY(write_one(dir, "graphs_node_attributes.txt", &t->attributes));
	return args_write(dir, "graphs.txt", &t->which);
}

static enum err write_party(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	struct texts t = { 0 };
	enum err err;

	for (size_t g = 0; g < s->tu->graphs.count; g++)
		if (s->part[g] == l)
			add_graph(s->tu, g, &t);
	err = write_texts(dir, &t);
	buf_release(&t.edges);
	buf_release(&t.indicator);
	buf_release(&t.labels);
	buf_release(&t.attributes);
	buf_release(&t.which);
	return err;
}

static enum err write_split_json(const struct split_params *p, size_t graphs)
{
	struct json *root = split_json(p);

	json_put_number(root, "graphs", (double)graphs);
	if (p->skew > 0)
		json_put_number(root, "skew", p->skew);
	return split_json_write(p, root);
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
	enum err err;

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
	err = split_each(p, write_party, &(struct source){ tu, part });
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
