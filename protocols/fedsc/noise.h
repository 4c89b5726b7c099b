/* noise.h -- noise levels of a job, and the privacy claim. Both derive from the job alone, so they
 * are the same in all processes. Differential privacy is for the replacement of one row. It does
 * not hide a party's number of rows. */
#ifndef PROTOCOLS_FEDSC_NOISE_H
#define PROTOCOLS_FEDSC_NOISE_H

#include "protocols/fedsc/job.h"
#include "common/kind/facts.h"

enum { FEDSC_NOISE_TEXT = 768 };

struct fedsc_noise {
	/* Differential privacy claimed for the whole job. eps 0: none is claimed. */
	double eps, delta;
	double mu;             /* exact mu of the job's noise (common/privacy/account.h) */
	const char *mechanism; /* name of the mechanism, a static string; NULL if eps is 0 */
	/* ---- noise on data ---- */
	/* with eps, and also for noise in aggregates: length to which raw rows are shortened; 0: no
	 * row is shortened */
	double clip;
	/* with eps: `sensitivity` is 2 clip, and `sigma` is the deviation of noise
	 * on raw rows */
	double sensitivity, sigma;
	/* without eps: deviation of noise on scaled rows (fedsc_question.beta,
	 * fedsc_params.beta) */
	double beta;
	/* ---- noise in aggregates ---- */
	/* Deviation of the noise in each round, for a sum that one row can change by 1. */
	double multiplier;
	double gram; /* anchor: noise in B'B has deviation sqrt(2) gram; otherwise 0 */
	/* ---- noise on factors: fields of the same name in fedsc_question and fedsc_params ---- */
	/* without eps: deviations of noise, in standard deviations of Z_p and of C_p */
	double noise_z, noise_c;
	/* With eps: length to which scaled rows are shortened; 0: no row is shortened. */
	double scaled_clip;
	/* With noise.ball: length to which rows of Z_p are shortened; 0: no row is shortened. */
	double ball;
	double sensitivity_z, sigma_z; /* set with eps */
	double sensitivity_c, sigma_c; /* set with eps if C is uploaded; otherwise 0 */
};

/* Computes the noise of a job that has passed fedsc_check(). ERR_INPUT: the calibration fails. */
enum err fedsc_noise_of(const struct fedsc_job *job, struct fedsc_noise *out) MUST_CHECK;

/* Writes one sentence: mechanism, sensitivity, sigma, (eps, delta), and the limits of the claim. It
 * contains nothing that depends on data. */
void fedsc_noise_describe(const struct fedsc_job *job, const struct fedsc_noise *noise,
			  char text[static FEDSC_NOISE_TEXT]);

/* Writes the sentence of fedsc_noise_describe() ("privacy") and the noise levels to r, and the
 * sentence to the log. Does nothing if the job has no noise. */
void fedsc_noise_record(const struct fedsc_job *job, const struct fedsc_noise *noise,
			struct facts *r);

#endif
