#include "party/fedwalk/kind.h"
#include "common/base/alloc.h"
#include "common/data/dataset.h"
#include "common/data/embeddings.h"
#include "common/fedwalk/kind.h"
#include "party/fedwalk/fedwalk.h"

#include <stdlib.h>
#include <string.h>

/* The job promises privacy of single ties; the policy asks for that of a whole vertex. */
static enum err allow_eps(const struct party_config *config, const struct work *work)
{
	return err_set(ERR_PEER,
		       "the offered job of kind fedwalk promises at most job.eps, %g, for single "
		       "ties; policy.max_eps of %s is %g, for all that one vertex or row has",
		       work->job.fedwalk.eps, config->common.name, config->policy.max_eps);
}

static enum err embed_own(struct work *work, uint32_t *label)
{
	(void)label;
	return party_fedwalk(work);
}

/* Of own vertices, by id. */
static enum err keep_embeddings(struct work *work, const uint32_t *label)
{
	const struct dataset *d = work->dataset;
	const float *x = work->embedding;
	char **id;
	float *own;
	size_t n = 0;
	enum err e;

	(void)label;
	ALLOC(id, d->n);
	ALLOC(own, d->n * FEDWALK_DIMS);
	for (size_t i = 0; i < d->n; i++) {
		if (!d->hosted[i])
			continue;
		memcpy(own + n * FEDWALK_DIMS, x + i * FEDWALK_DIMS, FEDWALK_DIMS * sizeof(*own));
		id[n++] = d->ids.id[i];
	}
	e = embeddings_write(work->output, id, own, n, FEDWALK_DIMS);
	free(own);
	free(id);
	return e;
}

const struct party_kind party_kind_fedwalk = {
	.kind = &kind_fedwalk,
	.sums = party_sums_flat,
	.allow = party_allow_all,
	.allow_eps = allow_eps,
	.accept = "",
	.check_data = party_check_nothing,
	.describe = party_describe_nothing,
	.begin = party_begin_nothing,
	.run = embed_own,
	.keep = keep_embeddings,
	.forget = party_forget_nothing,
	.release = party_forget_nothing,
};
