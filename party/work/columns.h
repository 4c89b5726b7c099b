/* columns.h -- checks that all parties have the same columns, in one order. ACCEPT contains only
 * their number. These functions compare names, types and units of columns.json.
 *
 * Each party seals 32 bytes to each other party. They are three shortened values of HMAC-SHA256
 * with the key HKDF-Expand(group key; "coterie columns v1"; 32 bytes): of the names in their order
 * (12 bytes); of "sorted" and the names in byte order (10); of "held" and each column's type
 * ("number", "category", "date") and unit (10). Each text ends in a zero byte. If a party has no
 * names of columns, it sends zeros. The coordinator has no group key, so it learns nothing about
 * the names. Another party learns only whether they equal its own names, or a complete list that it
 * guesses.
 */
#ifndef PARTY_WORK_COLUMNS_H
#define PARTY_WORK_COLUMNS_H

#include "common/data/columns.h"
#include "party/work/work.h"

/* Compares this party's columns with those of the others. If columns is NULL or has no names, they
 * are not compared; all parties log a warning, unless no party has names. Needs the group key.
 * ERR_PEER: columns differ; the text names the parties and the difference. O(columns log
 * columns). */
enum err party_compare_columns(struct work *work, const struct columns *columns) MUST_CHECK;

#endif
