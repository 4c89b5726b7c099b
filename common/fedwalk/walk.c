#include "common/fedwalk/walk.h"

#include <assert.h>
#include <math.h>

static uint32_t a_neighbour(const uint32_t *neighbour, const double *weight, size_t degree,
			    struct draw *d)
{
	size_t low = 0, high = degree - 1;
	double x;

	if (!weight)
		return neighbour[draw_below(d, (uint32_t)degree)];
	for (x = draw_unit(d) * weight[high]; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (weight[mid] > x)
			high = mid;
		else
			low = mid + 1;
	}
	return neighbour[low];
}

void fedwalk_take_turn(const uint32_t *neighbour, const double *weight, size_t degree,
		       const struct fedwalk_pools *pools, double p, unsigned left, struct draw *d,
		       struct fedwalk_turn *turn)
{
	uint32_t u;

	assert(degree > 0 && left > 0);
	u = a_neighbour(neighbour, weight, degree, d);
	*turn = (struct fedwalk_turn){ 1, { u, 0 }, left - 1, u };
	if (left > 2 && p > 0 && draw_unit(d) < p) {
		size_t size = fedwalk_pool_size(pools, u);

		if (!size)
			return;
		u = pools->member[pools->start[u] + draw_below(d, (uint32_t)size)];
		turn->token[turn->tokens++] = u;
		turn->left = left - 2;
		turn->next = u;
	}
}

double fedwalk_messages(unsigned l, double p)
{
	return (l - 1) / (1 + p) + p * (1 - pow(-p, l - 1)) / ((1 + p) * (1 + p));
}

double fedwalk_messages_paper(unsigned l, double p)
{
	if (l < 2)
		return 0;
	return (l - 2) / (1 + p) + (2 - 2 * p - 1 / (1 + p)) * (1 - pow(-p, l - 2)) / (1 + p);
}
