#include "cli/args/args.h"
#include "cli/args/pooled_graph.h"
#include "cli/split/split_parties.h"
#include "common/base/alloc.h"
#include "common/data/edges.h"

#include <stdlib.h>

/* Input of the split. home[i]: the party that gets the isolated node i. */
struct source {
	struct pooled_graph g;
	struct split_holders holders;
	uint32_t *home;
};

static enum err split_graph_write_party(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	const struct pooled_graph *g = &s->g;
	struct buf edges = { 0 }, ids = { 0 }, labels = { 0 };
	bool *kept, *known;
	struct csr mine;
	enum err err;

	ALLOC(kept, s->holders.edges);
	ALLOC(known, g->n);
	split_held(&s->holders, l, kept);
	split_keep_edges(&g->S, kept, &mine);
	for (size_t u = 0; u < g->n; u++) {
		if (g->S.start[u] == g->S.start[u + 1])
			known[u] = s->home[u] == l;
		for (size_t e = mine.start[u]; e < mine.start[u + 1]; e++)
			known[u] = known[mine.index[e]] = true;
	}
	edges_print_tsv(&mine, g->id, &edges);
	for (size_t i = 0; i < g->n; i++) {
		if (!known[i])
			continue;
		buf_printf(&ids, "%s\n", g->id[i]);
		if (g->truth)
			buf_printf(&labels, "%u\n", g->truth[i]);
	}
	err = args_write(dir, "edges.tsv", &edges);
	if (!err)
		err = args_write(dir, "ids.txt", &ids);
	if (!err && g->truth)
		err = args_write(dir, "labels.txt", &labels);
	buf_release(&ids);
	buf_release(&labels);
	csr_release(&mine);
	free(known);
	free(kept);
	return err;
}

static enum err split_graph_run(struct source *s, const struct split_params *p)
{
	struct json *root;
	size_t edges;

	TRY(pooled_graph_read(p->data, &s->g));
	edges = s->g.S.start[s->g.n] / 2;
	TRY(split_enough(p, edges));
	TRY(split_hold(&s->g.S, p, &s->holders));
	ALLOC(s->home, s->g.n);
	split_parts(s->g.n, p->parties, p->seed, s->home);
	TRY(split_each(p, split_graph_write_party, s));
	root = split_json(p, edges);
	json_put_number(root, "nodes", (double)s->g.n);
	json_put_number(root, "isolated", (double)pooled_graph_isolated(&s->g));
	split_put_holders(root, p, s->holders.copies);
	return split_json_write(p, root);
}

enum err split_graph(const struct split_params *p)
{
	struct source s = { 0 };
	enum err err = split_graph_run(&s, p);

	pooled_graph_release(&s.g);
	split_holders_release(&s.holders);
	free(s.home);
	return err;
}
