#include "cli/run/rows.h"
#include "cli/args/args.h"
#include "cli/run/score.h"
#include "common/data/labels.h"

#include <stdlib.h>

static enum err score(const char *path, const uint32_t *own, size_t n, struct json *result)
{
	struct labels truth;
	enum err err;

	TRY(labels_read(path, &truth));
	err = truth.n == n
		  ? score_rows(truth.label, own, n, result)
		  : err_set(ERR_INPUT,
			    "%s: %zu labels, expected %zu as there are that many rows of features",
			    path, truth.n, n);
	labels_release(&truth);
	return err;
}

enum err rows_finish(const struct dataset *d, const char *truth, const uint32_t *label,
		     const double *confidence, const char *out, struct json *result)
{
	uint32_t *own = dataset_own_order(d, label);
	double *sure = dataset_own_values(d, confidence);
	char **id = dataset_own_ids(d);
	enum err err = truth ? score(truth, own, d->n, result) : ERR_OK;

	if (!err && out)
		err = results_write(out, id, own, sure, d->n, result);
	if (!err)
		args_print(result);
	free(id);
	free(sure);
	free(own);
	return err;
}
