/* lines.h -- a text file that ranks read together: each reads the lines that begin in its part of
 * the bytes, and sends entries of other ranks' rows to them. */
#ifndef COMMON_RANKS_LINES_H
#define COMMON_RANKS_LINES_H

#include "common/base/err.h"
#include "common/base/file.h"
#include "common/data/text.h"
#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

#include <stdbool.h>

/* One line that has a word and is no comment; its errors name the byte where it begins. */
typedef enum err ranks_line(void *arg, struct text *line);

/* This rank's lines behind the file's first `first` bytes, in their order, 1 MiB at a time. A
 * comment begins with `comment`. ERR_INPUT: f is no regular file. No exchange: an error is this
 * rank's alone. */
enum err ranks_lines(const struct ranks *R, const struct file_part *f, size_t first, char comment,
		     ranks_line *each, void *arg) MUST_CHECK;

/* Items of `bytes` bytes that begin with a row, a uint32_t, go to the row's owner; items is freed.
 * Returns this rank's, *all of them, in the order of ranks and of each rank's items; owned by the
 * caller. */
void *ranks_to_owners(const struct ranks *R, void *items, size_t bytes, size_t count, size_t *all);

/* Entries of this rank's rows, used up, as rows (initialised here), with values if weighted. */
void ranks_lay_out(const struct ranks *R, struct triple *t, size_t count, size_t cols,
		   bool weighted, struct csr *rows);

#endif
