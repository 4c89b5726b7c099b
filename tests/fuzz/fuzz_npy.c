/* A matrix that npy_parse() accepts is finite, and the output of npy_print() reads back as the same
 * matrix. */
#include "common/base/alloc.h"
#include "common/data/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mat m, again;
	struct buf file = { 0 };

	if (npy_parse((struct bytes){ data, size }, "f", &m) != ERR_OK)
		return 0;
	for (size_t i = 0; i < m.rows * m.cols; i++) {
		if (!isfinite(m.a[i]))
			abort();
	}
	npy_print(&m, &file);
	if (npy_parse((struct bytes){ file.p, file.n }, "f", &again) != ERR_OK)
		abort();
	if (again.rows != m.rows || again.cols != m.cols ||
	    memcmp(again.a, m.a, m.rows * m.cols * sizeof(*m.a)) != 0)
		abort();
	mat_release(&m);
	mat_release(&again);
	buf_release(&file);
	return 0;
}
