#include "party/fedspectral/kind.h"
#include "common/fedspectral/kind.h"
#include "party/fedspectral/fedspectral.h"

const struct party_kind party_kind_fedspectral = {
	.kind = &kind_fedspectral,
	.sums = party_sums_flat,
	.allow = party_allow_all,
	.allow_eps = party_allow_no_eps,
	.accept = "",
	.check_data = party_check_nothing,
	.describe = party_describe_nothing,
	.begin = party_begin_nothing,
	.run = party_fedspectral,
	.keep = party_keep_labels,
	.files = party_label_files,
	.forget = party_forget_nothing,
	.release = party_forget_nothing,
};
