#include "cli/args/args.h"
#include "cli/split/split_parties.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/dataset.h"
#include "common/data/edges.h"
#include "common/data/limits.h"

#include <stdlib.h>
#include <string.h>

struct source {
	struct dataset_files files;
	size_t n;
	struct ids ids; /* sorted ids; empty if vertices are named by their numbers */
	struct csr S;
	struct buf labels;
	const char **line; /* lines of labels.txt; NULL if the file does not exist */
	uint32_t *host;
};

static enum err read_graph(struct source *s, const char *data)
{
	struct edges_dropped dropped;
	size_t lines = 0, at = 0;

	TRY(dataset_find(data, DATASET_EDGES, &s->files));
	if (s->files.labels) {
		TRY(file_read_text(s->files.labels, DATA_FILE_MAX, &s->labels));
		for (size_t i = 0; i < s->labels.n; i++)
			lines += s->labels.p[i] == '\n';
		lines += s->labels.n && s->labels.p[s->labels.n - 1] != '\n';
		ALLOC(s->line, lines + 1);
		for (size_t l = 0; l < lines; l++) {
			char *text = (char *)s->labels.p + at, *end = strchr(text, '\n');

			s->line[l] = text;
			if (end)
				*end = 0;
			at += strlen(text) + 1;
		}
	}
	s->n = lines;
	if (s->files.ids) {
		TRY(ids_read(s->files.ids, &s->ids));
		s->n = s->ids.n;
		TRY(edges_read(s->files.edges, s->n, &s->ids, &s->S, &dropped));
	} else if (s->files.labels) {
		TRY(edges_read(s->files.edges, s->n, NULL, &s->S, &dropped));
	} else {
		TRY(edges_read_named(s->files.edges, &s->ids, &s->S, &dropped));
		s->n = s->ids.n;
	}
	if (s->files.labels && lines != s->n)
		return err_set(ERR_INPUT, "%s: %zu lines, expected %zu as %s has that many ids",
			       s->files.labels, lines, s->n, s->files.ids);
	return ERR_OK;
}

static void print_name(const struct source *s, size_t i, char end, struct buf *out)
{
	if (s->ids.n)
		buf_printf(out, "%s%c", s->ids.id[i], end);
	else
		buf_printf(out, "%zu%c", i, end);
}

static enum err split_vertices_write_party(const void *source, const char *dir, uint32_t l)
{
	const struct source *s = source;
	struct buf ids = { 0 }, labels = { 0 }, edges = { 0 };
	enum err err;

	for (size_t u = 0; u < s->n; u++) {
		bool own = s->host[u] == l;

		if (own)
			print_name(s, u, '\n', &ids);
		if (own && s->line)
			buf_printf(&labels, "%s\n", s->line[s->files.ids ? s->ids.row[u] : u]);
		for (size_t e = s->S.start[u]; e < s->S.start[u + 1]; e++) {
			uint32_t v = s->S.index[e];

			if (v < u || (!own && s->host[v] != l))
				continue;
			print_name(s, u, '\t', &edges);
			print_name(s, v, '\n', &edges);
		}
	}
	err = args_write(dir, "ids.txt", &ids);
	if (!err)
		err = args_write(dir, "edges.tsv", &edges);
	if (!err && s->line)
		err = args_write(dir, "labels.txt", &labels);
	buf_release(&ids);
	buf_release(&labels);
	buf_release(&edges);
	return err;
}

static enum err split_vertices_run(struct source *s, const struct split_params *p)
{
	struct json *root;
	size_t crossing = 0;

	TRY(read_graph(s, p->data));
	if (s->S.value)
		return err_set(ERR_INPUT, "%s: ties have weights, which walks do not read",
			       s->files.edges);
	TRY(split_enough(p, s->n));
	ALLOC(s->host, s->n);
	split_parts(s->n, p->parties, p->seed, s->host);
	TRY(split_each(p, split_vertices_write_party, s));
	for (size_t u = 0; u < s->n; u++)
		for (size_t e = s->S.start[u]; e < s->S.start[u + 1]; e++)
			crossing += s->host[u] != s->host[s->S.index[e]];
	root = split_json(p, s->n);
	json_put_number(root, "edges", (double)s->S.start[s->n] / 2);
	json_put_number(root, "crossing", (double)crossing / 2);
	return split_json_write(p, root);
}

enum err split_vertices(const struct split_params *p)
{
	struct source s = { 0 };
	enum err err = split_vertices_run(&s, p);

	dataset_files_release(&s.files);
	ids_release(&s.ids);
	csr_release(&s.S);
	buf_release(&s.labels);
	free(s.line);
	free(s.host);
	return err;
}
