#include "common/data/csv.h"
#include "common/data/limits.h"

#include <stdlib.h>
#include <string.h>

/* A field that cannot be quoted: blanks around it do not count. *last: it ends its line. */
static struct word number_field(struct text *t, bool *last)
{
	struct word w = { .p = t->p };

	while (t->p < t->end && *t->p != ',' && *t->p != '\n')
		t->p++;
	w.n = (size_t)(t->p - w.p);
	*last = t->p == t->end || *t->p == '\n';
	if (!*last)
		t->p++;
	while (w.n && (*w.p == ' ' || *w.p == '\t')) {
		w.p++;
		w.n--;
	}
	while (w.n && (w.p[w.n - 1] == ' ' || w.p[w.n - 1] == '\t' || w.p[w.n - 1] == '\r'))
		w.n--;
	return w;
}

/* How many fields the current line has, and how many of them are numbers, "nan" among them. */
static size_t count_fields(struct text t, size_t *numbers)
{
	char copy[64], *end;
	bool last = false;
	size_t n = 0;

	for (*numbers = 0; !last; n++) {
		struct word w = number_field(&t, &last);

		if (w.n == 0 || w.n >= sizeof(copy))
			continue;
		memcpy(copy, w.p, w.n);
		copy[w.n] = 0;
		(void)strtod(copy, &end);
		*numbers += end == copy + w.n;
	}
	return n;
}

/* Counts the rows and checks that each has as many fields as the first, so that the matrix is no
 * larger than the file before it is allocated. */
static enum err count_rows(struct text t, size_t cols, size_t *rows)
{
	for (*rows = 0; t.p < t.end; ++*rows) {
		const char *nl = memchr(t.p, '\n', (size_t)(t.end - t.p)), *end = nl ? nl : t.end;
		size_t fields = 1;

		for (const char *p = t.p; (p = memchr(p, ',', (size_t)(end - p))); p++)
			fields++;
		if (fields != cols)
			return text_error(&t, "%zu fields, expected %zu as on the first line",
					  fields, cols);
		text_next(&t);
	}
	return ERR_OK;
}

enum err csv_parse_numbers(struct bytes file, const char *where, struct mat *m)
{
	struct text t = text_open(file, where);
	enum err err = ERR_OK;
	size_t rows, cols, numbers;

	*m = (struct mat){ 0 };
	if (!file.n)
		return err_set(ERR_INPUT, "%s: the file is empty", where);
	cols = count_fields(t, &numbers);
	if (numbers == 0)
		text_next(&t); /* a heading */
	TRY(count_rows(t, cols, &rows));
	if (rows == 0 || rows > ROWS_MAX || cols > COLS_MAX)
		return err_set(ERR_INPUT, "%s: %zu rows of %zu numbers, expected 1 to %zu rows",
			       where, rows, cols, ROWS_MAX);
	mat_init(m, rows, cols);
	for (size_t i = 0; i < rows && !err; i++) {
		bool last;

		for (size_t j = 0; j < cols && !err; j++) {
			struct word w = number_field(&t, &last);

			if (!word_number(w, &MAT(m, i, j)))
				err = text_error(&t,
						 "field %zu is \"%.*s\", expected a finite number",
						 j + 1, (int)(w.n < 40 ? w.n : 40), w.p);
		}
		text_next(&t);
	}
	if (err)
		mat_release(m);
	return err;
}

enum err csv_field(struct text *t, struct buf *field, bool *last)
{
	field->n = 0;
	if (t->p < t->end && *t->p == '"') {
		for (t->p++;; t->p++) {
			if (t->p == t->end || *t->p == '\n')
				return text_error(t, "a quoted field does not end on its line");
			if (*t->p == '"' && !(t->p + 1 < t->end && t->p[1] == '"'))
				break;
			t->p += *t->p == '"'; /* two are one */
			buf_add(field, t->p, 1);
		}
		t->p++;
	} else {
		for (; t->p < t->end && !strchr(",\n\r\"", *t->p); t->p++)
			buf_add(field, t->p, 1);
	}
	buf_add(field, "", 1);
	field->n--;
	if (t->p < t->end && *t->p == ',') {
		t->p++;
		*last = false;
		return ERR_OK;
	}
	if (t->p + 1 < t->end && t->p[0] == '\r' && t->p[1] == '\n')
		t->p++;
	if (t->p < t->end && *t->p != '\n')
		return text_error(t, "a quote or carriage return in the middle of a field");
	text_next(t);
	*last = true;
	return ERR_OK;
}

void csv_print_field(const char *text, struct buf *out)
{
	if (!strpbrk(text, ",\"\r\n")) {
		buf_add(out, text, strlen(text));
		return;
	}
	buf_add(out, "\"", 1);
	for (; *text; text++) {
		if (*text == '"')
			buf_add(out, "\"", 1);
		buf_add(out, text, 1);
	}
	buf_add(out, "\"", 1);
}
