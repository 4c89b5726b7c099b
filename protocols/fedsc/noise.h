/* noise.h -- what a job's noise is, in numbers, and what may be said of it. All follows from the job
 * alone, so that all processes have the same. Differential privacy is that of replacing one row: how
 * many rows a party has is not hidden. */
#ifndef PROTOCOLS_FEDSC_NOISE_H
#define PROTOCOLS_FEDSC_NOISE_H

#include "protocols/fedsc/job.h"
#include "common/kind/facts.h"

enum { FEDSC_NOISE_TEXT = 768 };

struct fedsc_noise {
	/* Differential privacy claimed for the job as a whole; eps 0: none. */
	double eps, delta;
	double mu; /* of its noise, exactly (common/privacy/account.h) */
	/* -- data ---------------------------------------------------------------------------- */
	const char *mechanism;     /* static; NULL: sigma is by beta, or there is no noise */
	double clip;               /* with eps: raw rows are shortened to it; 0: not */
	double sensitivity, sigma; /* with eps: 2 clip, and the deviation of what raw rows get */
	double beta; /* without: of what scaled rows get (fedsc_question.beta, fedsc_params.beta) */
	/* -- sums ---------------------------------------------------------------------------- */
	double multiplier; /* deviation of the noise in a sum that a row can move by 1, of each round */
	double gram;       /* the same of variant anchor's B'B; else 0 */
	/* -- factors: fields of the same name in fedsc_question and fedsc_params ------------- */
	double noise_z, noise_c; /* without eps: in deviations of Z_p and of C_p */
	double scaled_clip;      /* with eps: scaled rows are shortened to it; 0: not */
	double ball;             /* with noise.ball: rows of Z_p are shortened to it; 0: not */
	double sensitivity_z, sigma_z; /* with eps */
	double sensitivity_c, sigma_c; /* with eps and an upload of C; else 0 */
};

/* Of a job that was read (fedsc_check() passed). Errors of the calibration: ERR_INPUT. */
enum err fedsc_noise_of(const struct fedsc_job *job, struct fedsc_noise *out) MUST_CHECK;

/* One sentence: mechanism, sensitivity, sigma, (eps, delta), and what is not claimed; nothing from data. */
void fedsc_noise_say(const struct fedsc_job *job, const struct fedsc_noise *noise,
		   char text[static FEDSC_NOISE_TEXT]);

/* The same in the record ("privacy", and numbers beside it) and the log, if the job has noise. */
void fedsc_noise_record(const struct fedsc_job *job, const struct fedsc_noise *noise,
		      struct facts *r);

#endif
