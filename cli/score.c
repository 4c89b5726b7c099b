#include "cli/score.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/limits.h"
#include "common/data/text.h"
#include "common/math/metrics.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
	const char *id;
	size_t row;
};

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->id, ((const struct named *)b)->id);
}

static struct named *sorted(const struct labels *l)
{
	struct named *s;

	ALLOC(s, l->n);
	for (size_t i = 0; i < l->n; i++)
		s[i] = (struct named){ l->id[i], i };
	qsort(s, l->n, sizeof(*s), by_id);
	return s;
}

/* Brings the labels into the truth's order, by id. */
static enum err match(const struct labels *truth, const char *truth_path, struct labels *l,
		      const char *path)
{
	struct named *t = sorted(truth), *s = sorted(l);
	uint32_t *label;
	enum err err = ERR_OK;

	ALLOC(label, truth->n);
	for (size_t i = 0; i < truth->n && !err; i++) {
		if (strcmp(t[i].id, s[i].id) != 0)
			err = err_set(ERR_INPUT, "%s has the id %s, %s has %s in its place",
				      truth_path, t[i].id, path, s[i].id);
		else if (i && !strcmp(t[i].id, t[i - 1].id))
			err = err_set(ERR_INPUT, "%s has the id %s twice", truth_path, t[i].id);
		else
			label[t[i].row] = l->label[s[i].row];
	}
	if (!err)
		memcpy(l->label, label, truth->n * sizeof(*label));
	free(label);
	free(t);
	free(s);
	return err;
}

static enum err mark(const char *path, const struct buf *file, size_t n, bool *out)
{
	struct text t = text_open((struct bytes){ file->p, file->n }, path);

	while (text_line(&t, '#')) {
		uint64_t row;

		TRY(text_whole(&t, 0, n - 1, "the row", &row));
		TRY(text_end(&t));
		out[row] = true;
	}
	return ERR_OK;
}

/* Takes the rows that the file lists out of both; *excluded says how many. */
static enum err drop(const char *path, struct labels *truth, struct labels *l, size_t *excluded)
{
	struct buf file = { 0 };
	size_t kept = 0;
	bool *out;
	enum err err;

	TRY(file_read(path, DATA_FILE_MAX, &file));
	ALLOC(out, truth->n);
	err = mark(path, &file, truth->n, out);
	for (size_t i = 0; i < truth->n && !err; i++) {
		truth->label[kept] = truth->label[i];
		l->label[kept] = l->label[i];
		kept += !out[i];
	}
	*excluded = truth->n - kept;
	if (!err && !kept)
		err = err_set(ERR_INPUT, "%s excludes all %zu rows", path, truth->n);
	free(out);
	buf_release(&file);
	return err;
}

static void put(const struct metrics *m, struct json *result)
{
	json_put_number(result, "acc", m->acc);
	json_put_number(result, "nmi", m->nmi);
	json_put_number(result, "ari", m->ari);
	json_put_number(result, "f1", m->f1);
}

enum err score_rows(const uint32_t *truth, const uint32_t *label, size_t n, struct json *result)
{
	struct metrics m;

	TRY(metrics_of(truth, label, n, &m));
	put(&m, result);
	return ERR_OK;
}

enum err score_read(const char *truth_path, const char *path, struct labels *truth,
		    struct labels *l)
{
	enum err err;

	*l = (struct labels){ 0 };
	TRY(labels_read(truth_path, truth));
	err = labels_read(path, l);
	if (!err && truth->n != l->n)
		err = err_set(ERR_INPUT, "%s has %zu labels, %s has %zu", truth_path, truth->n,
			      path, l->n);
	if (!err && truth->id && l->id)
		err = match(truth, truth_path, l, path);
	if (err) {
		labels_release(truth);
		labels_release(l);
	}
	return err;
}

/* Takes `more` over into l, which has room; it is then empty. */
static void move(struct labels *l, struct labels *more)
{
	memcpy(l->label + l->n, more->label, more->n * sizeof(*l->label));
	memcpy(l->id + l->n, more->id, more->n * sizeof(*l->id));
	l->n += more->n;
	free(more->label);
	free(more->id);
	*more = (struct labels){ 0 };
}

static enum err read_all(const char *const *path, size_t count, struct labels *l)
{
	for (size_t f = 0; f < count; f++) {
		struct labels more;

		TRY(labels_read(path[f], &more));
		if (!more.id) {
			labels_release(&more);
			return err_set(ERR_INPUT,
				       "%s: labels without ids, expected id,label as there are %zu "
				       "files of them",
				       path[f], count);
		}
		l->label = alloc_again(l->label, l->n + more.n, sizeof(*l->label));
		l->id = alloc_again(l->id, l->n + more.n, sizeof(*l->id));
		move(l, &more);
	}
	return ERR_OK;
}

/* Sorts by id and keeps each once. */
static enum err keep_once(struct labels *l, const char *first)
{
	struct named *s = sorted(l);
	uint32_t *label;
	char **id;
	size_t n = 0;
	enum err err = ERR_OK;

	ALLOC(label, l->n);
	ALLOC(id, l->n);
	for (size_t i = 0; i < l->n; i++) {
		uint32_t here = l->label[s[i].row];

		if (n && !strcmp(id[n - 1], s[i].id)) {
			if (label[n - 1] != here && !err)
				err = err_set(ERR_INPUT,
					      "%s and the files after it: %s has the label %u "
					      "in one and %u in another",
					      first, s[i].id, label[n - 1], here);
			free(l->id[s[i].row]);
		} else {
			label[n] = here;
			id[n++] = l->id[s[i].row];
		}
	}
	free(s);
	free(l->label);
	free(l->id);
	*l = (struct labels){ n, label, id };
	return err;
}

enum err score_merge(const char *const *path, size_t count, struct labels *l)
{
	enum err err;

	*l = (struct labels){ 0 };
	err = read_all(path, count, l);
	if (!err)
		err = keep_once(l, path[0]);
	if (err)
		labels_release(l);
	return err;
}

/* Labels by id, of a truth without ids: its rows are called by their numbers, from 0. */
static void name_rows(struct labels *l)
{
	ALLOC(l->id, l->n);
	for (size_t i = 0; i < l->n; i++) {
		l->id[i] = alloc(24, 1);
		snprintf(l->id[i], 24, "%zu", i);
	}
}

static enum err read_files(const struct score_params *p, struct labels *truth, struct labels *l)
{
	enum err err;

	if (p->count == 1)
		return score_read(p->truth, p->labels[0], truth, l);
	TRY(labels_read(p->truth, truth));
	if (!truth->id)
		name_rows(truth);
	err = score_merge(p->labels, p->count, l);
	if (!err && truth->n != l->n)
		err = err_set(ERR_INPUT, "%s has %zu labels, %s and the files after it have %zu",
			      p->truth, truth->n, p->labels[0], l->n);
	if (!err)
		err = match(truth, p->truth, l, p->labels[0]);
	if (err) {
		labels_release(truth);
		labels_release(l);
	}
	return err;
}

enum err score_files(const struct score_params *p, struct json *result)
{
	struct labels truth, l;
	struct metrics m;
	size_t excluded = 0;
	enum err err = ERR_OK;

	TRY(read_files(p, &truth, &l));
	if (p->exclude)
		err = drop(p->exclude, &truth, &l, &excluded);
	if (!err)
		err = metrics_of(truth.label, l.label, truth.n - excluded, &m);
	if (!err) {
		put(&m, result);
		if (p->similarity)
			json_put_number(result, "similarity", m.similarity);
		json_put_number(result, "rows", (double)(truth.n - excluded));
		json_put_number(result, "excluded", (double)excluded);
	}
	labels_release(&truth);
	labels_release(&l);
	return err;
}
