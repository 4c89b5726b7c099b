#include "protocols/fedsc/model.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/pack.h"
#include "common/cluster/spectral.h"
#include "protocols/fedsc/anchor.h"
#include "protocols/fedsc/fedkmeans.h"
#include "common/privacy/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of a file. They are so small that products of sizes do not overflow. */
enum { SIDE_MAX = 1 << 28, MODEL_BYTES_MAX = 1 << 30, HEAD = 8 + 3 * 4 + 4 * 8, CHECKSUM = 8 };

static const uint8_t magic[8] = { 'C', 'O', 'T', 'M', 'R', 'O', 'W', 'S' };

void fedsc_model_release(struct fedsc_model *m)
{
	for (size_t j = 0; m->name && j < m->m; j++)
		free(m->name[j]);
	free(m->name);
	free(m->shift);
	free(m->unit);
	mat_release(&m->Z);
	mat_release(&m->R);
	mat_release(&m->centre);
	*m = (struct fedsc_model){ 0 };
}

void fedsc_model_after(struct fedsc_model *m, const struct standard_by *own)
{
	for (size_t j = 0; j < m->m; j++) {
		m->shift[j] = own->shift[j] + own->unit[j] * m->shift[j];
		m->unit[j] *= own->unit[j];
	}
}

void fedsc_model_name(struct fedsc_model *m, const struct columns *names)
{
	if (!names || names->n != m->m)
		return;
	ALLOC(m->name, m->m);
	for (size_t j = 0; j < m->m; j++)
		m->name[j] = alloc_copy(names->column[j].name);
}

static enum err check_rows(const struct fedsc_model *m, const struct mat *X,
			   const struct columns *names)
{
	if (X->cols != m->m)
		return err_set(ERR_INPUT,
			       "the rows have %zu columns, those of the run had %zu: expected the "
			       "same columns in the same order",
			       X->cols, m->m);
	for (size_t j = 0; m->name && names && j < names->n; j++)
		if (strcmp(names->column[j].name, m->name[j]) != 0)
			return err_set(ERR_INPUT,
				       "column %zu (from 0) is named \"%s\", in the run it was "
				       "\"%s\": expected the same columns in the same order",
				       j, names->column[j].name, m->name[j]);
	for (size_t e = 0; e < X->rows * X->cols; e++)
		if (!isfinite(X->a[e]))
			return err_set(ERR_INPUT, "row %zu, column %zu is %g (both from 0)",
				       e / X->cols, e % X->cols, X->a[e]);
	return ERR_OK;
}

static void bring(const struct fedsc_model *m, struct mat *X)
{
	if (m->clip > 0)
		noise_clip_rows(X, m->clip);
	for (size_t i = 0; i < X->rows; i++)
		for (size_t j = 0; j < X->cols; j++)
			MAT(X, i, j) =
			    m->unit[j] > 0 ? (MAT(X, i, j) - m->shift[j]) / m->unit[j] : 0;
}

enum err fedsc_model_assign(const struct fedsc_model *m, struct mat *X, const struct columns *names,
			    unsigned threads, uint32_t *label, double *confidence)
{
	const struct fedkmeans_question ask = { .kind = FEDKMEANS_COUNTS, .centres = &m->centre };
	struct fedsc_anchor anchor = { 0 };
	struct fedkmeans_party rows;
	struct mat E = { 0 };
	double *count;
	enum err err;

	TRY(check_rows(m, X, names));
	bring(m, X);
	if (m->near) {
		fedsc_anchor_init(&anchor, X, &m->Z, m->near, threads);
		fedsc_anchor_embed(&anchor, &m->R, threads, &E);
		spectral_unit_rows(&E);
	}
	fedkmeans_party_init(&rows, m->near ? &E : X, 0, threads);
	ALLOC(count, m->centre.rows);
	err = fedkmeans_answer(&rows, &ask, count);
	for (size_t i = 0; !err && i < X->rows; i++) {
		label[i] = rows.label[i];
		confidence[i] = fedkmeans_margin(&rows, i);
	}
	free(count);
	fedkmeans_party_release(&rows);
	fedsc_anchor_release(&anchor);
	mat_release(&E);
	return err;
}

void fedsc_model_print(const struct fedsc_model *m, struct buf *out)
{
	size_t from = out->n;

	buf_add(out, magic, sizeof(magic));
	pack_put(out, FEDSC_MODEL_VERSION, 4);
	pack_put(out, m->near, 4);
	pack_put(out, m->name ? 1 : 0, 4);
	pack_put(out, m->m, 8);
	pack_put(out, m->centre.rows, 8);
	pack_put(out, m->Z.rows, 8);
	pack_put(out, m->R.cols, 8);
	pack_doubles(out, &m->clip, 1);
	pack_doubles(out, m->shift, m->m);
	pack_doubles(out, m->unit, m->m);
	pack_doubles(out, m->Z.a, m->Z.rows * m->Z.cols);
	pack_doubles(out, m->R.a, m->R.rows * m->R.cols);
	pack_doubles(out, m->centre.a, m->centre.rows * m->centre.cols);
	for (size_t j = 0; m->name && j < m->m; j++) {
		size_t n = strlen(m->name[j]);

		pack_put(out, n, 2);
		buf_add(out, m->name[j], n);
	}
	pack_put(out, pack_crc(out->p + from, out->n - from), CHECKSUM);
}

static bool all_finite(const double *x, size_t n, double least)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]) || x[i] < least)
			return false;
	return true;
}

static bool take_names(struct unpack *r, struct fedsc_model *m)
{
	ALLOC(m->name, m->m);
	for (size_t j = 0; j < m->m; j++) {
		size_t n = r->left >= 2 ? (size_t)unpack_take(r, 2) : 0;

		if (n < 1 || n > COLUMN_NAME_MAX || n > r->left || memchr(r->p, 0, n))
			return false;
		m->name[j] = alloc(n + 1, 1);
		memcpy(m->name[j], r->p, n);
		r->p += n;
		r->left -= n;
	}
	return true;
}

static bool take_model(struct unpack *r, struct fedsc_model *m)
{
	size_t near = (size_t)unpack_take(r, 4), named = (size_t)unpack_take(r, 4);
	uint64_t columns = unpack_take(r, 8), k = unpack_take(r, 8), d = unpack_take(r, 8),
		 q = unpack_take(r, 8), width = near ? q : columns, doubles;
	double *clip;

	if (columns < 1 || columns > SIDE_MAX || k < 1 || k > SIDE_MAX || d > SIDE_MAX ||
	    q > SIDE_MAX || named > 1 || near > FEDSC_NEAR_MAX ||
	    (near ? near >= d || q < 1 : d > 0 || q > 0))
		return false;
	doubles = 1 + 2 * columns + d * (columns + q) + k * width; /* below 2^59 */
	if (doubles > r->left / 8)
		return false;
	m->m = (size_t)columns;
	m->near = (unsigned)near;
	clip = unpack_doubles(r, 1);
	m->clip = *clip;
	free(clip);
	m->shift = unpack_doubles(r, m->m);
	m->unit = unpack_doubles(r, m->m);
	if (near) {
		m->Z = (struct mat){ (size_t)d, m->m, unpack_doubles(r, (size_t)(d * columns)) };
		m->R = (struct mat){ (size_t)d, (size_t)q, unpack_doubles(r, (size_t)(d * q)) };
	}
	m->centre =
	    (struct mat){ (size_t)k, (size_t)width, unpack_doubles(r, (size_t)(k * width)) };
	return all_finite(&m->clip, 1, 0) && all_finite(m->shift, m->m, -INFINITY) &&
	       all_finite(m->unit, m->m, 0) &&
	       all_finite(m->Z.a, m->Z.rows * m->Z.cols, -INFINITY) &&
	       all_finite(m->R.a, m->R.rows * m->R.cols, -INFINITY) &&
	       all_finite(m->centre.a, m->centre.rows * m->centre.cols, -INFINITY) &&
	       (!named || take_names(r, m)) && r->left == 0;
}

enum err fedsc_model_parse(struct bytes file, const char *where, struct fedsc_model *m)
{
	struct unpack r = { file.p, file.n }, end;
	uint64_t version;

	*m = (struct fedsc_model){ 0 };
	if (file.n < sizeof(magic) || memcmp(file.p, magic, sizeof(magic)) != 0)
		return err_set(ERR_INPUT,
			       "%s: does not begin like a model of rows, expected " FEDSC_MODEL_FILE
			       " of a party's run of kind kmeans, or fedsc by anchors",
			       where);
	if (file.n < HEAD + CHECKSUM)
		return err_set(ERR_INPUT, "%s: cut off after %zu bytes", where, file.n);
	(void)unpack_take(&r, sizeof(magic));
	version = unpack_take(&r, 4);
	if (version != FEDSC_MODEL_VERSION)
		return err_set(ERR_INPUT,
			       "%s: a model in version %llu of its format, this program reads %d; "
			       "run the job again, or predict with the program that made it",
			       where, (unsigned long long)version, FEDSC_MODEL_VERSION);
	end = (struct unpack){ file.p + file.n - CHECKSUM, CHECKSUM };
	if (unpack_take(&end, CHECKSUM) != pack_crc(file.p, file.n - CHECKSUM))
		return err_set(ERR_INPUT,
			       "%s: damaged or cut off: its checksum is not that of its %zu bytes",
			       where, file.n);
	r.left -= CHECKSUM;
	if (take_model(&r, m))
		return ERR_OK;
	fedsc_model_release(m);
	return err_set(ERR_INPUT,
		       "%s: its contents are inconsistent, so this program did not write it",
		       where);
}

enum err fedsc_model_write(const char *path, const struct fedsc_model *m)
{
	struct buf b = { 0 };
	enum err err;

	fedsc_model_print(m, &b);
	err = file_write(path, (struct bytes){ b.p, b.n }, FILE_SECRET);
	buf_release(&b);
	return err;
}

enum err fedsc_model_read(const char *path, struct fedsc_model *m)
{
	struct buf b = { 0 };
	enum err err;

	*m = (struct fedsc_model){ 0 };
	TRY(file_read(path, MODEL_BYTES_MAX, &b));
	err = fedsc_model_parse((struct bytes){ b.p, b.n }, path, m);
	buf_release(&b);
	return err;
}
