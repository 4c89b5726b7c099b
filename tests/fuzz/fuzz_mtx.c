/* A file that mtx_parse() accepts gives features within their bounds. If the features are sparse,
 * the output of mtx_print() reads back as the same features. */
#include "common/data/mtx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct csr *s)
{
	size_t count = s->start[s->rows];
	struct buf file = { 0 };
	struct features Y;
	struct mtx m;

	for (size_t e = 0; e < count; e++) {
		if (s->index[e] >= s->cols || !isfinite(s->value[e]))
			abort();
	}
	mtx_print(s, &file);
	/* The number of empty rows is limited by the size of the file. Printed without its
	 * comments, the file is shorter and could be refused; padding prevents that. */
	buf_printf(&file, "%%%*s\n", 4096, "");
	if (mtx_parse((struct bytes){ file.p, file.n }, "f", &m) != ERR_OK)
		abort();
	mtx_features(&m, &Y);
	if (Y.sparse.rows != s->rows || Y.sparse.cols != s->cols ||
	    memcmp(Y.sparse.start, s->start, (s->rows + 1) * sizeof(*s->start)) != 0 ||
	    memcmp(Y.sparse.index, s->index, count * sizeof(*s->index)) != 0 ||
	    memcmp(Y.sparse.value, s->value, count * sizeof(*s->value)) != 0)
		abort();
	features_release(&Y);
	buf_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct features X;
	struct mtx m;

	if (mtx_parse((struct bytes){ data, size }, "f", &m) != ERR_OK)
		return 0;
	mtx_features(&m, &X);
	if (X.is_sparse)
		check(&X.sparse);
	features_release(&X);
	return 0;
}
