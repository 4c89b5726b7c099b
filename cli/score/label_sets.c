#include "cli/score/label_sets.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "common/data/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	uint32_t vertex, label;
};

struct pairs {
	struct pair *a;
	size_t n, room, strangers;
};

static void add(struct pairs *p, size_t vertex, uint32_t label)
{
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 1024;
		p->a = alloc_again(p->a, p->room, sizeof(*p->a));
	}
	p->a[p->n++] = (struct pair){ (uint32_t)vertex, label };
}

static int by_vertex(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->vertex != y->vertex)
		return x->vertex < y->vertex ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

/* name (n of them, or NULL): what the vertices of lines are called; else it is their number. */
static enum err parse_lines(struct text *t, const struct ids *ids, char *const *name, size_t n,
			    struct pairs *p)
{
	size_t line = 0;
	const char *id;
	char number[32];

	for (; t->p < t->end; line++) {
		size_t vertex = SIZE_MAX, before = p->n;

		if (name && line >= n)
			return text_error(t, "more lines than the %zu ids beside it", n);
		snprintf(number, sizeof(number), "%zu", line);
		id = name ? name[line] : number;
		vertex = ids_find(ids, (struct word){ id, strlen(id) });
		while (!text_at_end(t)) {
			uint64_t x;

			TRY(text_whole(t, 0, LABELS_MAX - 1, "the label", &x));
			if (vertex != SIZE_MAX)
				add(p, vertex, (uint32_t)x);
			else
				before = SIZE_MAX;
		}
		p->strangers += before == SIZE_MAX;
		text_next(t);
	}
	if (name && line < n)
		return err_set(ERR_INPUT, "%s: %zu lines, expected %zu as there are ids beside it",
			       t->where, line, n);
	return ERR_OK;
}

/* The id of each line is in ids.txt in the same directory, if there is one. */
static enum err read_lines(const char *path, const struct ids *ids, struct pairs *p)
{
	char *dir = file_dir(path), *beside = file_join(dir, "ids.txt"), **name = NULL;
	struct buf file = { 0 };
	struct ids names = { 0 };
	enum err err = file_read_text(path, DATA_FILE_MAX, &file);

	if (!err && file_exists(beside)) {
		err = ids_read(beside, &names);
		ALLOC(name, names.n);
		for (size_t i = 0; i < names.n; i++)
			name[names.row[i]] = names.id[i];
	}
	if (!err) {
		struct text t = text_open((struct bytes){ file.p, file.n }, path);

		err = parse_lines(&t, ids, name, names.n, p);
	}
	free(name);
	ids_release(&names);
	buf_release(&file);
	free(beside);
	free(dir);
	return err;
}

static enum err read_csv(const char *path, const struct ids *ids, struct pairs *p)
{
	struct labels l;

	TRY(labels_read(path, &l));
	for (size_t i = 0; i < l.n; i++) {
		size_t vertex = ids_find(ids, (struct word){ l.id[i], strlen(l.id[i]) });

		if (vertex != SIZE_MAX)
			add(p, vertex, l.label[i]);
		else
			p->strangers++;
	}
	labels_release(&l);
	return ERR_OK;
}

enum err label_sets_read(const char *path, const struct ids *ids, struct label_sets *s)
{
	const char *ending = strrchr(path, '.');
	size_t kept = 0;
	uint32_t *number;
	struct pairs p = { 0 };
	enum err err;

	*s = (struct label_sets){ 0 };
	if (ending && !strcmp(ending, ".csv"))
		err = read_csv(path, ids, &p);
	else
		err = read_lines(path, ids, &p);
	if (!err && !p.n)
		err = err_set(ERR_INPUT, "%s: no class of any of the %zu vertices", path, ids->n);
	if (err) {
		free(p.a);
		return err;
	}
	qsort(p.a, p.n, sizeof(*p.a), by_vertex);
	s->n = ids->n;
	s->strangers = p.strangers;
	ALLOC(number, LABELS_MAX);
	for (size_t i = 0; i < p.n; i++)
		number[p.a[i].label] = 1;
	for (uint32_t l = 0; l < LABELS_MAX; l++)
		number[l] = number[l] ? (uint32_t)s->classes++ : 0;
	ALLOC(s->start, s->n + 1);
	ALLOC(s->class, p.n);
	for (size_t i = 0; i < p.n; i++) {
		if (i && by_vertex(&p.a[i], &p.a[i - 1]) == 0)
			continue; /* a vertex may have a class twice */
		s->class[kept++] = number[p.a[i].label];
		s->start[p.a[i].vertex + 1]++;
	}
	for (size_t i = 0; i < s->n; i++)
		s->start[i + 1] += s->start[i];
	free(number);
	free(p.a);
	return ERR_OK;
}

void label_sets_release(struct label_sets *s)
{
	free(s->start);
	free(s->class);
	*s = (struct label_sets){ 0 };
}
