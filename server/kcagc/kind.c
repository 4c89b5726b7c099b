#include "server/kcagc/kind.h"
#include "common/base/alloc.h"
#include "common/kcagc/kind.h"
#include "server/kcagc/gcc.h"
#include "server/kcagc/kcagc.h"
#include "server/kcagc/landmark.h"
#include "server/kcagc/predict.h"

static enum err run_method(struct run *run, uint32_t **label)
{
	ALLOC(*label, run->n);
	if (run->job.kcagc.method == METHOD_LANDMARK)
		return server_landmark(run, *label);
	if (run->job.kcagc.method == METHOD_GCC)
		return server_gcc(run, *label);
	return server_kcagc(run, *label);
}

static enum err predict(struct run *run, uint32_t **label)
{
	ALLOC(*label, run->n);
	return server_predict(run, *label);
}

const struct server_kind server_kind_kcagc = {
	.kind = &kind_kcagc,
	.compare = server_compare_nodes,
	.run = run_method,
	.keep = server_keep_labels,
};

const struct server_kind server_kind_kcagc_predict = {
	.kind = &kind_kcagc_predict,
	.compare = server_compare_nodes,
	.run = predict,
	.keep = server_keep_labels,
};
