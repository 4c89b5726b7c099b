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

/* Of line `number` (from 0), whose id is lines' or its number. */
static size_t vertex_of(const struct ids *ids, char *const *name, size_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", number);
	if (name)
		return ids_find(ids, (struct word){ name[number], strlen(name[number]) });
	return ids_find(ids, (struct word){ text, strlen(text) });
}

/* name (n of them, or NULL): what the vertices of lines are called. */
static enum err parse_lines(struct text *t, const struct ids *ids, char *const *name, size_t n,
			    struct pairs *p)
{
	size_t line = 0;

	for (; t->p < t->end; line++) {
		size_t vertex = SIZE_MAX, before = p->n;

		if (name && line >= n)
			return text_error(t, "more lines than the %zu ids beside it", n);
		vertex = vertex_of(ids, name, line);
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

/* The id of each line, from ids.txt in the same directory; *name stays NULL if there is none. */
static enum err names_beside(const char *path, char ***name, size_t *n, struct ids *names)
{
	char *dir = file_dir(path), *beside = file_join(dir, "ids.txt");
	enum err err = ERR_OK;

	if (file_exists(beside)) {
		err = ids_read(beside, names);
		if (!err) {
			*n = names->n;
			ALLOC(*name, names->n);
			for (size_t i = 0; i < names->n; i++)
				(*name)[names->row[i]] = names->id[i];
		}
	}
	free(beside);
	free(dir);
	return err;
}

static enum err read_lines(const char *path, const struct ids *ids, struct pairs *p)
{
	struct buf file = { 0 };
	struct ids names = { 0 };
	char **name = NULL;
	size_t n = 0;
	enum err err = file_read_text(path, DATA_FILE_MAX, &file);

	if (!err)
		err = names_beside(path, &name, &n, &names);
	if (!err) {
		struct text t = text_open((struct bytes){ file.p, file.n }, path);

		err = parse_lines(&t, ids, name, n, p);
	}
	free(name);
	ids_release(&names);
	buf_release(&file);
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

/* From sorted pairs, of which some may be twice. */
static void build(struct pairs *p, size_t n, struct label_sets *s)
{
	uint32_t *number;
	size_t kept = 0;

	ALLOC(number, LABELS_MAX);
	for (size_t i = 0; i < p->n; i++)
		number[p->a[i].label] = 1;
	for (uint32_t l = 0; l < LABELS_MAX; l++)
		number[l] = number[l] ? (uint32_t)s->classes++ : 0;
	s->n = n;
	ALLOC(s->start, n + 1);
	ALLOC(s->class, p->n);
	for (size_t i = 0; i < p->n; i++) {
		if (i && by_vertex(&p->a[i], &p->a[i - 1]) == 0)
			continue;
		s->class[kept++] = number[p->a[i].label];
		s->start[p->a[i].vertex + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		s->start[i + 1] += s->start[i];
	free(number);
}

enum err label_sets_read(const char *path, const struct ids *ids, struct label_sets *s)
{
	const char *ending = strrchr(path, '.');
	struct pairs p = { 0 };
	enum err err;

	*s = (struct label_sets){ 0 };
	if (ending && !strcmp(ending, ".csv"))
		err = read_csv(path, ids, &p);
	else
		err = read_lines(path, ids, &p);
	if (!err && !p.n)
		err = err_set(ERR_INPUT, "%s: no class of any of the %zu vertices", path, ids->n);
	if (!err) {
		qsort(p.a, p.n, sizeof(*p.a), by_vertex);
		build(&p, ids->n, s);
		s->strangers = p.strangers;
	}
	free(p.a);
	return err;
}

void label_sets_release(struct label_sets *s)
{
	free(s->start);
	free(s->class);
	*s = (struct label_sets){ 0 };
}
