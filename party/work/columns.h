/* columns.h -- checks that all parties have the same columns, in one order. ACCEPT compares their
 * number; this compares names, types and units of columns.json.
 *
 * Each party shows each other, sealed, keyed hashes of its names, types and units. The coordinator,
 * which has no group key, learns nothing of them. Another party learns whether they equal its own,
 * or a list that it guesses as a whole.
 */
#ifndef PARTY_WORK_COLUMNS_H
#define PARTY_WORK_COLUMNS_H

#include "common/data/columns.h"
#include "party/work/work.h"

/* columns may be NULL or none: nobody is compared with such a party, and all others warn of it in
 * their logs. Needs the group key. ERR_PEER, naming the parties that differ, and how. O(columns log
 * columns). */
enum err party_compare_columns(struct work *work, const struct columns *columns) MUST_CHECK;

#endif
