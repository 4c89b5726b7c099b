/* The one door to HDF5: AnnData's .h5ad, a matrix X with names of its rows (obs) and columns (var).
 */
#include "cli/import/sources.h"
#include "cli/import/unpack.h"
#include "common/data/limits.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of values; two dimensions at most. ERR_INPUT: none, more than this host has room for,
 * or than so many for each byte that the file has of them: HDF5 makes up values that nobody wrote.
 */
static enum err extent(hid_t set, const char *path, const char *name, hsize_t dims[2])
{
	hid_t space = H5Dget_space(set);
	int rank = H5Sget_simple_extent_ndims(space);
	hsize_t stored = H5Dget_storage_size(set);

	dims[0] = dims[1] = 1;
	if (rank == 1 || rank == 2)
		H5Sget_simple_extent_dims(space, dims, NULL);
	H5Sclose(space);
	if ((rank != 1 && rank != 2) || dims[0] > ROWS_MAX || dims[1] > COLS_MAX ||
	    dims[0] * dims[1] > unpack_most() / sizeof(double))
		return err_set(ERR_INPUT,
			       "%s: %s has %d dimensions, %ju x %ju values: expected 1 or 2, and "
			       "no more than this "
			       "host has room for",
			       path, name, rank, (uintmax_t)dims[0], (uintmax_t)dims[1]);
	if (stored > DATA_FILE_MAX || dims[0] * dims[1] > stored * SPARSE_PER_BYTE)
		return err_set(
		    ERR_INPUT, "%s: %s is of %ju x %ju values, but %ju bytes of it are in the file",
		    path, name, (uintmax_t)dims[0], (uintmax_t)dims[1], (uintmax_t)stored);
	return ERR_OK;
}

static enum err numbers(hid_t f, const char *path, const char *name, struct mat *m)
{
	hid_t set = H5Lexists(f, name, H5P_DEFAULT) > 0 ? H5Dopen2(f, name, H5P_DEFAULT) : -1;
	hsize_t dims[2];
	enum err err;

	*m = (struct mat){ 0 };
	if (set < 0)
		return err_set(ERR_INPUT, "%s: no %s in it, expected AnnData with X, obs and var",
			       path, name);
	err = extent(set, path, name, dims);
	if (!err) {
		mat_init(m, dims[0], dims[1]);
		if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, m->a) < 0)
			err = err_set(ERR_INPUT, "%s: %s cannot be read as numbers", path, name);
	}
	H5Dclose(set);
	for (size_t i = 0; i < m->rows * m->cols && !err; i++)
		if (!isfinite(m->a[i]))
			err = err_set(ERR_INPUT,
				      "%s: value %zu of %s is %g, expected a finite number", path,
				      i, name, m->a[i]);
	return err;
}

/* Texts of variable length, which AnnData writes, as lines. */
static enum err texts(hid_t f, const char *path, const char *name, char ***text, size_t *n)
{
	hid_t set = H5Lexists(f, name, H5P_DEFAULT) > 0 ? H5Dopen2(f, name, H5P_DEFAULT) : -1, type,
	      file_type;
	hsize_t dims[2];
	enum err err;

	*n = 0;
	*text = NULL;
	if (set < 0)
		return err_set(ERR_INPUT, "%s: no %s in it, expected AnnData with X, obs and var",
			       path, name);
	file_type = H5Dget_type(set);
	err = extent(set, path, name, dims);
	if (!err && (dims[1] != 1 || H5Tis_variable_str(file_type) <= 0))
		err = err_set(ERR_INPUT,
			      "%s: %s are no texts of variable length, as AnnData writes them",
			      path, name);
	if (!err) {
		type = H5Tcopy(H5T_C_S1);
		H5Tset_size(type, H5T_VARIABLE);
		H5Tset_cset(type, H5Tget_cset(file_type));
		*n = dims[0];
		ALLOC(*text, *n);
		if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0)
			err = err_set(ERR_INPUT, "%s: %s cannot be read as texts", path, name);
		H5Tclose(type);
	}
	H5Tclose(file_type);
	H5Dclose(set);
	return err;
}

static void free_texts(char **text, size_t n)
{
	for (size_t i = 0; i < n && text; i++)
		H5free_memory(text[i]);
	free(text);
}

/* An attribute that is a text of variable length; "" if there is none. */
static void attribute(hid_t f, const char *object, const char *name, char value[static 128])
{
	char *text = NULL;
	hid_t a, type;

	value[0] = 0;
	if (H5Lexists(f, object, H5P_DEFAULT) <= 0 ||
	    H5Aexists_by_name(f, object, name, H5P_DEFAULT) <= 0)
		return;
	a = H5Aopen_by_name(f, object, name, H5P_DEFAULT, H5P_DEFAULT);
	type = H5Aget_type(a);
	if (H5Tis_variable_str(type) > 0 && H5Aread(a, type, &text) >= 0 && text)
		snprintf(value, 128, "%s", text);
	if (text)
		H5free_memory(text);
	H5Tclose(type);
	H5Aclose(a);
}

/* The names of the rows of a table, obs or var, are in the column that its attribute _index says.
 */
static enum err index_of(hid_t f, const char *path, const char *table, char ***text, size_t *n)
{
	char column[128], name[160];

	attribute(f, table, "_index", column);
	snprintf(name, sizeof(name), "%s/%s", table, *column ? column : "_index");
	return texts(f, path, name, text, n);
}

static enum err sparse(hid_t f, const char *path, const char *encoding, size_t rows, size_t cols,
		       struct features *X)
{
	struct mat start = { 0 }, index = { 0 }, value = { 0 };
	bool by_columns = !strcmp(encoding, "csc_matrix");
	size_t lines = by_columns ? cols : rows;
	enum err err = ERR_OK;

	if (!by_columns && strcmp(encoding, "csr_matrix") != 0)
		err = err_set(
		    ERR_INPUT,
		    "%s: X is of encoding \"%s\", expected an array, csr_matrix or csc_matrix",
		    path, encoding);
	if (!err)
		err = numbers(f, path, "X/indptr", &start);
	if (!err)
		err = numbers(f, path, "X/indices", &index);
	if (!err)
		err = numbers(f, path, "X/data", &value);
	if (!err && (start.rows != lines + 1 || index.rows != value.rows))
		err = err_set(ERR_INPUT,
			      "%s: X has %zu starts, %zu indices and %zu values, expected %zu "
			      "starts and as many indices as values",
			      path, start.rows, index.rows, value.rows, lines + 1);
	if (!err)
		err = import_compressed(&(struct compressed){ .lines = lines,
							      .width = by_columns ? rows : cols,
							      .count = value.rows,
							      .start = start.a,
							      .index = index.a,
							      .value = value.a,
							      .by_columns = by_columns },
					path, X);
	mat_release(&start);
	mat_release(&index);
	mat_release(&value);
	return err;
}

/* Row names become ids, which they must be fit for; names of columns are checked as those of a
 * heading are. */
static enum err take_names(struct imported *in, const char *path, const struct reading *how,
			   char **row, size_t rows, char **column, size_t columns)
{
	struct cell *cell = alloc(columns, sizeof(*cell));
	struct buf lines = { 0 };
	struct sheet names;
	char where[300];
	enum err err;

	for (size_t j = 0; j < columns; j++)
		cell[j] = (struct cell){ .p = column[j] ? column[j] : "",
					 .n = column[j] ? strlen(column[j]) : 0,
					 .kind = CELL_QUOTED };
	err = sheet_begin(&names, how, path, "row", cell, columns);
	for (size_t j = 0; j < columns && !err; j++)
		columns_add(&in->names, names.column[j].name, COLUMN_NUMBER, NULL, NULL);
	sheet_release(&names);
	free(cell);
	for (size_t i = 0; i < rows && !err; i++)
		buf_printf(&lines, "%s\n", row[i] ? row[i] : "");
	snprintf(where, sizeof(where), "%.200s: obs", path);
	if (!err)
		err = ids_parse((struct bytes){ lines.p, lines.n }, where, &in->ids);
	if (!err && in->ids.n != rows)
		err = err_set(ERR_INPUT, "%s: a line end in a name", where);
	buf_release(&lines);
	return err;
}

/* Of a categorical column the codes; of numbers these. */
static enum err labels(struct imported *in, hid_t f, const char *path, const char *column)
{
	char name[200], codes[220];
	struct mat m;
	enum err err;

	snprintf(name, sizeof(name), "obs/%.150s", column);
	snprintf(codes, sizeof(codes), "%s/codes", name);
	err = numbers(f, path,
		      H5Lexists(f, name, H5P_DEFAULT) > 0 && H5Lexists(f, codes, H5P_DEFAULT) > 0
			  ? codes
			  : name,
		      &m);
	if (!err)
		err = import_labels(in, path, &m);
	mat_release(&m);
	return err;
}

static enum err read_all(struct imported *in, hid_t f, const char *path,
			 const struct import_request *r)
{
	char **row = NULL, **column = NULL, encoding[128];
	struct reading plain;
	size_t rows = 0, columns = 0;
	enum err err;

	reading_init(&plain);
	err = index_of(f, path, "obs", &row, &rows);
	if (!err)
		err = index_of(f, path, "var", &column, &columns);
	if (!err && H5Lexists(f, "X", H5P_DEFAULT) <= 0)
		err = err_set(ERR_INPUT, "%s: no X in it, expected AnnData", path);
	attribute(f, "X", "encoding-type", encoding);
	if (!err && (!*encoding || !strcmp(encoding, "array")))
		err = numbers(f, path, "X", &in->X.dense);
	else if (!err)
		err = sparse(f, path, encoding, rows, columns, &in->X);
	if (!err && (features_rows(&in->X) != rows || features_cols(&in->X) != columns))
		err = err_set(ERR_INPUT, "%s: X is %zu x %zu, expected %zu x %zu by obs and var",
			      path, features_rows(&in->X), features_cols(&in->X), rows, columns);
	if (!err)
		err = take_names(in, path, &plain, row, rows, column, columns);
	if (!err && r->how.label)
		err = labels(in, f, path, r->how.label);
	free_texts(row, rows);
	free_texts(column, columns);
	reading_release(&plain);
	return err;
}

enum err import_h5ad(struct imported *in, const char *path, const struct import_request *r)
{
	hid_t f;
	enum err err;

	if (r->part)
		return err_set(ERR_INPUT, "%s: --part is \"%s\", but X is what is read of a .h5ad",
			       path, r->part);
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* errors are said here */
	f = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	err = f < 0 ? err_set(ERR_INPUT,
			      "%s: cannot be opened as HDF5, expected AnnData as write_h5ad() "
			      "wrote it, whole",
			      path)
		    : read_all(in, f, path, r);
	if (f >= 0)
		H5Fclose(f);
	return err;
}
