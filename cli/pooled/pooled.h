/* pooled.h -- a command that clusters pooled data by a method: agc, gcc. */
#ifndef CLI_POOLED_POOLED_H
#define CLI_POOLED_POOLED_H

#include "common/data/dataset.h"
#include "common/job/job.h"

#include <argp.h>

/* The method: label (d->n, given) from the data, which it may use up. It may put what it found
 * out into the result, beside rows, features, clusters, seed, seconds and the score. */
typedef enum err pooled_method(struct dataset *d, const struct job *job, unsigned threads,
			       uint32_t *label, struct json *result);

/* The whole of `coterie NAME --data DIR --job FILE [--out DIR] ...`; returns the exit status. doc:
 * what --help says, as in struct argp. */
int pooled_main(const char *name, const char *doc, pooled_method *method, int argc, char **argv);

#endif
