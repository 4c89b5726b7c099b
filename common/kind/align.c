#include "common/kind/align.h"

size_t align_scale(unsigned bound, uint32_t step[static ALIGN_STEPS_MAX])
{
	size_t steps = 0;

	if (bound) {
		step[0] = bound;
		return 1;
	}
	for (uint32_t s = 64; s < ALIGN_IDS_MAX; s += s * 3 / 20)
		step[steps++] = s;
	step[steps++] = ALIGN_IDS_MAX;
	return steps;
}
