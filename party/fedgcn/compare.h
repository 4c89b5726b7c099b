/* compare.h -- what fedgcn's result is to be compared with, found by this party alone. */
#ifndef PARTY_FEDGCN_COMPARE_H
#define PARTY_FEDGCN_COMPARE_H

#include "party/work/work.h"

/* label: the result, of work->graphs. Leaves work->output/baseline-NAME.csv for each that the job
 * asks for, in the order of the graphs, and in the record how like each the result is (adjusted
 * Rand index): "like_size" and so on. A baseline that cannot be had is left out, with a warning.
 * Nothing is sent. */
enum err party_compare(struct work *work, const uint32_t *label) MUST_CHECK;

#endif
