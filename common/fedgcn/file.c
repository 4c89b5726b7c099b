#include "common/fedgcn/file.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/cluster/gmm.h"

#include <string.h>

/* Clusters that a file may have: far more than a job, few enough for sizes to be multiplied. */
enum { CLUSTERS_MAX = 1 << 16, MODEL_BYTES_MAX = 1 << 30 };

static const uint8_t magic[8] = { 'C', 'O', 'T', 'G', 'R', 'A', 'P', 'H' };

/* CRC-64 of ECMA-182, reflected, as xz has it; byte by byte: models are of some 10^5 bytes. */
static uint64_t crc64(const uint8_t *p, size_t n)
{
	uint64_t crc = UINT64_MAX, of_byte[256];

	for (size_t i = 0; i < 256; i++) {
		of_byte[i] = i;
		for (int bit = 0; bit < 8; bit++)
			of_byte[i] = of_byte[i] >> 1 ^
				     (UINT64_C(0xc96c5795d7870f42) & (0 - (of_byte[i] & 1)));
	}
	for (size_t i = 0; i < n; i++)
		crc = crc >> 8 ^ of_byte[(crc ^ p[i]) & 0xff];
	return ~crc;
}

/* ---- writing ---- */

static void put(struct buf *b, uint64_t x, size_t bytes)
{
	uint8_t *to = buf_extend(b, bytes);

	for (size_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)(x >> 8 * i);
}

static void put_floats(struct buf *b, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		float value = (float)x[i];
		uint32_t bits;

		memcpy(&bits, &value, sizeof(bits));
		put(b, bits, sizeof(bits));
	}
}

static void put_doubles(struct buf *b, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bits;

		memcpy(&bits, &x[i], sizeof(bits));
		put(b, bits, sizeof(bits));
	}
}

void fedgcn_file_print(const struct fedgcn_model *m, struct buf *out)
{
	size_t from = out->n, k = m->k, q = m->q;

	buf_add(out, magic, sizeof(magic));
	put(out, FEDGCN_FILE_VERSION, 4);
	put(out, (uint64_t)m->features, 4);
	put(out, k, 4);
	put(out, q, 4);
	put(out, m->weights, 8);
	put_floats(out, m->W, m->weights);
	put_doubles(out, m->C.a, k * FEDGCN_Z);
	if (q) {
		put_doubles(out, m->mean, FEDGCN_Z);
		put_doubles(out, m->axis, q * FEDGCN_Z);
		put_doubles(out, m->share, k);
		put_doubles(out, m->mu, k * q);
		put_doubles(out, m->precision, k * q * q);
	}
	put(out, crc64(out->p + from, out->n - from), 8);
}

/* ---- reading ---- */

struct reader {
	const uint8_t *p;
	size_t left;
};

static uint64_t take(struct reader *r, size_t bytes)
{
	uint64_t x = 0;

	for (size_t i = 0; i < bytes; i++)
		x |= (uint64_t)r->p[i] << 8 * i;
	r->p += bytes;
	r->left -= bytes;
	return x;
}

static double *take_floats(struct reader *r, size_t n)
{
	double *x;

	ALLOC(x, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t bits = (uint32_t)take(r, sizeof(bits));
		float value;

		memcpy(&value, &bits, sizeof(value));
		x[i] = (double)value;
	}
	return x;
}

static double *take_doubles(struct reader *r, size_t n)
{
	double *x;

	ALLOC(x, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = take(r, sizeof(bits));

		memcpy(&x[i], &bits, sizeof(bits));
	}
	return x;
}

enum { FACTS = 8 + 4 + 4 + 4 + 4 + 8, CHECKSUM = 8 };

/* Facts of m, of an undamaged file in which what follows them has just the size that they say. */
static enum err take_facts(struct bytes file, struct reader *r, const char *where,
			   struct fedgcn_model *m)
{
	struct reader end;
	uint64_t features, k, q, weights, doubles;

	if (file.n < sizeof(magic) || memcmp(file.p, magic, sizeof(magic)) != 0)
		return err_set(ERR_INPUT, "%s: is no model of FedGCN", where);
	if (file.n < FACTS + CHECKSUM)
		return err_set(ERR_INPUT, "%s: cut off after %zu bytes", where, file.n);
	(void)take(r, sizeof(magic));
	if (take(r, 4) != FEDGCN_FILE_VERSION)
		return err_set(ERR_INPUT, "%s: is of another version than %d", where,
			       FEDGCN_FILE_VERSION);
	end = (struct reader){ file.p + file.n - CHECKSUM, CHECKSUM };
	if (take(&end, CHECKSUM) != crc64(file.p, file.n - CHECKSUM))
		return err_set(ERR_INPUT,
			       "%s: damaged or cut off: its checksum is not that of its %zu bytes",
			       where, file.n);
	features = take(r, 4);
	k = take(r, 4);
	q = take(r, 4);
	weights = take(r, 8);
	doubles = k * FEDGCN_Z + (q ? (1 + q) * FEDGCN_Z + k * (1 + q + q * q) : 0);
	if (features > GRAPHS_COORDINATES || k < 1 || k > CLUSTERS_MAX || q > GMM_DIMENSIONS_MAX ||
	    weights > MODEL_BYTES_MAX || r->left != weights * 4 + doubles * 8)
		return err_set(
		    ERR_INPUT,
		    "%s: %llu weights, %llu clusters and %llu axes do not make %zu bytes", where,
		    (unsigned long long)weights, (unsigned long long)k, (unsigned long long)q,
		    r->left);
	m->features = (enum graphs_features)features;
	m->k = (unsigned)k;
	m->q = (size_t)q;
	m->weights = (size_t)weights;
	return ERR_OK;
}

enum err fedgcn_file_parse(struct bytes file, const char *where, struct fedgcn_model *m)
{
	struct reader r = { file.p, file.n - CHECKSUM };
	size_t k, q;
	enum err err;

	*m = (struct fedgcn_model){ 0 };
	TRY(take_facts(file, &r, where, m));
	k = m->k;
	q = m->q;
	m->W = take_floats(&r, m->weights);
	m->C = (struct mat){ k, FEDGCN_Z, take_doubles(&r, k * FEDGCN_Z) };
	if (q) {
		m->mean = take_doubles(&r, FEDGCN_Z);
		m->axis = take_doubles(&r, q * FEDGCN_Z);
		m->share = take_doubles(&r, k);
		m->mu = take_doubles(&r, k * q);
		m->precision = take_doubles(&r, k * q * q);
	}
	err = fedgcn_model_check(m);
	if (err) {
		fedgcn_model_release(m);
		return err_prefix(err, "%s", where);
	}
	return ERR_OK;
}

enum err fedgcn_file_write(const char *path, const struct fedgcn_model *m)
{
	struct buf b = { 0 };
	enum err err;

	fedgcn_file_print(m, &b);
	err = file_write(path, (struct bytes){ b.p, b.n }, FILE_SECRET);
	buf_release(&b);
	return err;
}

enum err fedgcn_file_read(const char *path, struct fedgcn_model *m)
{
	struct buf b = { 0 };
	enum err err;

	*m = (struct fedgcn_model){ 0 };
	TRY(file_read(path, MODEL_BYTES_MAX, &b));
	err = fedgcn_file_parse((struct bytes){ b.p, b.n }, path, m);
	buf_release(&b);
	return err;
}
