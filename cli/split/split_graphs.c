#include "cli/args/args.h"
#include "cli/split/split_parties.h"
#include "common/base/alloc.h"
#include "common/data/tu.h"
#include "common/data/skew.h"

#include <inttypes.h>
#include <stdlib.h>

struct source {
	const struct tu *tu;
	const uint32_t *part;
};

static enum err split_graphs_write_party(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	const struct graphs *all = &s->tu->graphs;
	const struct csr *A = &all->A;
	const struct mat *X = &all->attribute;
	struct buf edges = { 0 }, indicator = { 0 }, labels = { 0 }, attributes = { 0 },
		   which = { 0 };
	size_t graphs = 0, nodes = 0;
	enum err err;

	for (size_t g = 0; g < all->count; g++) {
		size_t shift = nodes - all->first[g] + 1; /* nodes count from 1 */

		if (s->part[g] != l)
			continue;
		graphs++;
		nodes += all->first[g + 1] - all->first[g];
		buf_printf(&which, "%zu\n", g + 1);
		if (s->tu->class)
			buf_printf(&labels, "%" PRId64 "\n", s->tu->class[g]);
		for (size_t v = all->first[g]; v < all->first[g + 1]; v++) {
			buf_printf(&indicator, "%zu\n", graphs);
			for (size_t e = A->start[v]; e < A->start[v + 1]; e++)
				buf_printf(&edges, "%zu, %zu\n", v + shift, A->index[e] + shift);
			for (size_t j = 0; j < X->cols; j++)
				buf_printf(&attributes, "%.17g%s", MAT(X, v, j),
					   j + 1 < X->cols ? ", " : "\n");
		}
	}
	err = args_write(dir, "graphs_A.txt", &edges);
	if (!err)
		err = args_write(dir, "graphs_graph_indicator.txt", &indicator);
	if (!err && labels.n)
		err = args_write(dir, "graphs_graph_labels.txt", &labels);
	if (!err && attributes.n)
		err = args_write(dir, "graphs_node_attributes.txt", &attributes);
	if (!err)
		err = args_write(dir, "graphs.txt", &which);
	buf_release(&indicator);
	buf_release(&labels);
	buf_release(&attributes);
	buf_release(&which);
	return err;
}

static enum err split_graphs_run(const struct split_params *p, const struct tu *tu)
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
	err = split_each(p, split_graphs_write_party, &(struct source){ tu, part });
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
	err = split_graphs_run(p, &tu);
	tu_release(&tu);
	return err;
}
