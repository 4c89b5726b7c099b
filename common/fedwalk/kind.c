#include "common/fedwalk/kind.h"

const struct kind kind_fedwalk = {
	.name = "fedwalk",
	.split = SPLIT_VERTICES,
	.needs = NEEDS_EDGES | NEEDS_VERTICES,
	.thing = "vertex",
	.things = "vertices",
	.embeds = true,
};
