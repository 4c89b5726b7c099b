#include "cli/run/score.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/limits.h"
#include "common/data/text.h"
#include "common/cluster/metrics.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
	const char *id;
	size_t row;
};

static int score_by_id(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->id, ((const struct named *)b)->id);
}

static struct named *sorted(const struct labels *l)
{
	struct named *s;

	ALLOC(s, l->n);
	for (size_t i = 0; i < l->n; i++)
		s[i] = (struct named){ l->id[i], i };
	qsort(s, l->n, sizeof(*s), score_by_id);
	return s;
}

/* Sorts the labels into the order of the truth, by id. */
static enum err score_match_labels(const struct labels *truth, const char *truth_path,
				   struct labels *l, const char *path)
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

/* Removes rows without a label from the truth. */
static enum err keep_labelled(struct labels *truth, const char *truth_path, const struct labels *l,
			      const char *path)
{
	struct named *t, *s;
	size_t kept = 0, at = 0;
	bool *has;
	enum err err = ERR_OK;

	if (!truth->id || !l->id)
		return err_set(ERR_INPUT,
			       "%s: labels without ids, expected a .csv with ids: the rows of this "
			       "job are those that all parties have",
			       truth->id ? path : truth_path);
	t = sorted(truth);
	s = sorted(l);
	ALLOC(has, truth->n);
	for (size_t i = 0; i < l->n && !err; i++) {
		while (at < truth->n && strcmp(t[at].id, s[i].id) < 0)
			at++;
		if (at == truth->n || strcmp(t[at].id, s[i].id) != 0)
			err = err_set(ERR_INPUT, "%s has the id %s, %s has not", path, s[i].id,
				      truth_path);
		else
			has[t[at].row] = true;
	}
	free(t);
	free(s);
	for (size_t i = 0; i < truth->n && !err; i++) {
		if (!has[i]) {
			free(truth->id[i]);
			continue;
		}
		truth->label[kept] = truth->label[i];
		truth->id[kept++] = truth->id[i];
	}
	if (!err)
		truth->n = kept;
	free(has);
	return err;
}

/* Removes the rows that the file lists from truth and labels. *excluded: their number. */
static enum err score_drop_rows(const char *path, struct labels *truth, struct labels *l,
				size_t *excluded)
{
	struct buf file = { 0 };
	size_t kept = 0;
	struct text t;
	uint64_t row;
	bool *out;
	enum err err = ERR_OK;

	TRY(file_read_text(path, DATA_FILE_MAX, &file));
	ALLOC(out, truth->n);
	t = text_open((struct bytes){ file.p, file.n }, path);
	while (!err && text_line(&t, '#')) {
		err = text_whole(&t, 0, truth->n - 1, "the row", &row);
		if (!err)
			err = text_end(&t);
		if (!err)
			out[row] = true;
	}
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

static void score_put_metrics(const struct metrics *m, struct json *result)
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
	score_put_metrics(&m, result);
	return ERR_OK;
}

/* Several files may have labels of one node, which must agree. Merges them, and sorts by id. */
static enum err keep_once(struct labels *l, const char *where)
{
	struct named *s = sorted(l);
	size_t n = 0;
	enum err err = ERR_OK;
	uint32_t *label;
	char **id;

	ALLOC(label, l->n);
	ALLOC(id, l->n);
	for (size_t i = 0; i < l->n; i++) {
		uint32_t here = l->label[s[i].row];

		if (!n || strcmp(id[n - 1], s[i].id) != 0) {
			label[n] = here;
			id[n++] = l->id[s[i].row];
			continue;
		}
		if (label[n - 1] != here && !err)
			err = err_set(ERR_INPUT,
				      "%s: the id %s is there twice, with the labels %u and %u",
				      where, s[i].id, label[n - 1], here);
		free(l->id[s[i].row]);
	}
	free(s);
	free(l->label);
	free(l->id);
	*l = (struct labels){ .n = n, .label = label, .id = id };
	return err;
}

static enum err score_read_all(struct label_files files, const char *where, struct labels *all)
{
	struct labels l;

	*all = (struct labels){ 0 };
	if (files.n == 1)
		return labels_read(files.path[0], all);
	for (size_t i = 0; i < files.n; i++) {
		TRY(labels_read(files.path[i], &l));
		if (!l.id) {
			labels_release(&l);
			return err_set(ERR_INPUT,
				       "%s: labels without ids, expected a .csv with ids, as "
				       "labels of several files are joined by id",
				       files.path[i]);
		}
		all->label = alloc_again(all->label, all->n + l.n, sizeof(*all->label));
		all->id = alloc_again(all->id, all->n + l.n, sizeof(*all->id));
		memcpy(all->label + all->n, l.label, l.n * sizeof(*l.label));
		memcpy(all->id + all->n, l.id, l.n * sizeof(*l.id));
		all->n += l.n;
		free(l.label);
		free(l.confidence);
		free(l.id);
	}
	return keep_once(all, where);
}

/* Sorts joined labels into the order of the truth; ids are row numbers. l->n equals the number of
 * the truth's rows. */
static enum err score_match_rows(const char *truth_path, struct labels *l, const char *where)
{
	uint32_t *label;
	enum err err = ERR_OK;
	bool *seen;

	ALLOC(label, l->n);
	ALLOC(seen, l->n); /* "7" and "07" stand for the same row */
	for (size_t i = 0; i < l->n && !err; i++) {
		uint64_t row;

		if (!word_whole((struct word){ l->id[i], strlen(l->id[i]) }, &row) || row >= l->n) {
			err = err_set(ERR_INPUT,
				      "%s: the id %s is no row of %s, which has %zu and no ids; "
				      "with other ids the truth needs them too (.csv: id,label)",
				      where, l->id[i], truth_path, l->n);
		} else if (seen[row]) {
			err = err_set(ERR_INPUT, "%s: the id %s is there twice", where, l->id[i]);
		} else {
			seen[row] = true;
			label[row] = l->label[i];
		}
	}
	if (!err)
		memcpy(l->label, label, l->n * sizeof(*label));
	free(seen);
	free(label);
	return err;
}

enum err score_read(struct label_files classes, struct label_files files, struct labels *truth,
		    struct labels *l)
{
	const char *truth_path = classes.path[0];
	char where[512];
	enum err err;

	if (files.n == 1)
		snprintf(where, sizeof(where), "%s", files.path[0]);
	else
		snprintf(where, sizeof(where), "%.400s and %zu more", files.path[0], files.n - 1);
	*l = (struct labels){ 0 };
	err = score_read_all(classes, truth_path, truth);
	if (!err)
		err = score_read_all(files, where, l);
	if (!err && files.common)
		err = keep_labelled(truth, truth_path, l, where);
	if (!err && truth->n != l->n)
		err = err_set(ERR_INPUT, "%s has %zu labels, %s %s %zu", truth_path, truth->n,
			      where, files.n > 1 ? "have" : "has", l->n);
	if (!err && truth->id && l->id)
		err = score_match_labels(truth, truth_path, l, where);
	else if (!err && files.n > 1)
		err = score_match_rows(truth_path, l, where);
	if (err) {
		labels_release(truth);
		labels_release(l);
	}
	return err;
}

enum err score_files(const char *truth_path, struct label_files files, const char *exclude,
		     bool similarity, struct json *result)
{
	char *const path[] = { (char *)truth_path };
	struct labels truth, l;
	struct metrics m = { 0 };
	size_t excluded = 0;
	enum err err = ERR_OK;

	TRY(score_read((struct label_files){ path, 1, false }, files, &truth, &l));
	if (exclude)
		err = score_drop_rows(exclude, &truth, &l, &excluded);
	if (!err)
		err = metrics_of(truth.label, l.label, truth.n - excluded, &m);
	if (!err) {
		score_put_metrics(&m, result);
		if (similarity)
			json_put_number(result, "similarity", m.similarity);
		json_put_number(result, "rows", (double)(truth.n - excluded));
		json_put_number(result, "excluded", (double)excluded);
	}
	labels_release(&truth);
	labels_release(&l);
	return err;
}
