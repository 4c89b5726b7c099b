#include "common/fedsc/pool.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double rounded(double x, double step)
{
	return step > 0 ? nearbyint(x / step) * step : x;
}

static enum err ask_all(void *ctx, const struct fedsc_question *q, const bool *member, double *x)
{
	const struct fedsc_memory *memory = ctx;
	const struct fedsc_party *first = &memory->party[0];
	size_t m = first->embedding.a ? first->embedding.cols : first->X.cols;
	size_t words = fedsc_words(q, m);
	double *term;
	enum err err = ERR_OK;

	ALLOC(term, words);
	for (size_t i = 0; i < words; i++)
		x[i] = 0;
	for (size_t l = 0; l < memory->parties && !err; l++) {
		if (member && !member[l])
			continue;
		err = fedsc_answer(&memory->party[l], q, term);
		if (err)
			err = err_prefix(err, "party %zu", l);
		for (size_t i = 0; !err && i < words; i++)
			x[i] += rounded(term[i], memory->step);
	}
	free(term);
	return err;
}

static enum err upload_all(void *ctx, const struct mat *Z, double r, double lambda, double noise_c,
			   double sigma_c, struct mat *C)
{
	const struct fedsc_memory *memory = ctx;
	size_t n = 0, at = 0;

	for (size_t l = 0; l < memory->parties; l++)
		n += memory->party[l].X.rows;
	mat_init(C, n, Z->rows);
	for (size_t l = 0; l < memory->parties; l++) {
		struct mat own;
		enum err err =
		    fedsc_upload(&memory->party[l], Z, r, lambda, noise_c, sigma_c, &own);

		if (err) {
			mat_release(C);
			return err_prefix(err, "party %zu", l);
		}
		memcpy(ROW(C, at), own.a, own.rows * own.cols * sizeof(double));
		at += own.rows;
		mat_release(&own);
	}
	return ERR_OK;
}

static enum err hand_back_all(void *ctx, const uint32_t *label, size_t n)
{
	const struct fedsc_memory *memory = ctx;
	size_t at = 0;

	for (size_t l = 0; l < memory->parties; l++) {
		struct fedsc_party *p = &memory->party[l];

		TRY(fedsc_take_labels(p, label + at, p->X.rows));
		at += p->X.rows;
	}
	assert(at == n);
	return ERR_OK;
}

void fedsc_in_memory(struct fedsc_pool *pool, struct fedsc_memory *memory)
{
	assert(memory->parties > 0);
	*pool = (struct fedsc_pool){ .m = memory->party[0].X.cols,
				     .parties = memory->parties,
				     .ctx = memory,
				     .ask = ask_all,
				     .upload = upload_all,
				     .hand_back = hand_back_all };
	for (size_t l = 0; l < memory->parties; l++)
		assert(memory->party[l].X.cols == pool->m);
}

void fedsc_deal(const struct mat *X, const uint32_t *part, uint32_t l, struct mat *out)
{
	size_t rows = 0, at = 0;

	for (size_t i = 0; i < X->rows; i++)
		rows += part[i] == l;
	mat_init(out, rows, X->cols);
	for (size_t i = 0; i < X->rows; i++)
		if (part[i] == l)
			memcpy(ROW(out, at++), ROW(X, i), X->cols * sizeof(double));
}

uint32_t *fedsc_gather(const struct fedsc_memory *memory, const uint32_t *part, size_t n)
{
	uint32_t *label;
	size_t *next;

	ALLOC(label, n);
	ALLOC(next, memory->parties);
	for (size_t i = 0; i < n; i++)
		label[i] = memory->party[part[i]].clusters.label[next[part[i]]++];
	free(next);
	return label;
}
