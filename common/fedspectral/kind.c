#include "common/fedspectral/kind.h"

const struct kind kind_fedspectral = {
	.name = "fedspectral",
	.split = SPLIT_EDGES,
	.needs = NEEDS_EDGES,
	.thing = "node",
	.things = "nodes",
};
