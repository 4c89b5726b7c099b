/* noise.h -- Noise of a job in numbers, and the privacy claim. Both derive from the job alone, so
 * all processes agree. Differential privacy is for the replacement of one row: the number of rows
 * of a party is not hidden. */
#ifndef PROTOCOLS_FEDSC_NOISE_H
#define PROTOCOLS_FEDSC_NOISE_H

#include "protocols/fedsc/job.h"
#include "common/kind/facts.h"

enum { FEDSC_NOISE_TEXT = 768 };

struct fedsc_noise {
	/* Differential privacy claimed for the job as a whole; eps 0: none. */
	double eps, delta;
	double mu; /* exact mu of the job's noise (common/privacy/account.h) */
	/* ---- noise on data ---- */
	const char *mechanism;     /* static; NULL: sigma is given by beta, or there is no noise */
	double clip;               /* with eps: length to which raw rows are shortened; 0: not */
	double sensitivity, sigma; /* with eps: 2 clip, and the deviation of noise on raw rows */
	/* without eps: deviation of noise on scaled rows (fedsc_question.beta,
	 * fedsc_params.beta) */
	double beta;
	/* ---- noise in aggregates ---- */
	/* deviation of the noise in each round, for a sum that a row can move by 1 */
	double multiplier;
	double gram; /* the same for B'B of variant anchor; else 0 */
	/* ---- noise on factors: fields of the same name in fedsc_question and fedsc_params ---- */
	double noise_z, noise_c; /* without eps: in deviations of Z_p and of C_p */
	double scaled_clip;      /* with eps: length to which scaled rows are shortened; 0: not */
	double ball; /* with noise.ball: length to which rows of Z_p are shortened; 0: not */
	double sensitivity_z, sigma_z; /* with eps */
	double sensitivity_c, sigma_c; /* with eps and an upload of C; else 0 */
};

/* The job has passed fedsc_check(). ERR_INPUT: the calibration fails. */
enum err fedsc_noise_of(const struct fedsc_job *job, struct fedsc_noise *out) MUST_CHECK;

/* One sentence: mechanism, sensitivity, sigma, (eps, delta), and the limits of the claim; nothing
 * from data. */
void fedsc_noise_describe(const struct fedsc_job *job, const struct fedsc_noise *noise,
			  char text[static FEDSC_NOISE_TEXT]);

/* Records the same in r ("privacy", and numbers) and in the log, if the job has noise. */
void fedsc_noise_record(const struct fedsc_job *job, const struct fedsc_noise *noise,
			struct facts *r);

#endif
