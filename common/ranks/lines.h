/* lines.h -- reads a text file by all ranks together. Each rank reads the lines that begin in its
 * part of the bytes. It sends entries for rows of other ranks to the owners of these rows. */
#ifndef COMMON_RANKS_LINES_H
#define COMMON_RANKS_LINES_H

#include "common/base/err.h"
#include "common/base/file.h"
#include "common/data/text.h"
#include "common/linalg/csr.h"
#include "common/linalg/ranks.h"

#include <stdbool.h>

/* Reads one line that has a word and is not a comment. Its errors name the byte at which the line
 * begins. */
typedef enum err ranks_line(void *arg, struct text *line);

/* Calls each() for this rank's lines behind the file's first `first` bytes, in their order. Reads 1
 * MiB at a time. A comment begins with `comment`. ERR_INPUT: f is not a regular file, cannot be
 * read or became shorter. Also returns the first error of each(). Does not exchange anything, so an
 * error is known to this rank only. */
enum err ranks_lines(const struct ranks *R, const struct file_part *f, size_t first, char comment,
		     ranks_line *each, void *arg) MUST_CHECK;

/* Sends items of `bytes` bytes, which begin with a row (uint32_t), to the owners of the rows, and
 * frees items. Returns the items for this rank's rows, and their number in *all. They are in the
 * order of the sending ranks and of each rank's items. The caller owns them. */
void *ranks_to_owners(const struct ranks *R, void *items, size_t bytes, size_t count, size_t *all);

/* Builds rows (initialised here), with values if weighted, from the entries t of this rank's rows;
 * frees t. */
void ranks_lay_out(const struct ranks *R, struct triple *t, size_t count, size_t cols,
		   bool weighted, struct csr *rows);

#endif
