#include "common/fedsc/job.h"
#include "common/fedsc/noise.h"

static enum fedsc_variant variant_of(const struct job *job)
{
	if (job->kind == JOB_KMEANS)
		return FEDSC_BY_KMEANS;
	switch (job->fedsc_variant) {
	case JOB_FEDSC_DENSE:
		return FEDSC_BY_DENSE;
	case JOB_FEDSC_PAPER:
		return FEDSC_BY_PAPER;
	default:
		return FEDSC_BY_ANCHORS;
	}
}

/* What kmeans has no parameters for keeps its defaults. */
static void take_fedsc(const struct job *job, struct fedsc_params *p)
{
	p->dims = job->landmarks == JOB_AUTO ? 0 : job->landmarks;
	p->near = job->near;
	p->width = job->width;
	p->width_factor = job->width_factor;
	p->lambda = job->lambda;
	p->share = job->dims_share;
	p->dims_most = job->dims_most;
	p->rounds = job->rounds;
	p->inner = job->inner;
	p->participants = job->participants;
	p->neighbours = job->neighbours == JOB_AUTO ? 0 : job->neighbours;
}

enum err job_fedsc_params(const struct job *job, size_t parties, uint64_t draw, unsigned threads,
			  struct fedsc_params *p)
{
	struct job_noise_numbers noise;

	if (job->kind == JOB_FEDSC && job->participants > parties)
		return err_set(ERR_INPUT, "job.participants is %u, of %zu parties",
			       job->participants, parties);
	TRY(job_noise(job, &noise));
	fedsc_defaults(p, variant_of(job), job->clusters, job->seed, threads);
	if (job->kind == JOB_FEDSC)
		take_fedsc(job, p);
	p->least = job->min_cluster;
	p->restarts = job->restarts;
	p->lloyd = job->iterations;
	p->tolerance = job->tolerance;
	p->draw = draw;
	p->beta = noise.beta;
	p->noise_z = noise.noise_z;
	p->noise_c = noise.noise_c;
	p->clip = noise.scaled_clip;
	p->ball = noise.ball;
	p->sigma_z = noise.sigma_z;
	p->sigma_c = noise.sigma_c;
	return ERR_OK;
}

bool job_fedsc_width_is_summed(const struct job *job)
{
	return job->kind == JOB_FEDSC && job->fedsc_variant != JOB_FEDSC_ANCHOR && job->width == 0;
}
