/* removed.h -- keys and values that earlier releases accepted in jobs and configurations. */
#ifndef COMMON_JOB_REMOVED_H
#define COMMON_JOB_REMOVED_H

#include "common/base/config.h"

extern const struct config_removed removed_keys[];

#endif
