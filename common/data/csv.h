/* csv.h -- comma-separated values: matrices of numbers, and records of text (RFC 4180).
 *
 * A first line without any number is a heading. Lines end in LF or CRLF; every line
 * has as many fields as the first. There is no other leniency.
 */
#ifndef COMMON_DATA_CSV_H
#define COMMON_DATA_CSV_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/data/text.h"
#include "common/linalg/mat.h"

#include <stdbool.h>

/* Numbers only, at least one row and column. *m is initialised here; empty on ERR_INPUT. */
enum err csv_parse_numbers(struct bytes file, const char *where, struct mat *m) MUST_CHECK;

/* The next field of a record into *field (emptied first, then terminated); *last: the line ends
 * behind it, and t stands at the beginning of the next one. Quoted fields may hold commas and
 * doubled quotes, not line ends. */
enum err csv_field(struct text *t, struct buf *field, bool *last) MUST_CHECK;

void csv_print_field(const char *text, struct buf *out); /* quoted where needed */

#endif
