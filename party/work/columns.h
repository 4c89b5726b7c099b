/* columns.h -- checks that all parties have the same columns, in one order. ACCEPT compares their
 * number; this compares names, types and units of columns.json.
 *
 * Each party seals 32 bytes to each other party: HMAC-SHA256 by HKDF-Expand(group key; "coterie
 * columns v1"; 32 bytes) of its names in their order (12 bytes), of "sorted" and the names in byte
 * order (10), of "held" and each column's type ("number", "category", "date") and unit (10). Each
 * text ends in a zero byte. Without names of columns all are zeros. The coordinator, which has no
 * group key, learns nothing of them. Another party learns whether they equal its own, or a complete
 * list that it guesses.
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
