#include "cli/report/evaluation.h"
#include "common/base/alloc.h"
#include "common/cluster/metrics.h"

#include <stdlib.h>

struct side { /* labels that occur, ascending */
	uint32_t label[CONFUSION_MAX];
	size_t n; /* CONFUSION_MAX + 1 if there are more */
};

static struct side side_of(const uint32_t *label, size_t n)
{
	struct side s = { .n = 0 };
	uint8_t *seen;

	ALLOC(seen, METRICS_LABEL_END);
	for (size_t i = 0; i < n; i++)
		seen[label[i]] = 1;
	for (uint32_t v = 0; v < METRICS_LABEL_END && s.n <= CONFUSION_MAX; v++) {
		if (seen[v] && s.n < CONFUSION_MAX)
			s.label[s.n] = v;
		s.n += seen[v];
	}
	free(seen);
	return s;
}

static size_t evaluation_place_of(const struct side *s, uint32_t label)
{
	size_t i = 0;

	while (s->label[i] != label)
		i++;
	return i;
}

static void put_labels(struct json *o, const char *key, const struct side *s, const size_t *order)
{
	struct json *list = json_put_array(o, key);

	for (size_t i = 0; i < s->n; i++)
		json_append_number(list, s->label[order ? order[i] : i]);
}

void evaluation_confusion(struct json *evaluation, const uint32_t *truth, const uint32_t *label,
			  size_t n)
{
	struct side classes = side_of(truth, n), clusters = side_of(label, n);
	size_t size = classes.n > clusters.n ? classes.n : clusters.n, *match, *column, columns = 0;
	struct json *rows;
	double *count, *cost;

	if (size > CONFUSION_MAX)
		return;
	ALLOC(count, size * size);
	ALLOC(cost, size * size);
	ALLOC(match, size);
	ALLOC(column, size);
	for (size_t i = 0; i < n; i++)
		count[evaluation_place_of(&classes, truth[i]) * size +
		      evaluation_place_of(&clusters, label[i])]++;
	/* Columns: the cluster matched to each class, then unmatched clusters. */
	for (size_t i = 0; i < size * size; i++)
		cost[i] = -count[i];
	hungarian(cost, size, match);
	for (size_t i = 0; i < size; i++) {
		if (match[i] < clusters.n)
			column[columns++] = match[i];
	}
	put_labels(evaluation, "classes", &classes, NULL);
	put_labels(evaluation, "clusters", &clusters, column);
	rows = json_put_array(evaluation, "confusion");
	for (size_t c = 0; c < classes.n; c++) {
		struct json *row = json_append(rows, json_array());

		for (size_t u = 0; u < clusters.n; u++)
			json_append_number(row, count[c * size + column[u]]);
	}
	free(count);
	free(cost);
	free(match);
	free(column);
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
