#include "server/fedsc/kind.h"
#include "common/fedsc/kind.h"
#include "server/fedsc/fedsc.h"

const struct server_kind server_kind_fedsc = {
	.kind = &kind_fedsc,
	.compare = server_compare_columns,
	.run = server_fedsc,
	.keep = server_keep_labels,
};

const struct server_kind server_kind_kmeans = {
	.kind = &kind_kmeans,
	.compare = server_compare_columns,
	.run = server_fedsc,
	.keep = server_keep_labels,
};
