/* The one door to libzip: numpy's .npz, an array in it or a sparse matrix that scipy saved. */
#include "cli/import/sources.h"
#include "cli/import/unpack.h"
#include "common/data/limits.h"
#include "common/data/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

/* The bytes of a member; *there: it is in the archive. */
static enum err member(zip_t *z, const char *path, const char *name, struct buf *out, bool *there)
{
	zip_stat_t st;
	zip_file_t *f;
	zip_int64_t got;

	*there = zip_stat(z, name, 0, &st) == 0;
	if (!*there)
		return ERR_OK;
	if (!(st.valid & ZIP_STAT_SIZE) || st.size > unpack_most())
		return err_set(ERR_INPUT, "%s: %s is of %ju bytes, at most %zu are read here", path,
			       name, (uintmax_t)st.size, unpack_most());
	f = zip_fopen(z, name, 0);
	if (!f)
		return err_set(ERR_INPUT, "%s: %s: %s", path, name, zip_strerror(z));
	do { /* as they come: what the archive says of its size is not believed before */
		size_t had = out->n;

		got = zip_fread(f, buf_extend(out, 1 << 20), 1 << 20);
		out->n = had + (got > 0 ? (size_t)got : 0);
	} while (got > 0 && out->n <= st.size);
	zip_fclose(f);
	if (got < 0 || out->n != st.size)
		return err_set(ERR_INPUT, "%s: %s is damaged: %zu of %ju bytes could be read", path,
			       name, out->n, (uintmax_t)st.size);
	return ERR_OK;
}

static enum err array(zip_t *z, const char *path, const char *name, struct mat *m, bool *there)
{
	struct buf bytes = { 0 };
	char file[256], where[512];
	enum err err;

	*m = (struct mat){ 0 };
	snprintf(file, sizeof(file), "%s.npy", name);
	snprintf(where, sizeof(where), "%s: %s", path, file);
	err = member(z, path, file, &bytes, there);
	if (!err && *there)
		err = npy_parse((struct bytes){ bytes.p, bytes.n }, where, m);
	buf_release(&bytes);
	return err;
}

static enum err need(zip_t *z, const char *path, const char *name, size_t n, struct mat *m)
{
	bool there;

	TRY(array(z, path, name, m, &there));
	if (!there)
		return err_set(ERR_INPUT, "%s: no %s.npy in it, which a sparse matrix of scipy has",
			       path, name);
	if (m->cols != 1 || (n && m->rows != n))
		return err_set(ERR_INPUT, "%s: %s.npy has %zu x %zu values, expected %zu", path,
			       name, m->rows, m->cols, n);
	return ERR_OK;
}

/* scipy's word for how the matrix is laid out is a text, of one or four bytes for a character. */
static enum err format_of(zip_t *z, const char *path, char format[static 8])
{
	struct buf bytes = { 0 };
	size_t n = 0, from = 0;
	bool there;
	enum err err = member(z, path, "format.npy", &bytes, &there);

	format[0] = 0;
	if (!err && bytes.n > 10)
		from = 10 + (size_t)bytes.p[8] + 256u * bytes.p[9];
	for (size_t i = from; !err && from && i < bytes.n && n < 7; i++)
		if (bytes.p[i] >= 'a' && bytes.p[i] <= 'z')
			format[n++] = (char)bytes.p[i];
	format[n] = 0;
	buf_release(&bytes);
	return err;
}

struct parts {
	struct mat shape, data, first, second; /* indptr and indices, or row and col */
};

static enum err compressed(zip_t *z, const char *path, bool by_columns, size_t rows, size_t cols,
			   struct parts *p, struct features *X)
{
	size_t lines = by_columns ? cols : rows;

	TRY(need(z, path, "indptr", lines + 1, &p->first));
	if (p->data.rows || p->first.a[lines] != 0)
		TRY(need(z, path, "indices", p->data.rows, &p->second));
	return import_compressed(&(struct compressed){ .lines = lines,
						       .width = by_columns ? rows : cols,
						       .count = p->data.rows,
						       .start = p->first.a,
						       .index = p->second.a,
						       .value = p->data.a,
						       .by_columns = by_columns },
				 path, X);
}

static enum err coordinates(zip_t *z, const char *path, size_t rows, size_t cols, struct parts *p,
			    struct features *X)
{
	struct triple *t;
	enum err err = ERR_OK;

	TRY(need(z, path, "row", p->data.rows, &p->first));
	TRY(need(z, path, "col", p->data.rows, &p->second));
	ALLOC(t, p->data.rows);
	for (size_t e = 0; e < p->data.rows && !err; e++) {
		double i = p->first.a[e], j = p->second.a[e];

		if (!(i >= 0 && i < (double)rows && j >= 0 && j < (double)cols))
			err = err_set(ERR_INPUT,
				      "%s: entry %zu is at (%g, %g), expected a place in %zu x %zu",
				      path, e, i, j, rows, cols);
		else
			t[e] = (struct triple){ (uint32_t)i, (uint32_t)j, p->data.a[e] };
	}
	if (!err)
		err = import_triples(t, p->data.rows, rows, cols, path, X);
	free(t);
	return err;
}

static enum err sparse(zip_t *z, const char *path, const char *format, struct parts *p,
		       struct features *X)
{
	double rows, cols;

	TRY(need(z, path, "shape", 2, &p->shape));
	rows = p->shape.a[0];
	cols = p->shape.a[1];
	if (!(rows >= 1 && rows <= (double)ROWS_MAX && cols >= 1 && cols <= (double)COLS_MAX))
		return err_set(ERR_INPUT, "%s: the shape is %g x %g, expected 1 to %zu", path, rows,
			       cols, ROWS_MAX);
	TRY(need(z, path, "data", 0, &p->data));
	if (!strcmp(format, "csr") || !strcmp(format, "csc"))
		return compressed(z, path, format[2] == 'c', (size_t)rows, (size_t)cols, p, X);
	if (!strcmp(format, "coo"))
		return coordinates(z, path, (size_t)rows, (size_t)cols, p, X);
	return err_set(ERR_INPUT,
		       "%s: a sparse matrix of format \"%s\", expected csr, csc or coo: in scipy, "
		       "tocsr() makes one",
		       path, format);
}

/* The array that is asked for, or the only one. */
static enum err dense(zip_t *z, const char *path, const char *part, struct features *X)
{
	zip_int64_t n = zip_get_num_entries(z, 0);
	struct buf names = { 0 };
	bool there = false;
	enum err err;

	for (zip_int64_t i = 0; i < n && i < 1000; i++) {
		const char *name = zip_get_name(z, (zip_uint64_t)i, 0);
		size_t len = name ? strlen(name) : 0;

		if (len > 4 && !strcmp(name + len - 4, ".npy"))
			buf_printf(&names, "%s%.*s", names.n ? ", " : "", (int)(len - 4), name);
	}
	buf_add(&names, "", 1);
	if (!part && n != 1)
		err = err_set(ERR_INPUT, "%s: %jd arrays: %.400s: say which is meant (--part)",
			      path, (intmax_t)n, (char *)names.p);
	else
		err = array(z, path, part ? part : (char *)names.p, &X->dense, &there);
	if (!err && !there)
		err = err_set(ERR_INPUT, "%s: no array \"%.100s\" in it, expected one of %.400s",
			      path, part ? part : "", (char *)names.p);
	buf_release(&names);
	return err;
}

static enum err labels(zip_t *z, const char *path, const char *name, struct imported *in)
{
	struct mat m = { 0 };
	bool there;
	enum err err = array(z, path, name, &m, &there);

	if (!err && !there)
		err =
		    err_set(ERR_INPUT, "%s: no array \"%.100s\" in it, which is to have the labels",
			    path, name);
	if (!err)
		err = import_labels(in, path, &m);
	mat_release(&m);
	return err;
}

enum err import_npz(struct imported *in, const char *path, const struct import_request *r)
{
	struct parts p = { 0 };
	char format[8];
	zip_error_t why;
	int code;
	zip_t *z = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &code);
	enum err err;

	if (!z) {
		zip_error_init_with_code(&why, code);
		err =
		    err_set(ERR_INPUT,
			    "%s: %s, expected what numpy.savez() or scipy.sparse.save_npz() wrote",
			    path, zip_error_strerror(&why));
		zip_error_fini(&why);
		return err;
	}
	err = format_of(z, path, format);
	if (!err)
		err = *format && !r->part ? sparse(z, path, format, &p, &in->X)
					  : dense(z, path, r->part, &in->X);
	if (!err && r->how.label)
		err = labels(z, path, r->how.label, in);
	zip_discard(z);
	mat_release(&p.shape);
	mat_release(&p.data);
	mat_release(&p.first);
	mat_release(&p.second);
	return err;
}
