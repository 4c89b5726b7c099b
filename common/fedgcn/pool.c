#include "common/fedgcn/pool.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Fixed point as of a job: round(x 2^f) as whole numbers, added modulo 2^64. */
static enum err add_term(const struct fedgcn_memory *m, const double *term, size_t n, uint64_t *acc)
{
	double scale = ldexp(1, (int)m->fraction_bits);
	double bound = ldexp(1, 63) / scale / (double)m->parties;

	for (size_t i = 0; i < n; i++) {
		if (!(fabs(term[i]) < bound))
			return err_set(ERR_JOB,
				       "%g is beyond %g, the bound of fixed point with %u bits "
				       "behind the point",
				       term[i], bound, m->fraction_bits);
		acc[i] += (uint64_t)(int64_t)nearbyint(term[i] * scale);
	}
	return ERR_OK;
}

static enum err ask_all(void *ctx, const struct fedgcn_question *q, double *x)
{
	const struct fedgcn_memory *m = ctx;
	size_t n = fedgcn_up(&m->party[0].p, q->kind);
	double *term = alloc(n, sizeof(*term));
	uint64_t *acc = alloc(n, sizeof(*acc));
	enum err err = ERR_OK;

	for (size_t l = 0; l < m->parties && !err; l++) {
		err = fedgcn_answer(&m->party[l], q, term);
		if (!err)
			err = add_term(m, term, n, acc);
		if (err)
			err = err_prefix(err, "party %zu", l);
	}
	for (size_t i = 0; i < n && !err; i++)
		x[i] = ldexp((double)(int64_t)acc[i], -(int)m->fraction_bits);
	free(term);
	free(acc);
	return err;
}

static enum err upload_all(void *ctx, double *x)
{
	const struct fedgcn_memory *m = ctx;
	size_t n = fedgcn_upload_words(&m->party[0].p);

	for (size_t l = 0; l < m->parties; l++)
		fedgcn_upload(&m->party[l], x + l * n);
	return ERR_OK;
}

void fedgcn_in_memory(struct fedgcn_pool *pool, struct fedgcn_memory *memory)
{
	assert(memory->parties > 0);
	*pool = (struct fedgcn_pool){
		.parties = memory->parties, .ctx = memory, .ask = ask_all, .upload = upload_all
	};
}
