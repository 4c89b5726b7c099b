#include "cli/report/evaluation.h"
#include "common/base/alloc.h"
#include "common/cluster/metrics.h"

#include <stdlib.h>

struct side {
	uint32_t label[CONFUSION_MAX]; /* the labels that occur, in ascending order */
	size_t n;                      /* CONFUSION_MAX + 1 if there are more */
	uint8_t *place;                /* position in `label` of each label that occurs */
};

static struct side side_of(const uint32_t *label, size_t n)
{
	struct side s = { .place = alloc(METRICS_LABEL_END, 1) };

	for (size_t i = 0; i < n; i++)
		s.place[label[i]] = 1;
	for (uint32_t v = 0; v < METRICS_LABEL_END && s.n <= CONFUSION_MAX; v++) {
		if (!s.place[v])
			continue;
		if (s.n < CONFUSION_MAX)
			s.label[s.n] = v;
		s.place[v] = (uint8_t)s.n++;
	}
	return s;
}

static void put_matrix(struct json *evaluation, const struct side *classes,
		       const struct side *clusters, const double *count, size_t size)
{
	size_t *match = alloc(size, sizeof(*match)), column[CONFUSION_MAX], columns = 0;
	struct json *rows, *row, *list;
	double *cost = alloc(size * size, sizeof(*cost));

	/* Columns are the clusters matched to each class, then the unmatched clusters. */
	for (size_t i = 0; i < size * size; i++)
		cost[i] = -count[i];
	hungarian(cost, size, match);
	for (size_t i = 0; i < size; i++)
		if (match[i] < clusters->n)
			column[columns++] = match[i];
	list = json_put_array(evaluation, "classes");
	for (size_t i = 0; i < classes->n; i++)
		json_append_number(list, classes->label[i]);
	list = json_put_array(evaluation, "clusters");
	for (size_t i = 0; i < columns; i++)
		json_append_number(list, clusters->label[column[i]]);
	rows = json_put_array(evaluation, "confusion");
	for (size_t c = 0; c < classes->n; c++) {
		row = json_append(rows, json_array());
		for (size_t u = 0; u < columns; u++)
			json_append_number(row, count[c * size + column[u]]);
	}
	free(cost);
	free(match);
}

void evaluation_confusion(struct json *evaluation, const uint32_t *truth, const uint32_t *label,
			  size_t n)
{
	struct side classes = side_of(truth, n), clusters = side_of(label, n);
	size_t size = classes.n > clusters.n ? classes.n : clusters.n;
	double *count;

	if (size <= CONFUSION_MAX) {
		count = alloc(size * size, sizeof(*count));
		for (size_t i = 0; i < n; i++)
			count[classes.place[truth[i]] * size + clusters.place[label[i]]]++;
		put_matrix(evaluation, &classes, &clusters, count, size);
		free(count);
	}
	free(classes.place);
	free(clusters.place);
}

enum err evaluation_make(struct label_files classes, struct label_files files,
			 struct json **evaluation)
{
	struct labels truth, l;
	struct json *e;
	enum err err;

	*evaluation = NULL;
	TRY(score_read(classes, files, &truth, &l));
	e = json_object();
	json_put_string(e, "truth", classes.path[0]);
	json_put_number(e, "rows", (double)truth.n);
	err = score_rows(truth.label, l.label, truth.n, e);
	if (err) {
		json_free(e);
	} else {
		evaluation_confusion(e, truth.label, l.label, truth.n);
		*evaluation = e;
	}
	labels_release(&truth);
	labels_release(&l);
	return err;
}
