#include "protocols/fedsc/job.h"
#include "protocols/fedsc/own.h"
#include "protocols/fedsc/pairwise.h"
#include "common/linalg/rowsum.h"

#include <math.h>

enum { ANCHORS = 600, WORDS = 4 };

static double dims_of(const struct fedsc_job *job, double n)
{
	double most = job->how.variant == FEDSC_BY_ANCHORS ? ANCHORS : FEDSC_DIMS_MOST;

	if (job->how.dims != JOB_AUTO && job->how.dims)
		return job->how.dims;
	/* For anchor, assumes three rows per landmark, the fewest that params.c uses. */
	return n > 0 ? fmin(n / (job->how.variant == FEDSC_BY_ANCHORS ? 3 : 5), most) : most;
}

/* Pairwise: returns the bytes of the larger exchange, with ciphertexts of 512 bytes. n: number of
 * rows of all parties. */
static double ciphertexts_of(double n, double parties, double d)
{
	double groups = n / FEDSC_PAIRWISE_EACH + parties;

	return 512 * groups * fmax(n, parties * d);
}

/* Returns the bytes of partial sums of B'B that wait to be joined. */
static double waiting_of(double n, double d)
{
	return 8 * d * d / 2 * ceil(log2(fmax(1, n / ROWSUM_ROWS)));
}

double fedsc_memory(const void *p, const struct kind_sizes *s)
{
	const struct fedsc_job *job = p;
	bool kmeans = job->how.variant == FEDSC_BY_KMEANS,
	     paper = job->how.variant == FEDSC_BY_PAPER,
	     pairwise = job->how.variant == FEDSC_BY_PAIRWISE;
	double d = kmeans ? 0 : dims_of(job, s->coordinator ? 0 : s->n * s->parties), x = 0;
	double boxes = ciphertexts_of(s->coordinator ? s->n : s->n * s->parties, s->parties, d);

	/* The coordinator has d x d matrices: the sum, its eigenvectors, and LAPACK's work space.
	 * With paper it also has the coefficients of all rows; with pairwise, similarities and all
	 * ciphertexts of an exchange. */
	if (s->coordinator)
		return KIND_MEMORY_LEAST + 6 * 8 * d * d + (paper ? 3 * 8 * s->n * d : 0) +
		       (pairwise ? 3 * 8 * s->n * s->n + 3 * boxes : 0);
	/* a row's distances to landmarks: the nearest ones or, with dense and paper, those that the
	 * search keeps */
	if (!kmeans)
		x = job->how.variant == FEDSC_BY_ANCHORS ? 100 * s->n + waiting_of(s->n, d)
							 : 300 * s->n;
	if (paper)
		x = 2 * 8 * s->n * d;
	if (pairwise)
		x = 4 * 8 * s->n * d + 8 * s->n * s->n * s->parties + 4 * boxes / s->parties;
	return KIND_MEMORY_LEAST + 1.6 * 8 * s->n * s->columns + x + WORDS * 8 * d * d;
}
