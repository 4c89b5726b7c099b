#include "common/data/mtx.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/machine.h"
#include "common/data/limits.h"
#include "common/data/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is(struct word w, const char *text) /* ignores case */
{
	return w.n == strlen(text) && !strncasecmp(w.p, text, w.n);
}

static enum err read_banner(struct text *t, struct mtx_head *h)
{
	struct word w = text_word(t), object, format, field, symmetry;

	if (w.n != 14 || memcmp(w.p, "%%MatrixMarket", 14) != 0)
		return text_error(t, "it does not begin with %%%%MatrixMarket");
	object = text_word(t);
	format = text_word(t);
	field = text_word(t);
	symmetry = text_word(t);
	h->is_array = is(format, "array");
	h->is_pattern = is(field, "pattern");
	h->is_symmetric = is(symmetry, "symmetric");
	if (!is(object, "matrix") || !(h->is_array || is(format, "coordinate")))
		return text_error(t, "expected \"matrix coordinate\" or \"matrix array\"");
	if (!(is(field, "real") || is(field, "integer") || (h->is_pattern && !h->is_array)))
		return text_error(
		    t, "the field is \"%.*s\", expected real, integer or (of coordinates) pattern",
		    (int)(field.n < 20 ? field.n : 20), field.p);
	if (!(is(symmetry, "general") || (h->is_symmetric && !h->is_array)))
		return text_error(
		    t, "the symmetry is \"%.*s\", expected general or (of coordinates) symmetric",
		    (int)(symmetry.n < 20 ? symmetry.n : 20), symmetry.p);
	return text_end(t);
}

static enum err mtx_check_sizes(const struct text *t, const struct mtx_head *h, size_t bytes,
				uint64_t rows, uint64_t cols, uint64_t count)
{
	/* Fewest bytes of a value or an entry: "0\n", "1 1\n", "1 1 0\n". */
	size_t least = h->is_array ? 2 : h->is_pattern ? 4 : 6;

	if (count > (bytes + 1) / least)
		return text_error(t, "the header promises %ju values, but the file has %zu bytes",
				  (uintmax_t)count, bytes);
	if (rows + cols > (uint64_t)SPARSE_PER_BYTE * bytes)
		return text_error(
		    t, "the header promises %ju rows and %ju columns, but the file has %zu bytes",
		    (uintmax_t)rows, (uintmax_t)cols, bytes);
	if (h->is_symmetric && rows != cols)
		return text_error(t, "a symmetric matrix of %ju rows and %ju columns",
				  (uintmax_t)rows, (uintmax_t)cols);
	return ERR_OK;
}

enum err mtx_read_head(struct text *t, size_t bytes, struct mtx_head *h)
{
	uint64_t rows, cols, count;

	*h = (struct mtx_head){ 0 };
	TRY(read_banner(t, h));
	if (!text_line(t, '%'))
		return text_error(t, "the file ends before its sizes");
	TRY(text_whole(t, 1, ROWS_MAX, "the number of rows", &rows));
	TRY(text_whole(t, 1, COLS_MAX, "the number of columns", &cols));
	if (h->is_array)
		count = rows * cols; /* both at most 2^28 */
	else
		TRY(text_whole(t, 0, EDGES_MAX, "the number of entries", &count));
	TRY(mtx_check_sizes(t, h, bytes, rows, cols, count));
	TRY(text_end(t));
	h->rows = (size_t)rows;
	h->cols = (size_t)cols;
	h->count = (size_t)count;
	return ERR_OK;
}

enum err mtx_read_entry(struct text *t, const struct mtx_head *h, struct triple *e)
{
	uint64_t i = 1, j = 1;

	if (!h->is_array) {
		TRY(text_whole(t, 1, h->rows, "the row", &i));
		TRY(text_whole(t, 1, h->cols, "the column", &j));
	}
	*e = (struct triple){ (uint32_t)(i - 1), (uint32_t)(j - 1), 1 };
	if (!h->is_pattern)
		TRY(text_number(t, &e->value));
	if (h->is_symmetric && j > i)
		return text_error(t,
				  "entry (%ju, %ju) lies above the diagonal of a symmetric matrix",
				  (uintmax_t)i, (uintmax_t)j);
	return text_end(t);
}

static enum err mtx_read_entries(struct text *t, const struct mtx_head *h, struct mtx *m)
{
	size_t count = h->count;

	TRY(machine_fits(t->where, "the matrix",
			 (double)(t->end - t->p) + (double)count * sizeof(*m->entry)));
	ALLOC(m->entry, count);
	for (; m->count < count; m->count++) {
		if (!text_line(t, '%'))
			return text_error(t, "the file ends after %zu of %zu entries", m->count,
					  count);
		TRY(text_wanted(t));
		TRY(mtx_read_entry(t, h, &m->entry[m->count]));
	}
	return ERR_OK;
}

/* Returns the nth line (from 1) with entry (row, col); 0 if there is none. */
static size_t mtx_line_of(struct bytes file, uint32_t row, uint32_t col, size_t nth)
{
	struct text t = text_open(file, "");
	bool sizes = true; /* the next line has the sizes */

	for (; text_line(&t, '%'); text_next(&t)) {
		uint64_t i, j;

		if (!sizes && word_whole(text_word(&t), &i) && word_whole(text_word(&t), &j) &&
		    i == (uint64_t)row + 1 && j == (uint64_t)col + 1 && --nth == 0)
			return t.line;
		sizes = false;
	}
	return 0;
}

size_t mtx_line(const char *path, uint32_t row, uint32_t col)
{
	struct buf file = { 0 };
	size_t line;

	if (file_read_text(path, DATA_FILE_MAX, &file) != ERR_OK)
		return 0;
	line = mtx_line_of((struct bytes){ file.p, file.n }, row, col, 1);
	buf_release(&file);
	return line;
}

static enum err read_body(struct text *t, const struct mtx_head *h, struct bytes all, struct mtx *m)
{
	size_t count = h->count, twice;

	if (m->is_array)
		mat_init(&m->dense, m->rows, m->cols);
	else
		TRY(mtx_read_entries(t, h, m));
	for (size_t v = 0; m->is_array && v < count; v++) { /* column by column */
		struct triple e;

		if (!text_line(t, '%'))
			return text_error(t, "the file ends after %zu of %zu values", v, count);
		TRY(text_wanted(t));
		TRY(mtx_read_entry(t, h, &e));
		MAT(&m->dense, v % m->rows, v / m->rows) = e.value;
	}
	if (text_line(t, '%'))
		return text_error(t, "there is more than the %zu values of the header", count);
	twice = triples_sort(m->entry, m->count);
	if (twice < m->count) {
		uint32_t i = m->entry[twice].row, j = m->entry[twice].col;

		return err_set(ERR_INPUT,
			       "%s:%zu: entry (%u, %u) is given twice, first on line %zu", t->where,
			       mtx_line_of(all, i, j, 2), i + 1, j + 1, mtx_line_of(all, i, j, 1));
	}
	return ERR_OK;
}

enum err mtx_parse(struct bytes file, const char *where, struct mtx *m)
{
	struct text t = text_open(file, where);
	struct mtx_head h;
	enum err err;

	*m = (struct mtx){ 0 };
	err = mtx_read_head(&t, file.n, &h);
	if (!err) {
		*m = (struct mtx){ .is_array = h.is_array,
				   .is_symmetric = h.is_symmetric,
				   .rows = h.rows,
				   .cols = h.cols };
		err = read_body(&t, &h, file, m);
	}
	if (err)
		mtx_release(m);
	return err;
}

enum err mtx_read(const char *path, struct mtx *m)
{
	struct buf file = { 0 };
	enum err err;

	*m = (struct mtx){ 0 };
	TRY(file_read_text(path, DATA_FILE_MAX, &file));
	err = mtx_parse((struct bytes){ file.p, file.n }, path, m);
	buf_release(&file);
	return err;
}

void mtx_release(struct mtx *m)
{
	mat_release(&m->dense);
	free(m->entry);
	*m = (struct mtx){ 0 };
}

void mtx_features(struct mtx *m, struct features *X)
{
	size_t given = m->count;

	*X = (struct features){ .is_sparse = !m->is_array };
	if (m->is_array) {
		X->dense = m->dense;
		m->dense = (struct mat){ 0 };
	} else {
		if (m->is_symmetric) {
			m->entry = alloc_again(m->entry, 2 * given, sizeof(*m->entry));
			for (size_t e = 0; e < given; e++) {
				struct triple t = m->entry[e];

				if (t.row != t.col)
					m->entry[m->count++] =
					    (struct triple){ t.col, t.row, t.value };
			}
		}
		csr_from_triples(&X->sparse, m->rows, m->cols, m->entry, m->count);
	}
	mtx_release(m);
}

void mtx_print(const struct csr *s, struct buf *out)
{
	buf_printf(out, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", s->rows,
		   s->cols, s->start[s->rows]);
	for (size_t i = 0; i < s->rows; i++) {
		for (size_t e = s->start[i]; e < s->start[i + 1]; e++)
			buf_printf(out, "%zu %u %.17g\n", i + 1, s->index[e] + 1,
				   s->value ? s->value[e] : 1.0);
	}
}
