/* params.h -- the table of all parameters, and what methods and presets put in place of defaults.
 */
#ifndef COMMON_JOB_PARAMS_H
#define COMMON_JOB_PARAMS_H

#include "common/base/config.h"
#include "common/job/job.h"

enum { JOB_CLUSTERS_MAX = 1 << 16, JOB_ORDER_MAX = 10000, JOB_DIMS_MAX = 4096 };
enum { JOB_BINS_MAX = 32, JOB_LENGTH_MAX = 1000 };

/* A row's readers are the kinds that have the parameter, as bits 1 << kind, and of the methods of
 * kcagc those two that do without most of it: none of a row's readers is any other. */
enum { JOB_READER_LANDMARK = 1 << 8, JOB_READER_GCC = 1 << 9 };
extern const struct config_row job_rows[];
extern const size_t job_row_count;

/* Each ends with path NULL. */
extern const struct config_preset job_preset_paper[], job_preset_basic[], job_preset_min_cell[],
    job_preset_landmark[], job_preset_gcc[], job_preset_kmeans[], job_preset_fedspectral[],
    job_preset_response[];

#endif
