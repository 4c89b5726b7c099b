#include "protocols/fedgcn/file.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/pack.h"
#include "common/cluster/gmm.h"

#include <string.h>

/* Limits of a file. They are far above any job, and small enough that products of sizes do not
 * overflow. */
enum { CLUSTERS_MAX = 1 << 16, MODEL_BYTES_MAX = 1 << 30 };

static const uint8_t magic[8] = { 'C', 'O', 'T', 'G', 'R', 'A', 'P', 'H' };

static void put_floats(struct buf *b, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		float value = (float)x[i];
		uint32_t bits;

		memcpy(&bits, &value, sizeof(bits));
		pack_put(b, bits, sizeof(bits));
	}
}

void fedgcn_file_print(const struct fedgcn_model *m, struct buf *out)
{
	size_t from = out->n, k = m->k, q = m->q;

	buf_add(out, magic, sizeof(magic));
	pack_put(out, FEDGCN_FILE_VERSION, 4);
	pack_put(out, (uint64_t)m->features, 4);
	pack_put(out, k, 4);
	pack_put(out, q, 4);
	pack_put(out, m->weights, 8);
	put_floats(out, m->W, m->weights);
	pack_doubles(out, m->C.a, k * FEDGCN_Z);
	if (q) {
		pack_doubles(out, m->mean, FEDGCN_Z);
		pack_doubles(out, m->axis, q * FEDGCN_Z);
		pack_doubles(out, m->share, k);
		pack_doubles(out, m->mu, k * q);
		pack_doubles(out, m->precision, k * q * q);
	}
	pack_put(out, pack_crc(out->p + from, out->n - from), 8);
}

static double *take_floats(struct unpack *r, size_t n)
{
	double *x;

	ALLOC(x, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t bits = (uint32_t)unpack_take(r, sizeof(bits));
		float value;

		memcpy(&value, &bits, sizeof(value));
		x[i] = (double)value;
	}
	return x;
}

enum { FACTS = 8 + 4 + 4 + 4 + 4 + 8, CHECKSUM = 8 };

/* Checks magic, length, version and checksum of the file, then reads the sizes of m. The rest of
 * the file must have exactly the length that the sizes imply. */
static enum err take_facts(struct bytes file, struct unpack *r, const char *where,
			   struct fedgcn_model *m)
{
	struct unpack end;
	uint64_t features, k, q, weights, doubles;

	if (file.n < sizeof(magic) || memcmp(file.p, magic, sizeof(magic)) != 0)
		return err_set(ERR_INPUT, "%s: is no model of FedGCN", where);
	if (file.n < FACTS + CHECKSUM)
		return err_set(ERR_INPUT, "%s: cut off after %zu bytes", where, file.n);
	(void)unpack_take(r, sizeof(magic));
	if (unpack_take(r, 4) != FEDGCN_FILE_VERSION)
		return err_set(ERR_INPUT, "%s: is of another version than %d", where,
			       FEDGCN_FILE_VERSION);
	end = (struct unpack){ file.p + file.n - CHECKSUM, CHECKSUM };
	if (unpack_take(&end, CHECKSUM) != pack_crc(file.p, file.n - CHECKSUM))
		return err_set(ERR_INPUT,
			       "%s: damaged or cut off: its checksum is not that of its %zu bytes",
			       where, file.n);
	features = unpack_take(r, 4);
	k = unpack_take(r, 4);
	q = unpack_take(r, 4);
	weights = unpack_take(r, 8);
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
	struct unpack r = { file.p, file.n - CHECKSUM };
	size_t k, q;
	enum err err;

	*m = (struct fedgcn_model){ 0 };
	TRY(take_facts(file, &r, where, m));
	k = m->k;
	q = m->q;
	m->W = take_floats(&r, m->weights);
	m->C = (struct mat){ k, FEDGCN_Z, unpack_doubles(&r, k * FEDGCN_Z) };
	if (q) {
		m->mean = unpack_doubles(&r, FEDGCN_Z);
		m->axis = unpack_doubles(&r, q * FEDGCN_Z);
		m->share = unpack_doubles(&r, k);
		m->mu = unpack_doubles(&r, k * q);
		m->precision = unpack_doubles(&r, k * q * q);
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
