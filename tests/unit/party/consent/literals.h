/* literals.h -- finds the sentences in C files: string literals of at least LITERAL_MIN characters
 * with a space. Adjacent literals are joined. */
#ifndef TESTS_UNIT_PARTY_LITERALS_H
#define TESTS_UNIT_PARTY_LITERALS_H

#include "tests/test.h"

#include "common/base/buf.h"
#include "common/base/file.h"

#include <ctype.h>
#include <glob.h>
#include <string.h>

enum { LITERAL_MIN = 24, LITERALS_FILE_MAX = 1 << 20 };

/* Returns the longest part without a conversion of a printf format, in static memory. */
static inline const char *literals_longest_part(const char *format)
{
	static char part[1024];
	size_t longest = 0;

	while (*format) {
		size_t n = strcspn(format, "%");

		if (n > longest && n < sizeof(part)) {
			memcpy(part, format, longest = n);
			part[n] = 0;
		}
		format += n;
		if (*format) /* conversions in use: %s, %zu, %u, %g, %.200s, %.4g */
			format += 1 + strcspn(format + 1, "sdugx") + 1;
	}
	return part;
}

/* If a comment, a directive or the character constant '"' begins at `at`, returns its end;
 * otherwise returns `at`. */
static inline const char *literals_skip(const char *at)
{
	const char *end = at;

	if (!strncmp(at, "/*", 2))
		end = strstr(at, "*/") + 2;
	else if (*at == '#')
		end = at + strcspn(at, "\n");
	else if (!strncmp(at, "'\"'", 3))
		end = at + 3;
	return end;
}

/* Appends the literal that begins at `at` to out; returns the place after it. */
static inline const char *literals_read(const char *at, struct buf *out)
{
	for (at++; *at != '"'; at++) {
		at += *at == '\\';
		buf_add(out, at, 1);
	}
	return at + 1;
}

static inline void literals_of(const char *file, const char *text,
			       void (*found)(const char *file, const char *literal))
{
	struct buf joined = { 0 };

	for (; *text; text++) {
		const char *skipped = literals_skip(text);

		if (skipped != text) {
			text = skipped - 1;
			continue;
		}
		if (*text == '"') {
			text = literals_read(text, &joined) - 1;
		} else if (joined.n && !isspace((uint8_t)*text)) {
			buf_add(&joined, "", 1);
			if (joined.n > LITERAL_MIN && strchr((char *)joined.p, ' '))
				found(file, (char *)joined.p);
			joined.n = 0;
		}
	}
	buf_release(&joined);
}

/* Calls found() with each sentence in the files that match a glob(3) pattern. At least one file
 * must match. */
static inline void literals_each(const char *pattern,
				 void (*found)(const char *file, const char *literal))
{
	glob_t files;

	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct buf text = { 0 };

		assert_ok(file_read(files.gl_pathv[i], LITERALS_FILE_MAX, &text));
		buf_add(&text, "", 1);
		literals_of(files.gl_pathv[i], (char *)text.p, found);
		buf_release(&text);
	}
	globfree(&files);
}

#endif
