#include "party/fedsc/noise.h"
#include "common/fedsc/noise.h"
#include "party/work/noise.h"

enum err party_noise_rows(struct work *work, struct mat *X)
{
	const struct noise_source *source;
	struct fedsc_noise noise;
	size_t clipped;

	TRY(fedsc_noise_of(&work->job.fedsc, &noise));
	fedsc_noise_record(&work->job.fedsc, &noise, &work->record->facts);
	if (!(noise.sigma > 0))
		return ERR_OK;
	/* Of the data alone: whatever is said in this attempt or another, rows get this noise. */
	TRY(work_noise(work, "rows", (struct bytes){ 0 }, &source));
	TRY(noise_perturb_rows(source, noise.clip, noise.sigma, X, &clipped));
	facts_number(&work->record->facts, "clipped_rows", (double)clipped);
	return ERR_OK;
}
