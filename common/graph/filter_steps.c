#include "common/graph/filter_steps.h"
#include "common/base/alloc.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef complex long double root;

const struct filter_step FILTER_STEP = { .scale = 1 };

/* Bounds of the method in filter_steps.h. LEAST: smallest weight of a Chebyshev polynomial that is
 * kept. OFF_MOST: largest accepted error of the product of factors (5e-11 is the worst seen).
 * SHARE_MOST: the product is used if its degree is at most this share of the power. */
static const long double LEAST = 1e-12L;
static const double OFF_MOST = 1e-10, SHARE_MOST = 0.9;

/* ROUNDS_MOST: limit on rounds of move_root() for all roots, of which 12 to 20 suffice. SETTLED: a
 * root has converged when its last step is shorter. REAL: roots closer to the real axis count as
 * real. */
enum { ROUNDS_MOST = 40 };
static const long double SETTLED = 1e-9L, REAL = 1e-8L;

/* -- the series ----------------------------------------------------------------------------- */

struct series {
	size_t degree;
	long double *weight; /* degree + 1: weight[k] of the Chebyshev polynomial T_k */
};

/* Returns the degree of the series for T^power (filter_steps.h); writes the weights to weight
 * (power + 1) unless it is NULL. */
static size_t series_weights(unsigned power, long double *weight)
{
	long double w = 1;
	size_t k = 0;

	for (unsigned i = 1; i <= power; i++)
		w *= (2.L * i - 1) / (2.L * i);
	for (; k <= power && w >= LEAST; k++) {
		if (weight)
			weight[k] = k ? 2 * w : w;
		w *= (long double)(power - k) / (long double)(power + k + 1);
	}
	return k - 1;
}

/* 1 / z; does not overflow if the magnitude of z is moderate. */
static root inverse(root z)
{
	return conjl(z) / (creall(z) * creall(z) + cimagl(z) * cimagl(z));
}

/* Moves root i by Newton's step p(x) / p'(x), corrected for the other roots so that no two converge
 * to the same one (Aberth 1973). Evaluates p and p' by Clenshaw's recurrence. Returns the length of
 * the step. */
static long double move_root(const struct series *p, root *r, size_t i)
{
	root b1 = 0, b2 = 0, d1 = 0, d2 = 0, x = r[i], step, push = 0;

	for (size_t k = p->degree; k > 0; k--) {
		root b = 2 * x * b1 - b2 + p->weight[k], d = 2 * b1 + 2 * x * d1 - d2;

		b2 = b1;
		b1 = b;
		d2 = d1;
		d1 = d;
	}
	step = (x * b1 - b2 + p->weight[0]) * inverse(b1 + x * d1 - d2);
	for (size_t j = 0; j < p->degree; j++)
		if (j != i)
			push += inverse(x - r[j]);
	step *= inverse(1 - step * push);
	r[i] -= step;
	return cabsl(step);
}

/* Finds all roots at once, starting near the roots of the Chebyshev polynomial of this degree, and
 * iterates each until it converges. Then moves the real roots, and the upper root of each complex
 * pair, to the front. Returns the number of roots at the front; 0 if it did not find all roots. */
static size_t find_roots(const struct series *p, root *r)
{
	size_t moving = p->degree, kept = 0, found = 0;
	bool *still;

	ALLOC(still, p->degree);
	for (size_t i = 0; i < p->degree; i++) {
		long double t =
		    (long double)M_PI * (2.L * (long double)i + 1) / (2.L * (long double)p->degree);

		r[i] = 1.05L * cosl(t) + (0.01L + 0.05L * (i % 2 ? 1 : -1) * sinl(t)) * I;
	}
	for (int round = 0; round < ROUNDS_MOST && moving; round++)
		for (size_t i = 0; i < p->degree; i++)
			if (!still[i] && move_root(p, r, i) < SETTLED) {
				still[i] = true;
				moving--;
			}
	free(still);
	for (size_t i = 0; i < p->degree; i++) {
		if (cimagl(r[i]) <= -REAL)
			continue;
		found += cimagl(r[i]) < REAL ? 1 : 2;
		r[kept++] = cimagl(r[i]) < REAL ? creall(r[i]) : r[i];
	}
	return found == p->degree ? kept : 0;
}

/* Sorts roots in Leja's order: each root is as far as possible from those before it, so that no
 * intermediate product is much larger than the last. */
static void order_roots(root *r, size_t count)
{
	long double *far;

	ALLOC(far, count);
	for (size_t i = 0; i < count; i++)
		far[i] = logl(cabsl(r[i]));
	for (size_t at = 0; at < count; at++) {
		size_t best = at;
		long double value;
		root next;

		for (size_t i = at + 1; i < count; i++)
			if (far[i] > far[best])
				best = i;
		next = r[best];
		r[best] = r[at];
		r[at] = next;
		value = far[best];
		far[best] = far[at];
		far[at] = value;
		for (size_t i = at + 1; i < count; i++) {
			if (at == 0)
				far[i] = 0;
			far[i] += logl(cabsl(r[i] - next));
			if (cimagl(next) != 0)
				far[i] += logl(cabsl(r[i] - conjl(next)));
		}
	}
	free(far);
}

/* -- steps ---------------------------------------------------------------------------------- */

/* Converts roots to steps. A real root becomes one step, and a pair a +- ib becomes two steps: (T -
 * a)^2 + b^2. Each factor is scaled to 1 at T = 1. */
static void steps_of(const root *r, size_t count, struct filter_steps *s)
{
	struct filter_step *to = s->step;

	for (size_t i = 0; i < count; i++) {
		long double a = (1 + creall(r[i])) / 2, b = cimagl(r[i]) / 2;
		long double scale = 1 / sqrtl((1 - a) * (1 - a) + b * b);

		if (b == 0) {
			*to++ = (struct filter_step){ .scale = (double)(1 / (1 - a)),
						      .shift = (double)a };
			continue;
		}
		*to++ = (struct filter_step){ .scale = (double)scale, .shift = (double)a };
		*to++ = (struct filter_step){ .scale = (double)scale,
					      .shift = (double)a,
					      .back = (double)(b * b * scale * scale) };
	}
	s->count = (size_t)(to - s->step);
}

double filter_steps_at(const struct filter_steps *s, double t)
{
	double y = 1, before = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct filter_step *step = &s->step[i];
		double next = step->scale * (t - step->shift) * y + step->back * before;

		before = y;
		y = next;
	}
	return y;
}

size_t filter_steps_count(unsigned power)
{
	size_t degree = series_weights(power, NULL);

	return (double)degree <= SHARE_MOST * power ? degree : power;
}

void filter_steps_init(struct filter_steps *s, unsigned power)
{
	ALLOC(s->step, power);
	if (filter_steps_count(power) < power) {
		struct series p;
		size_t count, points;
		bool near;
		root *r;

		ALLOC(p.weight, (size_t)power + 1);
		p.degree = series_weights(power, p.weight);
		ALLOC(r, p.degree);
		count = find_roots(&p, r);
		order_roots(r, count);
		steps_of(r, count, s);
		free(r);
		free(p.weight);
		/* Compares the steps with t^power at about eight points between two extrema of the
		 * polynomial. */
		points = 8 * s->count;
		near = count > 0;
		for (size_t i = 0; i <= points && near; i++) {
			double t = (1 + cos(M_PI * (double)i / (double)points)) / 2;

			near = fabs(filter_steps_at(s, t) - pow(t, power)) <= OFF_MOST;
		}
		if (near)
			return;
	}
	s->count = power;
	for (size_t i = 0; i < power; i++)
		s->step[i] = FILTER_STEP;
}

void filter_steps_release(struct filter_steps *s)
{
	free(s->step);
	*s = (struct filter_steps){ 0 };
}
