#include "lab/score/multilabel.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/rng.h"
#include "common/data/labels.h"
#include "common/data/limits.h"
#include "common/data/text.h"
#include "common/linalg/parallel.h"

#include <linear.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- classes from files --------------------------------------------------------------------- */

struct pair {
	uint32_t vertex, label;
};

struct pairs {
	struct pair *a;
	size_t n, room, strangers;
};

static void multilabel_add_pair(struct pairs *p, size_t vertex, uint32_t label)
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

/* Parses the lines. name: n names of the lines' vertices. NULL: vertices have the line numbers as
 * names. */
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
				multilabel_add_pair(p, vertex, (uint32_t)x);
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

/* Reads a file with a line per vertex. If ids.txt exists in the same directory, it has the id of
 * each line. */
static enum err multilabel_read_lines(const char *path, const struct ids *ids, struct pairs *p)
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

static enum err multilabel_read_csv(const char *path, const struct ids *ids, struct pairs *p)
{
	struct labels l;

	TRY(labels_read(path, &l));
	for (size_t i = 0; i < l.n; i++) {
		size_t vertex = ids_find(ids, (struct word){ l.id[i], strlen(l.id[i]) });

		if (vertex != SIZE_MAX)
			multilabel_add_pair(p, vertex, l.label[i]);
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
		err = multilabel_read_csv(path, ids, &p);
	else
		err = multilabel_read_lines(path, ids, &p);
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
			continue;
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

/* -- logistic regression -------------------------------------------------------------------- */

struct logistic {
	size_t rows, cols;
	struct feature_node *node; /* rows x (cols + 2): values, intercept, end */
};

static void silent(const char *text)
{
	(void)text;
}

struct logistic *logistic_open(const struct mat *X)
{
	struct logistic *l;

	ALLOC(l, 1);
	l->rows = X->rows;
	l->cols = X->cols;
	ALLOC(l->node, l->rows * (l->cols + 2));
	for (size_t i = 0; i < l->rows; i++) {
		struct feature_node *node = l->node + i * (l->cols + 2);

		for (size_t j = 0; j < l->cols; j++)
			node[j] = (struct feature_node){ (int)j + 1, MAT(X, i, j) };
		node[l->cols] = (struct feature_node){ (int)l->cols + 1, 1 };
		node[l->cols + 1].index = -1;
	}
	set_print_string_function(silent);
	return l;
}

void logistic_close(struct logistic *l)
{
	free(l->node);
	free(l);
}

void logistic_train(const struct logistic *l, const uint32_t *row, size_t rows,
		    const uint8_t *member, double C, double *weight)
{
	struct parameter how = { .solver_type = L2R_LR, .eps = 0.01, .C = C };
	struct problem all = { .l = (int)rows, .n = (int)l->cols + 1, .bias = 1 };
	struct model *model;
	size_t members = 0;

	memset(weight, 0, (l->cols + 1) * sizeof(*weight));
	ALLOC(all.y, rows);
	ALLOC(all.x, rows);
	for (size_t i = 0; i < rows; i++) {
		members += member[row[i]] != 0;
		all.y[i] = member[row[i]] ? 1 : -1;
		all.x[i] = l->node + row[i] * (l->cols + 2);
	}
	if (members == 0 || members == rows) {
		weight[l->cols] = members ? 1e6 : -1e6;
	} else {
		model = train(&all, &how);
		/* liblinear's weights are for the label that occurred first, so their sign may have
		 * to change */
		for (size_t j = 0; j <= l->cols; j++)
			weight[j] = model->label[0] == 1 ? model->w[j] : -model->w[j];
		free_and_destroy_model(&model);
	}
	free(all.y);
	free(all.x);
}

double logistic_value(const double *weight, const double *x, size_t cols)
{
	double sum = weight[cols];

	for (size_t j = 0; j < cols; j++)
		sum += weight[j] * x[j];
	return sum;
}

/* -- one split ------------------------------------------------------------------------------ */

struct plan {
	const struct logistic *l;
	const struct mat *X;
	const struct label_sets *s;
	double C;
	const uint32_t *row; /* rows of the vertices for training, then of those that are tested */
	size_t trained, tested;
	double *value; /* classes x tested */
};

static void try_class(void *ctx, unsigned worker, size_t class)
{
	const struct plan *p = ctx;
	uint8_t *member;
	double *weight;

	(void)worker;
	ALLOC(member, p->s->n);
	ALLOC(weight, p->X->cols + 1);
	for (size_t i = 0; i < p->s->n; i++)
		for (size_t e = p->s->start[i]; e < p->s->start[i + 1]; e++)
			member[i] |= p->s->class[e] == class;
	logistic_train(p->l, p->row, p->trained, member, p->C, weight);
	for (size_t t = 0; t < p->tested; t++)
		p->value[class * p->tested + t] =
		    logistic_value(weight, ROW(p->X, p->row[p->trained + t]), p->X->cols);
	free(weight);
	free(member);
}

struct tally {
	double right, guessed, there;
};

static double f1(const struct tally *t)
{
	return t->guessed + t->there > 0 ? 2 * t->right / (t->guessed + t->there) : 0;
}

/* Chooses the classes of the t-th tested vertex: those with the largest values. Of equal values,
 * the lower class is chosen. */
static void decide(const struct plan *p, size_t t, bool *chosen, struct tally *tally)
{
	uint32_t i = p->row[p->trained + t];
	size_t k = p->s->start[i + 1] - p->s->start[i];

	for (size_t c = 0; c < p->s->classes; c++)
		chosen[c] = false;
	for (size_t j = 0; j < k; j++) {
		size_t best = SIZE_MAX;

		for (size_t c = 0; c < p->s->classes; c++)
			if (!chosen[c] && (best == SIZE_MAX || p->value[c * p->tested + t] >
								   p->value[best * p->tested + t]))
				best = c;
		chosen[best] = true;
		tally[best].guessed++;
	}
	for (size_t e = p->s->start[i]; e < p->s->start[i + 1]; e++) {
		tally[p->s->class[e]].there++;
		tally[p->s->class[e]].right += chosen[p->s->class[e]];
	}
}

void multilabel_split(const struct logistic *l, const struct mat *X, const struct label_sets *s,
		      const struct multilabel_params *p, unsigned repeat,
		      struct multilabel_score *score)
{
	struct plan f = { .l = l, .X = X, .s = s, .C = p->C };
	struct tally *tally, all = { 0 };
	struct rng rng;
	bool *chosen;
	uint32_t *row;
	size_t n = 0;

	ALLOC(row, s->n);
	for (size_t i = 0; i < s->n; i++)
		if (s->start[i] < s->start[i + 1])
			row[n++] = (uint32_t)i;
	rng_seed(&rng, p->seed, repeat);
	rng_shuffle(&rng, row, n);
	f.row = row;
	f.trained = (size_t)fmax(1, fmin((double)n - 1, round(p->ratio * (double)n)));
	f.tested = n - f.trained;
	ALLOC(f.value, s->classes * f.tested);
	parallel(p->threads, s->classes, try_class, &f);
	*score = (struct multilabel_score){ .trained = f.trained, .tested = f.tested };
	ALLOC(tally, s->classes);
	ALLOC(chosen, s->classes);
	for (size_t t = 0; t < f.tested; t++)
		decide(&f, t, chosen, tally);
	for (size_t c = 0; c < s->classes; c++) {
		score->macro += f1(&tally[c]) / (double)s->classes;
		all.right += tally[c].right;
		all.guessed += tally[c].guessed;
		all.there += tally[c].there;
	}
	score->micro = f1(&all);
	free(chosen);
	free(tally);
	free(f.value);
	free(row);
}
