#include "common/data/labels.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/csv.h"
#include "common/data/ids.h"
#include "common/data/limits.h"
#include "common/data/npy.h"
#include "common/data/text.h"
#include "common/data/value.h"

#include <stdlib.h>
#include <string.h>

static void labels_add(struct labels *l, size_t *room, uint32_t label)
{
	if (l->n == *room) {
		*room = *room ? 2 * *room : 1024;
		l->label = alloc_again(l->label, *room, sizeof(*l->label));
		if (l->id)
			l->id = alloc_again(l->id, *room, sizeof(*l->id));
		if (l->confidence)
			l->confidence = alloc_again(l->confidence, *room, sizeof(*l->confidence));
	}
	l->label[l->n++] = label;
}

static enum err check_count(const char *where, struct labels *l)
{
	if (l->n && l->n <= ROWS_MAX)
		return ERR_OK;
	return err_set(ERR_INPUT, "%s: %zu labels, expected 1 to %zu", where, l->n, ROWS_MAX);
}

enum err labels_parse_txt(struct bytes file, const char *where, struct labels *l)
{
	struct text t = text_open(file, where);
	enum err err = ERR_OK;
	size_t room = 0;

	*l = (struct labels){ 0 };
	while (t.p < t.end && !err) {
		uint64_t x;

		err = text_whole(&t, 0, LABELS_MAX - 1, "the label", &x);
		if (!err)
			err = text_end(&t);
		if (!err)
			labels_add(l, &room, (uint32_t)x);
	}
	if (!err)
		err = check_count(where, l);
	if (err)
		labels_release(l);
	return err;
}

static enum err read_heading(struct text *t, struct buf *field, bool *sure)
{
	static const char *const name[] = { "id", "label", "confidence" };
	struct text here = *t; /* for errors, since t moves on to the next line */
	bool last = false;

	*sure = false;
	for (size_t i = 0; i < 3 && !last; i++) {
		TRY(csv_field(t, field, &last));
		if (strcmp((const char *)field->p, name[i]) != 0 || (last && i == 0))
			return text_error(&here, "the heading is not \"id,label\" or "
						 "\"id,label,confidence\"");
		*sure = i == 2;
	}
	return last ? ERR_OK : text_error(&here, "the heading has more than three names");
}

static enum err read_confidence(const struct text *here, const struct buf *field, double *x)
{
	char *end;

	*x = strtod((const char *)field->p, &end);
	if (field->n && !*end && *x >= 0 && *x <= 1)
		return ERR_OK;
	return text_error(here, "the confidence is %s, expected a number from 0 to 1",
			  value_text((const char *)field->p, field->n).s);
}

static enum err labels_read_csv(struct text *t, struct buf *field, struct labels *l)
{
	struct text here = *t;
	size_t room = 0;
	uint64_t x;
	bool last, sure;

	l->id = alloc(1, sizeof(*l->id));
	TRY(read_heading(t, field, &sure));
	if (sure)
		ALLOC(l->confidence, 1);
	while (t->p < t->end) {
		here = *t;
		TRY(csv_field(t, field, &last));
		if (last)
			return text_error(&here, "one field where an id and a label are expected");
		TRY(id_check(&here, (struct word){ (const char *)field->p, field->n }));
		labels_add(l, &room, 0);
		l->id[l->n - 1] = alloc_copy((const char *)field->p);
		TRY(csv_field(t, field, &last));
		if (last == sure ||
		    !word_whole((struct word){ (const char *)field->p, field->n }, &x) ||
		    x >= LABELS_MAX)
			return text_error(
			    &here, "the label is %s, expected a whole number below %d%s",
			    value_text((const char *)field->p, field->n).s, LABELS_MAX,
			    sure ? ", and a confidence after it" : " at the end of the record");
		l->label[l->n - 1] = (uint32_t)x;
		if (!sure)
			continue;
		TRY(csv_field(t, field, &last));
		if (!last)
			return text_error(&here, "more than an id, a label and a confidence");
		TRY(read_confidence(&here, field, &l->confidence[l->n - 1]));
	}
	return check_count(t->where, l);
}

enum err labels_parse_csv(struct bytes file, const char *where, struct labels *l)
{
	struct text t = text_open(file, where);
	struct buf field = { 0 };
	enum err err;

	*l = (struct labels){ 0 };
	err = labels_read_csv(&t, &field, l);
	buf_release(&field);
	if (err)
		labels_release(l);
	return err;
}

static enum err parse_npy(struct bytes file, const char *where, struct labels *l)
{
	struct mat m;
	enum err err = ERR_OK;

	*l = (struct labels){ 0 };
	TRY(npy_parse(file, where, &m));
	if (m.cols != 1)
		err = err_set(ERR_INPUT, "%s: %zu columns, expected labels in one dimension", where,
			      m.cols);
	ALLOC(l->label, m.rows);
	for (; l->n < m.rows && !err; l->n++) {
		double x = m.a[l->n];

		if (x >= 0 && x < LABELS_MAX && x == (double)(uint32_t)x)
			l->label[l->n] = (uint32_t)x;
		else
			err = err_set(
			    ERR_INPUT,
			    "%s: label %zu (from 0) is %s, expected a whole number below %d", where,
			    l->n, value_number(x).s, LABELS_MAX);
	}
	mat_release(&m);
	if (err)
		labels_release(l);
	return err;
}

enum err labels_read(const char *path, struct labels *l)
{
	struct buf file = { 0 };
	struct bytes bytes;
	enum err err;

	*l = (struct labels){ 0 };
	TRY(file_read_text(path, DATA_FILE_MAX, &file));
	bytes = (struct bytes){ file.p, file.n };
	if (file_ends(path, ".npy"))
		err = parse_npy(bytes, path, l);
	else if (file_ends(path, ".csv"))
		err = labels_parse_csv(bytes, path, l);
	else if (file_ends(path, ".txt"))
		err = labels_parse_txt(bytes, path, l);
	else
		err = err_set(ERR_INPUT, "%s: expected labels in a file .txt, .csv or .npy", path);
	buf_release(&file);
	return err;
}

void labels_release(struct labels *l)
{
	for (size_t i = 0; l->id && i < l->n; i++)
		free(l->id[i]);
	free(l->id);
	free(l->label);
	free(l->confidence);
	*l = (struct labels){ 0 };
}

static void print_csv(char *const *id, const uint32_t *label, const double *confidence, size_t n,
		      struct buf *text)
{
	buf_printf(text, "id,label%s\n", confidence ? ",confidence" : "");
	for (size_t i = 0; i < n; i++) {
		if (id)
			csv_print_field(id[i], text);
		else
			buf_decimal(text, i);
		buf_add(text, ",", 1);
		buf_decimal(text, label[i]);
		if (confidence)
			buf_printf(text, ",%.6g", confidence[i]);
		buf_add(text, "\n", 1);
	}
}

enum err labels_write(const char *csv, const char *npy, char *const *id, const uint32_t *label,
		      const double *confidence, size_t n)
{
	struct buf text = { 0 }, numbers = { 0 };
	struct file_one file[] = {
		{ csv, { 0 }, id ? FILE_SECRET : FILE_PUBLIC }, /* ids may identify persons */
		{ npy, { 0 }, FILE_PUBLIC },
	};
	enum err e;

	if (csv)
		print_csv(id, label, confidence, n, &text);
	if (npy)
		npy_print_labels(label, n, &numbers);
	file[0].data = (struct bytes){ text.p, text.n };
	file[1].data = (struct bytes){ numbers.p, numbers.n };
	e = file_write_all(file, 2);
	buf_release(&text);
	buf_release(&numbers);
	return e;
}

enum err labels_write_txt(const char *path, const uint32_t *label, size_t n)
{
	struct buf text = { 0 };
	enum err e;

	for (size_t i = 0; i < n; i++) {
		buf_decimal(&text, label[i]);
		buf_add(&text, "\n", 1);
	}
	e = file_write(path, (struct bytes){ text.p, text.n }, FILE_PUBLIC);
	buf_release(&text);
	return e;
}
