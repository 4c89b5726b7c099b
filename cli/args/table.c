#include "cli/args/table.h"
#include "common/base/alloc.h"
#include "common/base/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { GAP = 2, TEXT_LEAST = 20, WIDTH_LEAST = 20, WIDTH_MOST = 1000, COLUMNS_MOST = 16 };

struct table {
	const char *const *heads;
	size_t columns, cells;
	char **cell;
};

struct table *table_new(const char *const heads[], size_t columns)
{
	struct table *t = alloc(1, sizeof(*t));

	*t = (struct table){ .heads = heads, .columns = columns };
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->cells; i++)
		free(t->cell[i]);
	free(t->cell);
	free(t);
}

void table_cell(struct table *t, const char *fmt, ...)
{
	va_list ap;

	t->cell = alloc_again(t->cell, t->cells + 1, sizeof(*t->cell));
	va_start(ap, fmt);
	t->cell[t->cells] = alloc_format(fmt, ap);
	va_end(ap);
	utf8_make_harmless(t->cell[t->cells++]);
}

static size_t width_or(size_t otherwise)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	size_t n = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
		n = w.ws_col;
	if (!n && columns)
		n = strtoul(columns, NULL, 10);
	if (!n)
		n = otherwise;
	return n < WIDTH_LEAST ? WIDTH_LEAST : n > WIDTH_MOST ? WIDTH_MOST : n;
}

size_t table_width(void)
{
	return width_or(80);
}

size_t table_room(void)
{
	return width_or(WIDTH_MOST);
}

static bool is_number(const struct table *t, size_t c)
{
	return t->heads[c][0] == '>';
}

/* Returns true if all columns except the first hold numbers. */
static bool are_numbers(const struct table *t)
{
	for (size_t c = 1; c < t->columns; c++)
		if (!is_number(t, c))
			return false;
	return true;
}

static const char *head(const struct table *t, size_t c)
{
	return t->heads[c] + is_number(t, c);
}

static size_t characters(const char *s, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* Returns how many bytes of s fit into a line of `width` characters. Breaks at a blank if possible,
 * otherwise after a slash in the second half of the line, otherwise at `width`. */
static size_t table_line_of(const char *s, size_t width)
{
	size_t bytes = 0, n = 0, blank = 0, slash = 0;

	while (s[bytes] && n <= width) {
		if (s[bytes] == ' ')
			blank = bytes;
		if (bytes && s[bytes - 1] == '/')
			slash = bytes;
		if (n == width)
			break;
		do
			bytes++;
		while (((unsigned char)s[bytes] & 0xc0) == 0x80);
		n++;
	}
	return !s[bytes] ? bytes : blank ? blank : slash > bytes / 2 ? slash : bytes;
}

/* As table_line_of(), but never cuts a word, so that a text can be copied whole. A first word wider
 * than `width` ends at its last comma that fits. If no comma fits, the word ends at its first comma
 * or at its end, beyond the width. */
static size_t whole_line_of(const char *s, size_t width)
{
	size_t n = table_line_of(s, width), least = n;

	if (!s[n] || s[n] == ' ')
		return n;
	while (n && s[n - 1] != ',')
		n--;
	if (n)
		return n;
	n = least + strcspn(s + least, " ,");
	return n + (s[n] == ',');
}

static const char *after(const char *s, size_t bytes)
{
	s += bytes;
	while (*s == ' ')
		s++;
	return s;
}

static size_t without_blanks(const char *s, size_t bytes)
{
	while (bytes && s[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

static void blanks(FILE *f, size_t n)
{
	while (n--)
		putc(' ', f);
}

/* Narrows text columns until the table fits, the widest first. Returns false if that is
 * impossible. */
static bool fit(const struct table *t, size_t rows, size_t width, size_t gap, size_t w[])
{
	size_t total = gap * (t->columns - 1);

	for (size_t c = 0; c < t->columns; c++) {
		w[c] = characters(head(t, c), strlen(head(t, c)));
		for (size_t r = 0; r < rows; r++) {
			const char *s = t->cell[r * t->columns + c];
			size_t n = characters(s, strlen(s));

			w[c] = n > w[c] ? n : w[c];
		}
		total += w[c];
	}
	for (; total > width; total--) {
		size_t widest = t->columns;

		for (size_t c = 0; c < t->columns; c++)
			if (!is_number(t, c) && w[c] > TEXT_LEAST &&
			    (widest == t->columns || w[c] > w[widest]))
				widest = c;
		if (widest == t->columns)
			return false;
		w[widest]--;
	}
	return true;
}

static void table_print_row(const struct table *t, const char *const cell[], const size_t w[],
			    size_t gap, FILE *f)
{
	const char *left[COLUMNS_MOST];
	bool more = true;

	memcpy(left, cell, t->columns * sizeof(*left));
	while (more) {
		/* Number of blanks before the next text, so that no line ends in blanks. */
		size_t due = 0;

		more = false;
		for (size_t c = 0; c < t->columns; c++) {
			size_t bytes = table_line_of(left[c], w[c]);
			size_t n = characters(left[c], bytes);

			if (n) {
				blanks(f, due + (is_number(t, c) ? w[c] - n : 0));
				fprintf(f, "%.*s", (int)bytes, left[c]);
				due = gap + (is_number(t, c) ? 0 : w[c] - n);
			} else {
				due += gap + w[c];
			}
			left[c] = after(left[c], bytes);
			more = more || *left[c];
		}
		putc('\n', f);
	}
}

static void print_block(const struct table *t, const char *const cell[], size_t width, FILE *f)
{
	for (size_t c = 0; c < t->columns; c++) {
		size_t indent = c ? GAP : 0, at = indent;
		const char *s = cell[c];

		if (!*s)
			continue;
		blanks(f, indent);
		if (c || is_number(t, c))
			at += (size_t)fprintf(f, c ? "%s: " : "%s ", head(t, c));
		while (*s) {
			size_t bytes = table_line_of(s, width > at ? width - at : 1);

			fprintf(f, "%.*s\n", (int)bytes, s);
			s = after(s, bytes);
			at = indent + GAP;
			if (*s)
				blanks(f, at);
		}
	}
}

void table_line(size_t indent, const char *fmt, ...)
{
	size_t width = table_room(), at = 0;
	const char *rest;
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = alloc_format(fmt, ap);
	va_end(ap);
	utf8_make_harmless(text);
	for (rest = text; *rest; at = indent) {
		size_t bytes = whole_line_of(rest, width > at ? width - at : 1);

		blanks(stdout, at);
		printf("%.*s\n", (int)without_blanks(rest, bytes), rest);
		rest = after(rest, bytes);
	}
	if (!*text)
		putchar('\n');
	free(text);
}

void table_print(const struct table *t, FILE *f, size_t width)
{
	size_t rows = t->cells / t->columns, w[COLUMNS_MOST] = { 0 };
	const char *heads[COLUMNS_MOST] = { 0 };
	size_t gap = GAP;
	bool fits = fit(t, rows, width, gap, w);

	if (!fits && are_numbers(t))
		fits = fit(t, rows, width, gap = 1, w);

	for (size_t c = 0; c < t->columns; c++)
		heads[c] = head(t, c);
	if (fits)
		table_print_row(t, heads, w, gap, f);
	for (size_t r = 0; r < rows; r++) {
		const char *const *cell = (const char *const *)t->cell + r * t->columns;

		if (fits)
			table_print_row(t, cell, w, gap, f);
		else
			print_block(t, cell, width, f);
	}
}
