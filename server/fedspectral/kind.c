#include "server/fedspectral/kind.h"
#include "common/fedspectral/kind.h"
#include "server/fedspectral/fedspectral.h"

const struct server_kind server_kind_fedspectral = {
	.kind = &kind_fedspectral,
	.compare = server_compare_nothing,
	.run = server_fedspectral,
	.keep = server_keep_labels,
};
