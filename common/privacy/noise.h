/* noise.h -- Gaussian noise for differential privacy: its calibration and samples; and single
 * random numbers from the same source.
 *
 * The caller supplies the random bytes: at a party those of its CSPRNG.
 */
#ifndef COMMON_PRIVACY_NOISE_H
#define COMMON_PRIVACY_NOISE_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/linalg/mat.h"

#include <stddef.h>
#include <stdint.h>

/* ---- calibration ---- */

/* Computes the least sigma that is (eps, delta)-private, for any eps > 0 (Balle, Wang 2018, Theorem
 * 8). Bisects Phi(D/2s - eps s/D) - e^eps Phi(-D/2s - eps s/D) <= delta to a relative error of
 * 1e-12, and rounds up (D: sensitivity, s: sigma). At eps .5 and delta 1e-5 it is .73 of the
 * classic sigma (Dwork, Roth 2014, Theorem 3.22), which is proven only below eps = 1. ERR_INPUT:
 * eps or sensitivity is not a finite number above 0, delta is not in (0, 1), or no finite sigma
 * suffices. */
enum err noise_analytic(double eps, double delta, double sensitivity, double *sigma) MUST_CHECK;
/* Returns the delta of noise with deviation sigma at eps: the left-hand side of the inequality in
 * noise_analytic(). */
double noise_analytic_delta(double eps, double sigma, double sensitivity);

/* Parameters of FedSC's Theorem 3.9: x is a row of data, z one of the d rows of the dictionary Z,
 * Z_p the dictionary of party p, c_i a row of the coefficients C. The caller guarantees all
 * bounds. */
struct noise_factors {
	double eps_z, delta_z, eps_c, delta_c;
	double tau_x; /* ||x|| <= tau_x */
	double tau_z; /* spectral norm of Z */
	double tau_c; /* ||c_i|| <= tau_c */
	double reach; /* Upsilon >= ||z - x|| */
	double r, lambda;
	double step; /* eta of a local step; INFINITY if unknown, which needs a ball */
	/* Bound on the length of rows of Z_p, so that Z_p moves by at most 2 sqrt(d) ball; 0:
	 * none. */
	double ball;
	size_t d;
	unsigned compositions; /* S: number of releases of Z */
};
/* Sensitivity and sigma of a release of Z (Lemma J.2) and of C (Lemma J.1):
 *
 *   D_Z = 2 eta sqrt(d) tau_x tau_c / r^2 (1 + (tau_x + tau_z)(tau_x + Upsilon) / r^2)
 *   sigma_Z^2 = 8 S D_Z^2 ln(e + eps_z/delta_z) / eps_z^2   (Kairouz, Oh, Viswanath 2015, 4.3)
 *   D_C = 2 sqrt(d) tau_x (tau_x + Upsilon) / (lambda r^2), sigma_C by noise_analytic().
 *
 * Lemma J.2 covers only one step and treats C as fixed, although C depends on the row. Also, a Z
 * that returns with noise may exceed Upsilon. A ball avoids both gaps: D_Z is then at most the
 * ball's bound, which holds for any step and any C. D_C is at least 1 / sqrt(lambda): ||c_i|| is at
 * most 1 / (2 sqrt(lambda)) for any Z, since k(Z, x) = Kzz^1/2 u with ||u|| <= 1. ERR_INPUT as
 * noise_analytic(), or if a member other than `ball` is not above 0.
 */
struct noise_factors_sigma {
	double sensitivity_z, sigma_z, sensitivity_c, sigma_c;
};
enum err noise_factors(const struct noise_factors *p, struct noise_factors_sigma *out) MUST_CHECK;

/* ---- samples ---- */

/* Source of unpredictable bytes. Before the bytes for one answer are drawn, begin() (may be NULL)
 * gets the answer without its noise, and the noise's scale. A source can thus key its bytes by the
 * answer and the scale. */
struct noise_source {
	void *ctx;
	enum err (*bytes)(void *ctx, void *p, size_t n);
	enum err (*begin)(void *ctx, const struct bytes *part, size_t parts);
};

/* Tells the source for which answer the next random bytes are. noise_add() and discrete_add() call
 * it. A caller that draws single numbers must call noise_begin() itself before the first number.
 * Errors are those of the source. */
enum err noise_begin(const struct noise_source *source, const struct bytes *part,
		     size_t parts) MUST_CHECK;

/* x[i] += sigma N(0, 1), independent. Each sample is the sum of two Box-Muller normals over sqrt
 * 2, so that its low digits do not reveal a uniform number (Holohan, Braghin 2021). Draws
 * nothing if sigma is 0. ERR_INPUT if sigma is negative or not finite. */
enum err noise_add(const struct noise_source *source, double sigma, double *x, size_t n) MUST_CHECK;

/* Shortens rows longer than tau > 0 to length tau. Returns their number. */
size_t noise_clip_rows(struct mat *X, double tau);

/* Applies FedSC's Section 3.1 to a party's raw rows: clips to tau, and adds noise of sigma.
 * *clipped becomes the number of clipped rows, for the party's own record. */
enum err noise_perturb_rows(const struct noise_source *source, double tau, double sigma,
			    struct mat *X, size_t *clipped) MUST_CHECK;

/* ---- single numbers ---- */

/* Single random numbers from a source. A party uses its CSPRNG; tests and pooled data use a seeded
 * source. Fetches 4 KiB at a time, so that a number takes only slightly longer than its bytes.
 * After a failure all numbers are 0, and draw_end() returns the error. Not thread-safe. */
enum { DRAW_WORDS = 512 };

struct draw {
	const struct noise_source *source; /* borrowed */
	uint64_t word[DRAW_WORDS];
	size_t left;
	enum err err;
};

void draw_init(struct draw *d, const struct noise_source *source);
/* Wipes the unused numbers. Returns the source's failure, if any. */
enum err draw_end(struct draw *d) MUST_CHECK;

uint64_t draw_u64(struct draw *d);
double draw_unit(struct draw *d);                    /* [0, 1), 53 bits */
double draw_unit_above(struct draw *d);              /* (0, 1], 53 bits */
uint32_t draw_below(struct draw *d, uint32_t bound); /* 0 .. bound-1, unbiased; bound > 0 */

#endif
