#include "common/graph/modularity.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <stdlib.h>

double modularity(const struct csr *adjacency, const uint32_t *label, size_t k)
{
	double *degree, all = 0, within = 0, expected = 0;

	ALLOC(degree, k);
	for (size_t i = 0; i < adjacency->rows; i++) {
		assert(label[i] < k);
		for (size_t e = adjacency->start[i]; e < adjacency->start[i + 1]; e++) {
			double w = adjacency->value ? adjacency->value[e] : 1;

			degree[label[i]] += w;
			if (label[adjacency->index[e]] == label[i])
				within += w;
		}
	}
	for (size_t c = 0; c < k; c++)
		all += degree[c];
	for (size_t c = 0; all > 0 && c < k; c++)
		expected += degree[c] / all * (degree[c] / all);
	free(degree);
	return all > 0 ? within / all - expected : 0;
}
