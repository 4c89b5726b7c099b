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

static void add_graph(const struct graphs *all, size_t g, struct texts *t)
{
	const struct csr *A = &all->A;
	const struct mat *X = &all->attribute;
	size_t first = all->first[g], end = all->first[g + 1], shift = t->nodes - first + 1;

	t->graphs++;
	for (size_t v = first; v < end; v++) {
		buf_printf(&t->indicator, "%zu\n", t->graphs);
		for (size_t e = A->start[v]; e < A->start[v + 1]; e++)
			buf_printf(&t->edges, "%zu, %zu\n", v + shift, A->index[e] + shift);
		for (size_t j = 0; j < X->cols; j++)
			buf_printf(&t->attributes, "%.17g%s", MAT(X, v, j),
				   j + 1 < X->cols ? ", " : "\n");
	}
	t->nodes += end - first;
	buf_printf(&t->which, "%zu\n", g + 1);
}

static enum err write_party(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	struct texts t = { 0 };
	enum err err;

	for (size_t g = 0; g < s->tu->graphs.count; g++) {
		if (s->part[g] != l)
			continue;
		add_graph(&s->tu->graphs, g, &t);
		if (s->tu->class)
			buf_printf(&t.labels, "%" PRId64 "\n", s->tu->class[g]);
	}
	err = args_write(dir, "graphs_A.txt", &t.edges);
	if (!err)
		err = args_write(dir, "graphs_graph_indicator.txt", &t.indicator);
	if (!err && t.labels.n)
		err = args_write(dir, "graphs_graph_labels.txt", &t.labels);
	if (!err && t.attributes.n)
		err = args_write(dir, "graphs_node_attributes.txt", &t.attributes);
	if (!err)
		err = args_write(dir, "graphs.txt", &t.which);
	buf_release(&t.indicator);
	buf_release(&t.labels);
	buf_release(&t.attributes);
	buf_release(&t.which);
	return err;
}

static enum err split(const struct split_params *p, const struct tu *tu)
{
	size_t n = tu->graphs.count, classes;
	uint32_t *part, *label;
	struct json *root;
	enum err err;

	TRY(split_enough(p, n));
	if (p->skew > 0 && !tu->class)
		return err_set(ERR_INPUT,
			       "%s: no graph labels there, which a skew needs: it goes by class",
			       p->data);
	ALLOC(part, n);
	if (p->skew > 0) {
		ALLOC(label, n);
		tu_classes(tu, label, &classes);
		skew_parts(label, n, p->parties, p->skew, p->seed, part);
		free(label);
	} else {
		split_parts(n, p->parties, p->seed, part);
	}
	err = split_each(p, write_party, &(struct source){ tu, part });
	free(part);
	TRY(err);
	root = split_json(p, n);
	if (p->skew > 0)
		json_put_number(root, "skew", p->skew);
	return split_json_write(p, root);
}

enum err split_graphs(const struct split_params *p)
{
	struct tu tu;
	enum err err;

	TRY(tu_read(p->data, &tu));
	err = split(p, &tu);
	tu_release(&tu);
	return err;
}
