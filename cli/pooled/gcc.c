#include "cli/args/args.h"
#include "cli/pooled/pooled.h"
#include "common/kcagc/gcc.h"

static enum err cluster(struct dataset *d, const struct job *job, unsigned threads, uint32_t *label,
			struct json *result)
{
	struct memory memory = { .kind = &slices_in_memory, .count = 1 };
	struct gcc_report report;
	struct gcc_params p;
	struct slice slice;
	struct parties parties;
	enum err err;

	gcc_defaults(&p, job->clusters, job->seed, threads);
	err = slice_init(&slice, &d->X, &d->g, threads);
	if (!err) {
		memory.party = &slice;
		parties_in_memory(&parties, &memory);
		err = gcc_run(&parties, features_rows(&slice.X), &p, label, &report);
	}
	slice_release(&slice);
	if (err)
		return err;
	json_put_number(result, "order", report.basis.order);
	json_put_bool(result, "idf", report.basis.idf);
	json_put_number(result, "iterations", report.iterations);
	json_put_number(result, "loss", report.loss);
	return ERR_OK;
}

int gcc_main(int argc, char **argv)
{
	return pooled_main(
	    "gcc",
	    "Clusters pooled data by embedding and clustering in turn (GCC, Fettal, Labiod, Nadif "
	    "2022): the labels that method \"gcc\" finds for any number of parties. Of the job, "
	    "clusters and seed count; the order of the filter is told from the data.\v"
	    "With labels.txt in the data directory the result says how well they were found.",
	    cluster, argc, argv);
}
