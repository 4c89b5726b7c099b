/* Memory estimate of FedGCN. The network, its gradients and a batch take most of the memory; the
 * graphs take little. */
#include "protocols/fedgcn/job.h"

double fedgcn_memory(const void *p, const struct kind_sizes *s)
{
	(void)p;
	if (s->coordinator)
		return KIND_MEMORY_LEAST + 64 * s->n;
	return KIND_MEMORY_LEAST + 26e6 + 60 * s->edges + 2000 * s->n;
}
