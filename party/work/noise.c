#include "party/work/noise.h"
#include "common/fedsc/noise.h"
#include "crypto/random.h"

static enum err from_csprng(void *ctx, void *p, size_t n)
{
	(void)ctx;
	return random_secret(p, n);
}

const struct noise_source *party_noise_source(void)
{
	static const struct noise_source source = { NULL, from_csprng };

	return &source;
}

enum err party_noise_rows(struct work *work, struct mat *X)
{
	struct job_noise_numbers noise;
	size_t clipped;

	TRY(job_noise(&work->job, &noise));
	job_noise_record(&work->job, &noise, work->record);
	if (!(noise.sigma > 0))
		return ERR_OK;
	TRY(noise_perturb_rows(party_noise_source(), noise.clip, noise.sigma, X, &clipped));
	record_fact(work->record, "clipped_rows", (double)clipped);
	return ERR_OK;
}
