/* results.h -- what a command that clusters leaves in its --out. */
#ifndef CLI_ARGS_RESULTS_H
#define CLI_ARGS_RESULTS_H

#include "common/base/err.h"
#include "common/base/json.h"

#include <stddef.h>
#include <stdint.h>

/* labels.csv, labels.npy and result.json in `out`, which is made. id: n texts, or NULL: row numbers
 * from 0. ERR_JOB: cannot be written. */
enum err results_write(const char *out, char *const *id, const uint32_t *label, size_t n,
		       const struct json *result) MUST_CHECK;

#endif
