#include "common/kcagc/kind.h"

const struct kind kind_kcagc = {
	.name = "kcagc",
	.split = SPLIT_COLUMNS,
	.needs = NEEDS_FEATURES | NEEDS_EDGES,
	.thing = "row",
	.things = "rows",
};

const struct kind kind_kcagc_predict = {
	.name = "kcagc.predict",
	.split = SPLIT_COLUMNS,
	.needs = NEEDS_FEATURES | NEEDS_EDGES,
	.thing = "row",
	.things = "rows",
};
