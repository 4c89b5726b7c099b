#include "common/privacy/noise.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static enum err check_budget(double eps, double delta, double sensitivity)
{
	if (!(eps > 0) || !isfinite(eps))
		return err_set(ERR_INPUT, "eps is %g, expected a number above 0", eps);
	if (!(delta > 0 && delta < 1))
		return err_set(ERR_INPUT, "delta is %g, expected above 0 and below 1", delta);
	if (!(sensitivity > 0) || !isfinite(sensitivity))
		return err_set(ERR_INPUT, "sensitivity is %g, expected a number above 0",
			       sensitivity);
	return ERR_OK;
}

double noise_analytic_delta(double eps, double sigma, double sensitivity)
{
	double a = sensitivity / (2 * sigma), b = eps * sigma / sensitivity;
	double x = -a - b, z = x * x, first = erfc((b - a) / sqrt(2)) / 2, log_phi, second;

	/* Computes ln Phi(x) without underflow: far below 0 by its asymptotic series (Abramowitz
	 * and Stegun 26.2.12). */
	if (x > -37)
		log_phi = log(erfc(-x / sqrt(2)) / 2);
	else
		log_phi = -z / 2 - log(-x) - log(2 * M_PI) / 2 + log1p((-1 + (3 - 15 / z) / z) / z);
	second = exp(eps + log_phi);
	return first > second ? first - second : 0;
}

enum err noise_analytic(double eps, double delta, double sensitivity, double *sigma)
{
	double low, high;

	TRY(check_budget(eps, delta, sensitivity));
	/* delta falls as sigma rises. */
	low = high = sensitivity;
	while (noise_analytic_delta(eps, high, sensitivity) > delta) {
		high *= 2;
		if (!isfinite(high))
			return err_set(ERR_INPUT, "no noise is enough for eps %g, delta %g", eps,
				       delta);
	}
	while (low > DBL_MIN && noise_analytic_delta(eps, low, sensitivity) <= delta)
		low /= 2;
	while (high - low > 1e-12 * high) {
		double middle = low + (high - low) / 2;

		if (noise_analytic_delta(eps, middle, sensitivity) > delta)
			low = middle;
		else
			high = middle;
	}
	*sigma = high;
	return ERR_OK;
}

enum err noise_factors(const struct noise_factors *p, struct noise_factors_sigma *out)
{
	const struct {
		const char *name;
		double value;
	} bound[] = {
		{ "tau_x", p->tau_x }, { "tau_z", p->tau_z },
		{ "tau_c", p->tau_c }, { "reach", p->reach },
		{ "r", p->r },         { "lambda", p->lambda },
		{ "d", (double)p->d }, { "compositions", p->compositions },
	};
	/* If there is a ball, the ball alone bounds the sensitivity, for any step. */
	bool any_step = p->ball > 0 && isfinite(p->ball);
	double r2 = p->r * p->r, root = sqrt((double)p->d);

	for (size_t i = 0; i < sizeof(bound) / sizeof(*bound); i++)
		if (!(bound[i].value > 0) || !isfinite(bound[i].value))
			return err_set(ERR_INPUT,
				       "Theorem 3.9: %s is %g, expected a number above 0",
				       bound[i].name, bound[i].value);
	if (!(p->step > 0) || (!isfinite(p->step) && !any_step))
		return err_set(ERR_INPUT, "Theorem 3.9: step is %g, expected a number above 0",
			       p->step);
	out->sensitivity_z = 2 * p->step * root * p->tau_x * p->tau_c / r2 *
			     (1 + (p->tau_x + p->tau_z) * (p->tau_x + p->reach) / r2);
	if (p->ball > 0)
		out->sensitivity_z = fmin(out->sensitivity_z, 2 * root * p->ball);
	TRY(check_budget(p->eps_z, p->delta_z, out->sensitivity_z));
	out->sigma_z = out->sensitivity_z / p->eps_z *
		       sqrt(8 * (double)p->compositions * log(M_E + p->eps_z / p->delta_z));
	out->sensitivity_c = 2 * root * p->tau_x * (p->tau_x + p->reach) / (p->lambda * r2);
	out->sensitivity_c = fmax(out->sensitivity_c, 1 / sqrt(p->lambda));
	return noise_analytic(p->eps_c, p->delta_c, out->sensitivity_c, &out->sigma_c);
}

/* Samples per chunk; each needs four uniform numbers. */
enum { CHUNK = 256 };

static double unit(uint64_t word) /* (0, 1] */
{
	return ((double)(word >> 11) + 1) * 0x1p-53;
}

static double normal(const uint64_t word[2]) /* Box-Muller */
{
	return sqrt(-2 * log(unit(word[0]))) * cos(2 * M_PI * unit(word[1]));
}

enum err noise_begin(const struct noise_source *source, const struct bytes *part, size_t parts)
{
	return source->begin ? source->begin(source->ctx, part, parts) : ERR_OK;
}

enum err noise_add(const struct noise_source *source, double sigma, double *x, size_t n)
{
	const struct bytes answer[] = { { (const uint8_t *)&sigma, sizeof(sigma) },
					{ (const uint8_t *)x, n * sizeof(*x) } };
	uint64_t word[CHUNK][4];
	enum err err = ERR_OK;

	if (!(sigma >= 0) || !isfinite(sigma))
		return err_set(ERR_INPUT, "noise of standard deviation %g, expected 0 or more",
			       sigma);
	if (sigma > 0)
		err = noise_begin(source, answer, 2);
	for (size_t i = 0; sigma > 0 && i < n && !err; i += CHUNK) {
		size_t count = n - i < CHUNK ? n - i : CHUNK;

		err = source->bytes(source->ctx, word, count * sizeof(*word));
		for (size_t j = 0; !err && j < count; j++)
			x[i + j] += sigma * M_SQRT1_2 * (normal(word[j]) + normal(word[j] + 2));
	}
	explicit_bzero(word, sizeof(word)); /* known noise could be subtracted */
	return err;
}

size_t noise_clip_rows(struct mat *X, double tau)
{
	size_t clipped = 0;

	for (size_t i = 0; i < X->rows; i++) {
		double top = 0, square = 0, norm;

		for (size_t j = 0; j < X->cols; j++)
			top = fmax(top, fabs(MAT(X, i, j)));
		for (size_t j = 0; top > 0 && j < X->cols; j++)
			square += MAT(X, i, j) / top * (MAT(X, i, j) / top);
		/* Values are scaled by the largest one, so that the square of 1e200 does not
		 * overflow. */
		norm = top * sqrt(square);
		if (norm <= tau)
			continue;
		clipped++;
		for (size_t j = 0; j < X->cols; j++)
			MAT(X, i, j) = MAT(X, i, j) / top * (tau / sqrt(square));
	}
	return clipped;
}

enum err noise_perturb_rows(const struct noise_source *source, double tau, double sigma,
			    struct mat *X, size_t *clipped)
{
	if (!(tau > 0) || !isfinite(tau))
		return err_set(ERR_INPUT, "rows are clipped to length %g, expected above 0", tau);
	*clipped = noise_clip_rows(X, tau);
	return noise_add(source, sigma, X->a, X->rows * X->cols);
}

void draw_init(struct draw *d, const struct noise_source *source)
{
	d->source = source;
	d->left = 0;
	d->err = ERR_OK;
}

enum err draw_end(struct draw *d)
{
	explicit_bzero(d->word, sizeof(d->word));
	d->left = 0;
	return d->err;
}

uint64_t draw_u64(struct draw *d)
{
	if (!d->left) {
		if (!d->err)
			d->err = d->source->bytes(d->source->ctx, d->word, sizeof(d->word));
		if (d->err)
			return 0;
		d->left = DRAW_WORDS;
	}
	return d->word[--d->left];
}

double draw_unit(struct draw *d)
{
	return (double)(draw_u64(d) >> 11) * 0x1p-53;
}

double draw_unit_above(struct draw *d)
{
	return unit(draw_u64(d));
}

uint32_t draw_below(struct draw *d, uint32_t bound)
{
	/* 2^32 mod bound. So many values of the low half of `wide` are rejected, or some results
	 * would be likelier than others. */
	uint32_t reject = -bound % bound;
	uint64_t wide;

	assert(bound > 0);
	do
		wide = (draw_u64(d) >> 32) * bound;
	while ((uint32_t)wide < reject && !d->err); /* Lemire 2019 */
	return (uint32_t)(wide >> 32);
}
