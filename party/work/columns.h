/* columns.h -- are the columns of rows the same at all parties, and in one order? Their number is compared before (ACCEPT);
 * here what columns.json calls them, and what they hold.
 *
 * Each party shows each other, sealed, keyed hashes of its names, types and units: the coordinator, which has no group
 * key, learns nothing of them, and another party whether they are its own, or, if it tries, whether they are a list
 * that it guesses as a whole.
 */
#ifndef PARTY_WORK_COLUMNS_H
#define PARTY_WORK_COLUMNS_H

#include "common/data/columns.h"
#include "party/work/work.h"

/* columns may be NULL or none: such a party is compared with nobody, and all others warn of it in their logs. Needs the
 * group key. ERR_PEER, naming the parties that differ, and how. O(columns log columns). */
enum err party_compare_columns(struct work *work, const struct columns *columns) MUST_CHECK;

#endif
