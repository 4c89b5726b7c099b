#include "cli/split/split_graph.h"
#include "cli/args/args.h"
#include "cli/args/pooled_graph.h"
#include "cli/split/split_cut.h"
#include "cli/split/split_hold.h"
#include "cli/split/split_parties.h"
#include "common/base/alloc.h"
#include "common/data/edges.h"

#include <stdlib.h>

/* home[i]: of a node without edges, the party that knows it. */
struct source {
	struct pooled_graph g;
	struct split_holders holders;
	uint32_t *home;
	size_t isolated;
};

static void source_release(struct source *s)
{
	pooled_graph_release(&s->g);
	split_holders_release(&s->holders);
	free(s->home);
}

static enum err source_read(struct source *s, const struct split_params *p)
{
	const struct split_hold_params hold = split_hold_of(p);
	size_t edges;

	TRY(pooled_graph_read(p->data, &s->g));
	s->isolated = pooled_graph_isolated(&s->g, NULL);
	edges = s->g.S.start[s->g.n] / 2;
	if (edges < p->parties)
		return err_set(ERR_INPUT,
			       "%s has %zu edges, expected at least one for each of %zu parties",
			       p->data, edges, p->parties);
	TRY(split_hold(&s->g.S, &hold, &s->holders));
	ALLOC(s->home, s->g.n);
	split_parts(s->g.n, p->parties, p->seed, s->home);
	return ERR_OK;
}

static void mark_known(const struct source *s, const struct csr *mine, uint32_t l, bool *known)
{
	for (size_t u = 0; u < s->g.n; u++) {
		if (s->g.S.start[u] == s->g.S.start[u + 1])
			known[u] = s->home[u] == l;
		for (size_t e = mine->start[u]; e < mine->start[u + 1]; e++)
			known[u] = known[mine->index[e]] = true;
	}
}

static enum err write_nodes(const struct source *s, const char *dir, const bool *known)
{
	struct buf ids = { 0 }, labels = { 0 };
	enum err err;

	for (size_t i = 0; i < s->g.n; i++) {
		if (!known[i])
			continue;
		buf_printf(&ids, "%s\n", s->g.id[i]);
		if (s->g.truth)
			buf_printf(&labels, "%u\n", s->g.truth[i]);
	}
	err = args_write(dir, "ids.txt", &ids);
	if (!err && s->g.truth)
		err = args_write(dir, "labels.txt", &labels);
	buf_release(&labels);
	return err;
}

static enum err write_party(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	struct buf text = { 0 };
	bool *kept, *known;
	struct csr mine;
	enum err err;

	ALLOC(kept, s->holders.edges);
	ALLOC(known, s->g.n);
	split_held(&s->holders, l, kept);
	split_keep_edges(&s->g.S, kept, &mine);
	free(kept);
	mark_known(s, &mine, l, known);
	edges_print_tsv(&mine, s->g.id, &text);
	csr_release(&mine);
	err = args_write(dir, "edges.tsv", &text);
	if (!err)
		err = write_nodes(s, dir, known);
	free(known);
	return err;
}

static enum err write_split_json(const struct source *s, const struct split_params *p)
{
	struct json *root = split_json(p);

	json_put_number(root, "edges", (double)s->holders.edges);
	json_put_number(root, "nodes", (double)s->g.n);
	json_put_number(root, "isolated", (double)s->isolated);
	split_put_holders(root, p, s->holders.copies);
	return split_json_write(p, root);
}

enum err split_graph(const struct split_params *p)
{
	struct source s = { 0 };
	enum err err = source_read(&s, p);

	if (!err)
		err = split_each(p, write_party, &s);
	if (!err)
		err = write_split_json(&s, p);
	source_release(&s);
	return err;
}
