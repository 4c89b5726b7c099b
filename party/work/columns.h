/* columns.h -- checks that all parties have the same columns, in one order. ACCEPT compares their
 * number; this compares names, types and units of columns.json.
 *
 * Each party seals keyed hashes of its names, types and units to each other party. The coordinator,
 * which has no group key, learns nothing of them. Another party learns whether they equal its own,
 * or a complete list that it guesses.
 */
#ifndef PARTY_WORK_COLUMNS_H
#define PARTY_WORK_COLUMNS_H

#include "common/data/columns.h"
#include "party/work/work.h"

/* Compares columns. If they are NULL or have no names, the others do not compare with this party,
 * and log a warning. Needs the group key. ERR_PEER, naming the parties that differ, and how.
 * O(columns log columns). */
enum err party_compare_columns(struct work *work, const struct columns *columns) MUST_CHECK;

#endif
