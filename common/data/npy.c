#include "common/data/npy.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/machine.h"
#include "common/data/limits.h"
#include "common/data/value.h"

#include <endian.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- element types ---- */

#define WHOLE_MAX 9007199254740992.0 /* 2^53: doubles above it skip some whole numbers */

#define LOAD(name, type, bits, expr)                                                               \
	static double load_##name(const uint8_t *p)                                                \
	{                                                                                          \
		uint##bits##_t u;                                                                  \
		type v;                                                                            \
                                                                                                   \
		memcpy(&u, p, sizeof(u));                                                          \
		u = (expr);                                                                        \
		memcpy(&v, &u, sizeof(v));                                                         \
		return (double)v;                                                                  \
	}
LOAD(f4, float, 32, le32toh(u))
LOAD(f8, double, 64, le64toh(u))
LOAD(i1, int8_t, 8, u)
LOAD(u1, uint8_t, 8, u)
LOAD(i2, int16_t, 16, le16toh(u))
LOAD(u2, uint16_t, 16, le16toh(u))
LOAD(i4, int32_t, 32, le32toh(u))
LOAD(u4, uint32_t, 32, le32toh(u))
LOAD(i8, int64_t, 64, le64toh(u))
LOAD(u8, uint64_t, 64, le64toh(u))

static const struct type {
	const char *descr;
	size_t size;
	double (*load)(const uint8_t *p);
} types[] = {
	{ "<f4", 4, load_f4 }, { "<f8", 8, load_f8 }, { "|i1", 1, load_i1 }, { "|u1", 1, load_u1 },
	{ "<i2", 2, load_i2 }, { "<u2", 2, load_u2 }, { "<i4", 4, load_i4 }, { "<u4", 4, load_u4 },
	{ "<i8", 8, load_i8 }, { "<u8", 8, load_u8 }, { "|b1", 1, load_u1 },
};

/* ---- the header: a Python dictionary of exactly three entries ---- */

struct header {
	const struct type *type; /* NULL: not read yet */
	uint64_t rows, cols;
	bool has_order, has_shape;
};

struct cursor {
	const char *p, *end;
};

static void skip(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\n'))
		c->p++;
}

static bool npy_take(struct cursor *c, const char *text)
{
	size_t n = strlen(text);

	skip(c);
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, text, n) != 0)
		return false;
	c->p += n;
	return true;
}

static bool take_size(struct cursor *c, uint64_t *x)
{
	size_t digits = 0;

	skip(c);
	for (*x = 0; c->p < c->end && *c->p >= '0' && *c->p <= '9' && digits < 16; c->p++, digits++)
		*x = 10 * *x + (uint64_t)(*c->p - '0');
	return digits > 0 && digits < 16;
}

static const char not_three[] =
    "the header does not hold exactly 'descr', 'fortran_order' and 'shape'";

static const char *npy_read_entry(struct cursor *c, struct header *h)
{
	if (!h->type && npy_take(c, "'descr'") && npy_take(c, ":")) {
		if (!npy_take(c, "'"))
			return "'descr' is not a simple type";
		for (size_t i = 0; i < sizeof(types) / sizeof(*types) && !h->type; i++)
			if (npy_take(c, types[i].descr) && npy_take(c, "'"))
				h->type = &types[i];
		return h->type ? NULL
			       : "the element type is none of f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1, "
				 "little-endian; save it with astype('<f8')";
	}
	if (!h->has_shape && npy_take(c, "'shape'") && npy_take(c, ":")) {
		h->has_shape = true;
		h->cols = 1;
		if (!npy_take(c, "(") || !take_size(c, &h->rows) || !npy_take(c, ","))
			return "the shape is not one of one or two dimensions";
		if (npy_take(c, ")"))
			return NULL;
		if (!take_size(c, &h->cols))
			return "the shape is not one of one or two dimensions";
		npy_take(c, ",");
		return npy_take(c, ")") ? NULL : "the shape has more than two dimensions";
	}
	if (!h->has_order && npy_take(c, "'fortran_order'") && npy_take(c, ":")) {
		h->has_order = true;
		if (npy_take(c, "True"))
			return "it is in Fortran order; save it with numpy.ascontiguousarray";
		return npy_take(c, "False") ? NULL : "'fortran_order' is neither True nor False";
	}
	return not_three;
}

static const char *read_header(struct cursor c, struct header *h)
{
	const char *wrong;

	if (!npy_take(&c, "{"))
		return "the header is no dictionary";
	for (int i = 0; i < 3; i++) {
		wrong = npy_read_entry(&c, h);
		if (wrong)
			return wrong;
		if (!npy_take(&c, ",") && i < 2)
			return not_three;
	}
	if (!npy_take(&c, "}"))
		return not_three;
	skip(&c);
	return c.p == c.end ? NULL : "the header goes on after its dictionary";
}

/* ---- the file ---- */

/* HEAD_MAX: longest accepted header (numpy itself accepts 10000 bytes). READ_BYTES: bytes of rows
 * read at a time. */
enum { HEAD_MAX = 1 << 20, READ_BYTES = 4 << 20 };

/* Finds the header's text. Returns NULL, or the reason for the failure. */
static const char *find_header(struct bytes file, struct cursor *c)
{
	size_t before, len;

	if (file.n < 10 || memcmp(file.p, "\x93NUMPY", 6) != 0)
		return "it does not begin like a .npy file, expected what numpy.save() wrote";
	if (file.p[6] < 1 || file.p[6] > 3 || file.p[7] != 0)
		return "its format version is none of 1.0, 2.0, 3.0";
	before = file.p[6] == 1 ? 10 : 12;
	if (file.n < before)
		return "the file ends within its header";
	len = (size_t)file.p[8] | (size_t)file.p[9] << 8;
	if (before == 12)
		len |= (size_t)file.p[10] << 16 | (size_t)file.p[11] << 24;
	if (len > file.n - before)
		return "the file ends within its header";
	c->p = (const char *)file.p + before;
	c->end = c->p + len;
	return NULL;
}

/* Converts `rows` rows at p to doubles in `to`. first: the first row's number in the file, for
 * errors. */
static enum err load_rows(const struct header *h, const uint8_t *p, const char *where, size_t first,
			  size_t rows, double *to)
{
	size_t cols = (size_t)h->cols, count = rows * cols;
	bool whole = h->type->descr[1] != 'f';

	for (size_t i = 0; i < count; i++) {
		double x = h->type->load(p + i * h->type->size);

		if (!isfinite(x) || (whole && fabs(x) > WHOLE_MAX))
			return err_set(
			    ERR_INPUT, "%s: row %zu, column %zu (from 0) is %s, expected %s", where,
			    first + i / cols, i % cols, value_number(x).s,
			    whole ? "a whole number of at most 2^53" : "a finite number");
		to[i] = x;
	}
	return ERR_OK;
}

/* Reads and checks the header. file: the first part of the file, with the whole header. size: bytes
 * of the whole file. *data becomes the offset at which the rows begin. */
static enum err npy_check_header(struct bytes file, size_t size, const char *where,
				 struct header *h, size_t *data)
{
	struct cursor c = { 0 };
	const char *wrong;
	size_t bytes;

	*h = (struct header){ 0 };
	wrong = find_header(file, &c);
	if (!wrong)
		wrong = read_header(c, h);
	if (wrong) {
		int shown = c.end - c.p < 120 ? (int)(c.end - c.p) : 120;

		while (shown && (c.p[shown - 1] == ' ' || c.p[shown - 1] == '\n'))
			shown--;
		return err_set(ERR_INPUT, "%s: %s%s%.*s", where, wrong, shown ? ": " : "", shown,
			       shown ? c.p : "");
	}
	if (h->rows == 0 || h->cols == 0)
		return err_set(ERR_INPUT,
			       "%s: the shape is (%ju, %ju), expected at least one row and column",
			       where, (uintmax_t)h->rows, (uintmax_t)h->cols);
	*data = (size_t)((const uint8_t *)c.end - file.p);
	bytes = size - *data;
	/* Within these bounds the product is at most 2^59. */
	if (h->rows > ROWS_MAX || h->cols > COLS_MAX || h->rows * h->cols * h->type->size != bytes)
		return err_set(ERR_INPUT,
			       "%s: the header promises %ju x %ju elements of %zu bytes, but %zu "
			       "bytes follow it",
			       where, (uintmax_t)h->rows, (uintmax_t)h->cols, h->type->size, bytes);
	return ERR_OK;
}

enum err npy_parse(struct bytes file, const char *where, struct mat *m)
{
	struct header h;
	size_t data;
	enum err err;

	*m = (struct mat){ 0 };
	TRY(npy_check_header(file, file.n, where, &h, &data));
	mat_init(m, (size_t)h.rows, (size_t)h.cols);
	err = load_rows(&h, file.p + data, where, 0, m->rows, m->a);
	if (err)
		mat_release(m);
	return err;
}

static enum err read_whole(const char *path, struct mat *m)
{
	struct buf file = { 0 };
	enum err err;

	TRY(file_read(path, DATA_FILE_MAX, &file));
	err = npy_parse((struct bytes){ file.p, file.n }, path, m);
	buf_release(&file);
	return err;
}

static enum err read_header_of(const struct file_part *file, struct header *h, size_t *data)
{
	size_t n = file->size < HEAD_MAX ? file->size : HEAD_MAX;
	uint8_t *head = alloc(n, 1);
	enum err err = file_part_read(file, 0, head, n);

	if (!err)
		err = npy_check_header((struct bytes){ head, n }, file->size, file->path, h, data);
	free(head);
	return err;
}

/* Reads as many rows of an open file as m has, from row `first` on. Reads a part at a time, so that
 * memory never holds them twice. */
static enum err npy_read_rows_at(const struct file_part *file, const struct header *h, size_t data,
				 size_t first, struct mat *m)
{
	size_t row = m->cols * h->type->size, step = row < READ_BYTES ? READ_BYTES / row : 1;
	uint8_t *box = alloc(step < m->rows ? step : m->rows, row);
	enum err err = ERR_OK;

	for (size_t i = 0; i < m->rows && !err; i += step) {
		size_t rows = m->rows - i < step ? m->rows - i : step;

		err = file_part_read(file, data + (first + i) * row, box, rows * row);
		if (!err)
			err = load_rows(h, box, file->path, first + i, rows, ROW(m, i));
	}
	free(box);
	return err;
}

/* Reads `rows` rows from `first` on; SIZE_MAX: all of them. */
static enum err npy_read_some(const char *path, size_t first, size_t rows, struct mat *m)
{
	struct file_part file;
	struct header h;
	size_t data;
	enum err err;

	*m = (struct mat){ 0 };
	TRY(file_part_open(&file, path, DATA_FILE_MAX));
	if (file.whole && rows == SIZE_MAX) {
		file_part_close(&file);
		return read_whole(path, m);
	}
	err = read_header_of(&file, &h, &data);
	if (!err) {
		size_t left = (size_t)h.rows > first ? (size_t)h.rows - first : 0;

		rows = rows < left ? rows : left;
		err = machine_fits(path, "the matrix", 8 * (double)rows * (double)h.cols);
		if (!err) {
			mat_init(m, rows, (size_t)h.cols);
			err = npy_read_rows_at(&file, &h, data, first, m);
		}
	}
	file_part_close(&file);
	if (err)
		mat_release(m);
	return err;
}

enum err npy_read(const char *path, struct mat *m)
{
	return npy_read_some(path, 0, SIZE_MAX, m);
}

enum err npy_read_rows(const char *path, size_t first, size_t rows, struct mat *m)
{
	return npy_read_some(path, first, rows, m);
}

enum err npy_read_shape(const char *path, size_t *rows, size_t *cols)
{
	struct file_part file;
	struct header h;
	size_t data;
	enum err err;

	TRY(file_part_open(&file, path, DATA_FILE_MAX));
	err = read_header_of(&file, &h, &data);
	file_part_close(&file);
	if (!err) {
		*rows = (size_t)h.rows;
		*cols = (size_t)h.cols;
	}
	return err;
}

/* ---- writing ---- */

static void print_header(const char *descr, size_t rows, size_t cols, bool flat, struct buf *out)
{
	struct buf text = { 0 };

	buf_printf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,", descr, rows);
	if (!flat)
		buf_printf(&text, " %zu", cols);
	buf_printf(&text, "), }");
	while ((10 + text.n + 1) % 64)
		buf_add(&text, " ", 1);
	buf_add(&text, "\n", 1);
	buf_add(out, "\x93NUMPY\x01\x00", 8);
	buf_add(out, (uint8_t[]){ (uint8_t)(text.n & 255), (uint8_t)(text.n >> 8) }, 2);
	buf_add(out, text.p, text.n);
	buf_release(&text);
}

void npy_print(const struct mat *m, struct buf *out)
{
	size_t count = m->rows * m->cols;
	bool single = true;
	uint8_t *p;

	for (size_t i = 0; i < count && single; i++)
		single = fabs(m->a[i]) <= 3e38 && (double)(float)m->a[i] == m->a[i];
	print_header(single ? "<f4" : "<f8", m->rows, m->cols, false, out);
	p = buf_extend(out, count * (single ? 4 : 8));
	for (size_t i = 0; i < count; i++) {
		float f = single ? (float)m->a[i] : 0;
		uint64_t u8;
		uint32_t u4;

		memcpy(&u8, &m->a[i], 8);
		memcpy(&u4, &f, 4);
		u8 = htole64(u8);
		u4 = htole32(u4);
		if (single)
			memcpy(p + 4 * i, &u4, 4);
		else
			memcpy(p + 8 * i, &u8, 8);
	}
}

void npy_print_labels(const uint32_t *label, size_t n, struct buf *out)
{
	uint8_t *p;

	print_header("<i4", n, 1, true, out);
	p = buf_extend(out, 4 * n);
	for (size_t i = 0; i < n; i++) {
		uint32_t u = htole32(label[i]);

		memcpy(p + 4 * i, &u, 4);
	}
}
