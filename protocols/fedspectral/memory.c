#include "protocols/fedspectral/job.h"

#include <math.h>

/* BASIS, OWN_BASIS: blocks of the coordinator's and of a party's Krylov basis. ID_BYTES: bytes of
 * an id and its place. */
enum { BASIS = 25, OWN_BASIS = 20, ID_BYTES = 60 };

double fedspectral_memory(const void *p, const struct kind_sizes *s)
{
	const struct fedspectral_job *job = p;
	double k = job->clusters == JOB_AUTO ? 21 : job->clusters, block = fmax(20, k + 10);
	double own = 24 * s->edges + ID_BYTES * s->n, party = 0, coordinator = 0;

	switch (job->variant) {
	case FEDSPECTRAL_EXACT: /* the coordinator keeps all blocks */
		party = 2 * 8 * s->n * block;
		coordinator = BASIS * 8 * s->n * block;
		break;
	case FEDSPECTRAL_PLUS:
		party = 4 * 8 * s->n * k;
		coordinator = 6 * 8 * s->n * k;
		break;
	case FEDSPECTRAL_PLAIN: /* each party runs a spectral clustering of its own */
		party = OWN_BASIS * 8 * s->n * block;
		coordinator = 8 * 8 * s->n * k;
		break;
	}
	return KIND_MEMORY_LEAST + (s->coordinator ? coordinator + ID_BYTES * s->n : own + party);
}
