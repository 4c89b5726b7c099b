/* import.h -- a file of some ending as coterie import reads it, and what has to be true of what it read. */
#ifndef TESTS_FUZZ_IMPORT_H
#define TESTS_FUZZ_IMPORT_H

#include "cli/import/import.h"
#include "common/base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void check_numbers(const double *x, size_t n)
{
	for (size_t i = 0; x && i < n; i++)
		if (!isfinite(x[i]))
			abort();
}

static inline void check_imported(const struct imported *in)
{
	const struct csr *s = &in->X.sparse;

	if (features_cols(&in->X) && features_rows(&in->X) != in->n)
		abort();
	if ((in->names.n && in->names.n != features_cols(&in->X)) || (in->ids.n && in->ids.n != in->n))
		abort();
	check_numbers(in->X.dense.a, in->X.dense.rows * in->X.dense.cols);
	for (size_t e = 0; in->X.is_sparse && e < s->start[s->rows]; e++)
		if (s->index[e] >= s->cols || (s->value && !isfinite(s->value[e])))
			abort();
	if (in->has_edges && in->edges.rows != in->n)
		abort();
}

/* The first byte chooses what is said: part and label are what seeds have. The rest becomes the file. */
static inline void fuzz_request(const char *ending, const uint8_t *data, size_t size, char path[64],
				struct import_request *r)
{
	FILE *f;

	log_set_level(LOG_ERROR);
	snprintf(path, 64, "/dev/shm/fuzz-%d.%s", (int)getpid(), ending);
	f = fopen(path, "w");
	if (!f || fwrite(data + 1, 1, size - 1, f) != size - 1 || fclose(f) != 0)
		abort();
	reading_init(&r->how);
	r->file = path;
	r->part = data[0] & 1 ? "X" : NULL;
	if (data[0] & 2)
		r->how.label = strdup("y");
	if (data[0] & 4)
		r->how.id = strdup("#1");
}

static inline int fuzz_import(const char *ending, const uint8_t *data, size_t size)
{
	struct imported in = { 0 };
	struct import_request r = { .file = NULL };
	char path[64];

	if (!size)
		return 0;
	fuzz_request(ending, data, size, path, &r);
	if (import_read(&in, &r) == ERR_OK)
		check_imported(&in);
	import_release(&in);
	reading_release(&r.how);
	unlink(path);
	return 0;
}

#define FUZZ_IMPORT(ending) \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_import(ending, data, size); }

#endif
