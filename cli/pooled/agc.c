#include "cli/args/args.h"
#include "cli/pooled/pooled.h"
#include "common/kcagc/order.h"

/* As the paper's comparison has it; the job's own restarts are those of the joint k-means. */
enum { AGC_RESTARTS = 10, AGC_ITERATIONS = 100 };

static enum err cluster(struct dataset *d, const struct job *job, unsigned threads, uint32_t *label,
			struct json *result)
{
	struct agc_params p = { .k = job->clusters,
				.filter = job->kcagc.filter_kind,
				.psi = job->kcagc.filter_order,
				.restarts = AGC_RESTARTS,
				.iterations = AGC_ITERATIONS,
				.seed = job->seed,
				.threads = threads };

	if (job->kcagc.filter_order == KCAGC_ORDER_AUTO)
		TRY(agc_order(&d->X, &d->g, &p, &p.psi));
	json_put_number(result, "order", p.psi);
	return agc(&d->X, &d->g, &p, label);
}

int agc_main(int argc, char **argv)
{
	return pooled_main(
	    "agc",
	    "Clusters pooled data: k-means on the leading singular vectors of the filtered "
	    "features (AGC, "
	    "Zhang et al. 2019), the baseline that a federated run is compared with.\v"
	    "The job's filter.order may be \"auto\": AGC's own rule. With labels.txt in the data "
	    "directory the result says how well they were found.",
	    cluster, argc, argv);
}
