#include "common/fedgcn/kind.h"

const struct kind kind_fedgcn = {
	.name = "fedgcn",
	.split = SPLIT_GRAPHS,
	.needs = NEEDS_GRAPHS,
	.thing = "graph",
	.things = "graphs",
};
