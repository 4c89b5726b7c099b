/* The one door to matio: a matrix of MATLAB's .mat. */
#include "cli/import/sources.h"
#include "common/base/file.h"
#include "common/data/limits.h"

#include <math.h>
#include <matio.h>
#include <stdlib.h>
#include <string.h>

static double at(const matvar_t *v, enum matio_types type, const void *p, size_t i)
{
	(void)v;
	switch (type) {
	case MAT_T_DOUBLE:
		return ((const double *)p)[i];
	case MAT_T_SINGLE:
		return ((const float *)p)[i];
	case MAT_T_INT8:
		return ((const int8_t *)p)[i];
	case MAT_T_UINT8:
		return ((const uint8_t *)p)[i];
	case MAT_T_INT16:
		return ((const int16_t *)p)[i];
	case MAT_T_UINT16:
		return ((const uint16_t *)p)[i];
	case MAT_T_INT32:
		return ((const int32_t *)p)[i];
	case MAT_T_UINT32:
		return ((const uint32_t *)p)[i];
	default:
		return NAN; /* not finite: refused */
	}
}

static bool is_matrix(const matvar_t *v)
{
	return v->rank == 2 && !v->isComplex &&
	       ((v->class_type >= MAT_C_DOUBLE && v->class_type <= MAT_C_UINT32) ||
		v->class_type == MAT_C_SPARSE);
}

static enum err dense(const matvar_t *v, const char *path, struct mat *m)
{
	size_t rows = v->dims[0], cols = v->dims[1];

	if (rows < 1 || rows > ROWS_MAX || cols < 1 || cols > COLS_MAX || !v->data ||
	    v->nbytes / (size_t)v->data_size / rows < cols)
		return err_set(ERR_INPUT,
			       "%s: %s is %zu x %zu, expected a matrix with as many values", path,
			       v->name, rows, cols);
	mat_init(m, rows, cols);
	for (size_t j = 0; j < cols; j++) {
		for (size_t i = 0; i < rows; i++) {
			double x = at(v, v->data_type, v->data, j * rows + i);

			MAT(m, i, j) = x;
			if (!isfinite(x))
				return err_set(ERR_INPUT,
					       "%s: %s(%zu, %zu) is %g, expected a finite number",
					       path, v->name, i + 1, j + 1, x);
		}
	}
	return ERR_OK;
}

static enum err sparse(const matvar_t *v, const char *path, struct features *X)
{
	const mat_sparse_t *s = v->data;
	double *start, *index, *value;
	enum err err;

	if (!s || s->njc != v->dims[1] + 1 || s->nir < s->ndata || !s->jc ||
	    (s->ndata && (!s->ir || !s->data)))
		return err_set(ERR_INPUT, "%s: %s is no sound sparse matrix", path, v->name);
	ALLOC(start, s->njc);
	ALLOC(index, s->ndata);
	ALLOC(value, s->ndata);
	for (size_t j = 0; j < s->njc; j++)
		start[j] = s->jc[j];
	for (size_t e = 0; e < s->ndata; e++) {
		index[e] = s->ir[e];
		value[e] = at(v, v->data_type, s->data, e);
	}
	err = import_compressed(&(struct compressed){ .lines = v->dims[1],
						      .width = v->dims[0],
						      .count = s->ndata,
						      .start = start,
						      .index = index,
						      .value = value,
						      .by_columns = true },
				path, X);
	free(start);
	free(index);
	free(value);
	return err;
}

/* The variable that is asked for; or the only matrix besides that of the labels. */
static enum err choose(mat_t *f, const char *path, const char *part, const char *label, char **name)
{
	struct buf names = { 0 };
	size_t n = 0;
	matvar_t *v;
	enum err err = ERR_OK;

	*name = part ? alloc_copy(part) : NULL;
	while (!part && (v = Mat_VarReadNextInfo(f))) {
		if (v->name && is_matrix(v) && !(label && !strcmp(v->name, label))) {
			buf_printf(&names, "%s%s", n++ ? ", " : "", v->name);
			free(*name);
			*name = alloc_copy(v->name);
		}
		Mat_VarFree(v);
	}
	buf_add(&names, "", 1);
	if (!part && n != 1)
		err = err_set(ERR_INPUT, "%s: %zu matrices%s%.400s: say which is meant (--part)",
			      path, n, n ? ": " : "", (char *)names.p);
	buf_release(&names);
	return err;
}

static enum err read_variable(mat_t *f, const char *path, const char *name, struct features *X)
{
	matvar_t *v = Mat_VarRead(f, name);
	enum err err;

	if (!v)
		return err_set(ERR_INPUT, "%s: no variable \"%.100s\" in it that can be read", path,
			       name);
	if (!is_matrix(v))
		err = err_set(ERR_INPUT, "%s: %s is no matrix of real numbers", path, name);
	else
		err =
		    v->class_type == MAT_C_SPARSE ? sparse(v, path, X) : dense(v, path, &X->dense);
	Mat_VarFree(v);
	return err;
}

static enum err check_file(const char *path)
{
	struct buf file = { 0 };
	enum err err = file_read(path, DATA_FILE_MAX, &file);

	if (!err)
		err = import_mat_check((struct bytes){ file.p, file.n }, path);
	buf_release(&file);
	return err;
}

enum err import_mat(struct imported *in, const char *path, const struct import_request *r)
{
	struct features label = { 0 };
	char *name = NULL;
	mat_t *f;
	enum err err;

	TRY(check_file(path));
	f = Mat_Open(path, MAT_ACC_RDONLY);
	if (!f)
		return err_set(
		    ERR_INPUT,
		    "%s: no file of MATLAB that can be read, expected one that save wrote", path);
	err = choose(f, path, r->part, r->how.label, &name);
	if (!err)
		err = read_variable(f, path, name, &in->X);
	if (!err && r->how.label)
		err = read_variable(f, path, r->how.label, &label);
	if (!err && r->how.label)
		err = import_labels(in, path, &label.dense);
	features_release(&label);
	free(name);
	Mat_Close(f);
	return err;
}
