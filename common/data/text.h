/* text.h -- a cursor over the lines of a text file from an untrusted source.
 *
 * Words are separated by spaces, tabs or carriage returns. Every error names the file and the line,
 * or the byte at which the line begins. Numbers are read exactly as strtod would read them
 * (correctly rounded), but NaN, infinity, hexadecimal and numbers out of range are refused.
 */
#ifndef COMMON_DATA_TEXT_H
#define COMMON_DATA_TEXT_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	const char *p, *end; /* p is within the current line */
	/* number of the line, from 1; 0: a single line, which begins at `byte` of the file */
	size_t line;
	size_t byte;
	const char *where; /* the file's name */
};

struct word {
	const char *p;
	size_t n;
};

struct text text_open(struct bytes bytes, const char *where); /* borrows both */

/* Opens one line of a file, without its end, that begins at `byte`. Errors name the byte. */
struct text text_of_line(struct word line, size_t byte, const char *where);

/* Moves to the first word of the next line that has one, starting with the current line. Skips
 * comments, which begin with the character `comment` (0: the file has no comments). False at the
 * end of the file. */
bool text_line(struct text *t, char comment);
void text_next(struct text *t); /* goes to the beginning of the next line */
/* Returns ERR_CANCELLED if the job that reads the file was stopped (progress.h). Checks this only
 * once in many lines. */
enum err text_wanted(const struct text *t) MUST_CHECK;

/* Returns the next word of this line; n is 0 at its end. */
struct word text_word(struct text *t);
bool text_at_end(struct text *t); /* true at the end of the line */

enum err text_number(struct text *t, double *x) MUST_CHECK;
enum err text_whole(struct text *t, uint64_t min, uint64_t max, const char *what,
		    uint64_t *x) MUST_CHECK;
/* Checks that the line has no further word, otherwise ERR_INPUT. Then goes to the next line. */
enum err text_end(struct text *t) MUST_CHECK;

/* Sets the error "FILE:LINE: ..." or "FILE: the line at byte BYTE: ...". Returns ERR_INPUT. */
enum err text_error(const struct text *t, const char *fmt, ...) PRINTF(2, 3);

/* Reads a word as a number; false if it is not a finite number. */
bool word_number(struct word w, double *x);
bool word_whole(struct word w, uint64_t *x); /* digits only, at most 18 */

#endif
