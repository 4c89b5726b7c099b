#include "common/linalg/krylov.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/base/rng.h"
#include "common/linalg/la.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first step after which an eigenproblem of the whole space is solved, as real features need
 * ten and more; and how far off the next such step is at most. */
enum { FIRST_LOOK = 8, LOOK_AHEAD = 4 };

/* Sine of the angle to the exact directions; and what rounding leaves of a residual. */
static const double ANGLE = 1e-8, ROUNDING = 1e-13;

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t krylov_width(size_t d, size_t cols)
{
	return least((d + 7) / 8 * 8, cols);
}

struct krylov {
	const struct linear_map *A;
	size_t d, most;
	unsigned threads;
	struct mat P;               /* the basis, most x cols; P.rows of them so far */
	struct mat H;               /* P A'A P', most x most */
	struct mat block;           /* what the last step added to P; then the residual */
	double scale;               /* of A'A: the largest norm of a step's products */
	unsigned looked, next_look; /* the step of the last look, and of the next */
	double before;              /* what the last one found; 0: none yet */
};

/* The block loses what of it lies in the basis: C P. */
static void project_out(struct krylov *k, struct mat *C)
{
	struct mat part;

	la_mul_nt(&k->block, &k->P, k->threads, C);
	la_mul_nn(C, &k->P, k->threads, &part);
	for (size_t i = 0; i < part.rows * part.cols; i++)
		k->block.a[i] -= part.a[i];
	mat_release(&part);
}

/* Adds the block to the basis, and leaves in the block what A'A makes of it outside the basis. */
static void extend(struct krylov *k)
{
	size_t before = k->P.rows;
	struct mat image, C;

	memcpy(ROW(&k->P, before), k->block.a, k->block.rows * k->block.cols * sizeof(*k->block.a));
	k->P.rows += k->block.rows;
	k->A->square(k->A->ctx, &k->block, &image);
	mat_release(&k->block);
	k->block = image;
	project_out(k, &C);
	for (size_t i = 0; i < C.rows; i++)
		for (size_t j = 0; j < C.cols; j++)
			MAT(&k->H, before + i, j) = MAT(&k->H, j, before + i) = MAT(&C, i, j);
	k->scale = fmax(k->scale, mat_norm(C.a, C.rows * C.cols));
	mat_release(&C);
}

/* The block becomes what the next step adds. Where little is left it is part rounding, which may
 * lie in the basis and is taken out once it has been made as long as the rest. */
static enum err turn(struct krylov *k)
{
	struct mat C;

	k->block.rows = least(k->block.rows, k->most - k->P.rows);
	TRY(la_orthonormal_rows(&k->block));
	project_out(k, &C);
	mat_release(&C);
	return la_orthonormal_rows(&k->block);
}

/* ||A'A v - theta v|| of the Ritz vector v = s P is that of s over the last block. */
static double residual(const struct krylov *k, const double *s)
{
	size_t first = k->P.rows - k->block.rows;
	double sum = 0;

	for (size_t j = 0; j < k->block.cols; j++) {
		double x = 0;

		for (size_t i = 0; i < k->block.rows; i++)
			x += s[first + i] * MAT(&k->block, i, j);
		sum += x * x;
	}
	return sqrt(sum);
}

/* How many times as far off as allowed the worst vector is: at most 1 if all are good.
 * theta: the values of s, and the next one if there is one. */
static double excess(const struct krylov *k, const struct mat *s, const double *theta)
{
	double next = s->rows > k->d ? theta[k->d] : -INFINITY, worst = 0;

	for (size_t j = 0; j < k->d; j++) {
		double allowed = fmax(ANGLE * (theta[j] - next), ROUNDING * theta[0]);
		double left = residual(k, ROW(s, j));

		worst = fmax(worst, allowed > 0 ? left / allowed : left > 0 ? INFINITY : 0);
	}
	return worst;
}

/* Residuals fall by about the same factor in each step, so some steps need no look. */
static void plan_look(struct krylov *k, unsigned step, double now)
{
	double steps = 1;

	if (k->before > now && now > 1 && isfinite(k->before))
		steps = (step - k->looked) * log(now) / log(k->before / now);
	k->next_look = step + (unsigned)fmin(fmax(0.8 * steps, 1), LOOK_AHEAD);
	k->looked = step;
	k->before = now;
}

/* Rayleigh-Ritz. P is the answer if it is good, or if there is no room for another step. */
static enum err look(struct krylov *k, unsigned step, struct mat *P, bool *settled)
{
	size_t q = k->P.rows;
	struct mat G, s;
	double *theta, now;
	enum err err;

	mat_init(&G, q, q);
	for (size_t i = 0; i < q; i++)
		memcpy(ROW(&G, i), ROW(&k->H, i), q * sizeof(*G.a));
	ALLOC(theta, k->d + 1);
	err = la_eigen_top(&G, least(k->d + 1, q), theta, &s);
	mat_release(&G);
	if (err)
		goto out;
	now = excess(k, &s, theta);
	*settled = now <= 1;
	if (*settled || q == k->most) {
		s.rows = k->d;
		la_mul_nn(&s, &k->P, k->threads, P);
	}
	plan_look(k, step, now);
	mat_release(&s);
out:
	free(theta);
	return err;
}

static enum err start(struct krylov *k, size_t width)
{
	struct rng rng;

	rng_seed(&rng, 1, 0);
	mat_init(&k->P, k->most, k->A->cols);
	mat_init(&k->H, k->most, k->most);
	mat_init(&k->block, width, k->A->cols);
	k->P.rows = 0;
	for (size_t i = 0; i < width * k->A->cols; i++)
		k->block.a[i] = rng_normal(&rng);
	return la_orthonormal_rows(&k->block);
}

/* Whether what the last step left is no more than rounding. */
static bool exhausted(const struct krylov *k)
{
	return mat_norm(k->block.a, k->block.rows * k->block.cols) <= ROUNDING * k->scale;
}

enum err krylov_right(const struct linear_map *A, size_t d, unsigned threads, struct mat *P,
		      bool *settled)
{
	size_t width = krylov_width(d, A->cols);
	struct krylov k = { .A = A,
			    .d = d,
			    .most = least(KRYLOV_STEPS_MAX * width, A->cols),
			    .threads = threads,
			    .next_look = FIRST_LOOK };
	enum err err;

	assert(1 <= d && d <= least(A->rows, A->cols));
	*P = (struct mat){ 0 };
	err = start(&k, width);
	for (unsigned step = 1; !err; step++) {
		extend(&k);
		progress_tick();
		err = progress_check();
		if (err)
			break;
		if (step >= k.next_look || k.P.rows == k.most || exhausted(&k))
			err = look(&k, step, P, settled);
		if (err || P->a)
			break;
		err = turn(&k);
	}
	mat_release(&k.block);
	mat_release(&k.H);
	mat_release(&k.P);
	return err;
}
