#include "common/fedsc/kind.h"

const struct kind kind_fedsc = {
	.name = "fedsc",
	.split = SPLIT_ROWS,
	.needs = NEEDS_FEATURES,
	.thing = "row",
	.things = "rows",
};

const struct kind kind_kmeans = {
	.name = "kmeans",
	.split = SPLIT_ROWS,
	.needs = NEEDS_FEATURES,
	.thing = "row",
	.things = "rows",
};
