#include "protocols/fedsc/own.h"

enum { ANCHORS_MOST = 600 };
/* Number of rows that a landmark stands for: five, but three if clusters have few rows. Otherwise
 * such a cluster would have two landmarks, too few to find neighbours (docs/results/fedsc.md). */
enum { FEW = 30, ROWS_EACH = 5, ROWS_OF_FEW = 3 };

size_t fedsc_landmarks_most(const struct fedsc_params *p, double n)
{
	size_t most = p->variant == FEDSC_BY_ANCHORS ? ANCHORS_MOST : p->dims_most;
	bool few = p->variant == FEDSC_BY_ANCHORS && n < FEW * (double)p->k;
	size_t part = (size_t)(n / (few ? ROWS_OF_FEW : ROWS_EACH));

	if (p->dims)
		return p->dims;
	most = part < most ? part : most;
	return most > p->k ? most : p->k;
}

struct fedkmeans_landmarks fedsc_search(const struct fedsc_params *p, size_t d)
{
	return (struct fedkmeans_landmarks){
		.most = d, .least = p->least, .rounds = 4, .last = 10, .seed = p->seed
	};
}

struct fedkmeans_params fedsc_kmeans(const struct fedsc_params *p)
{
	struct fedkmeans_params how;

	fedkmeans_defaults(&how, p->k, p->least, p->seed, p->threads);
	how.k_from = p->k_from;
	how.restarts = p->restarts;
	how.lloyd = p->lloyd;
	if (p->variant == FEDSC_BY_KMEANS) {
		how.landmarks.most = p->dims;
		how.tolerance = p->tolerance;
	}
	return how;
}
