#include "common/job/removed.h"

#include <stddef.h>

const struct config_removed removed_keys[] = {
	{ "job.on_loss", "sum", "0.1.0", "use \"attempt\"" },
	{ NULL, NULL, NULL, NULL },
};
