/* config.h -- reads a JSON object into a struct, driven by a table.
 *
 * A row describes one field: path in the JSON ("filter.order"), type, offset in the struct, bounds,
 * default and one line of help. Reading fails with ERR_INPUT on an unknown key, a missing required
 * key, a wrong type or a value out of bounds. The error names source, path, value and expectation:
 *
 *     job.json: job.clusters is 1, expected a whole number from 2 to 65536
 *
 * Keys that begin with '#' are comments and are skipped everywhere.
 */
#ifndef COMMON_BASE_CONFIG_H
#define COMMON_BASE_CONFIG_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* Owned strings. Empty if zero-initialised. */
struct config_strings {
	char **item;
	size_t count;
};

/* Owned pairs in file order. */
struct config_map {
	struct config_pair {
		char *key, *value;
		/* The path, if the file gives the value as an object of a string and a path; else
		 * NULL. */
		char *path;
	} * item;
	size_t count;
};

const char *config_map_get(const struct config_map *m, const char *key); /* NULL if absent */
bool config_strings_has(const struct config_strings *s, const char *text);

/* A count: a number (14), a multiple of the job's number of clusters k ("k", "2k"), or the word
 * that the row's names[0] gives. */
struct config_count {
	unsigned times_k; /* if not 0: the count is `times_k` times k */
	/* the count, if `times_k` is 0; if both fields are 0, the word was given */
	unsigned fixed;
};

enum config_type {
	CONFIG_BOOL,     /* bool; with names: names[0] is false, names[1] true */
	CONFIG_UNSIGNED, /* unsigned; the text names[0], if any, means CONFIG_WORD */
	CONFIG_U64,      /* uint64_t below 2^53 */
	/* uint64_t below 2^53. A string may end with K, M, G or T: "8G" is 8 x 1024^3. */
	CONFIG_BYTES,
	CONFIG_DOUBLE, /* double */
	CONFIG_STRING, /* char *, owned; min .. max bytes; NULL if optional and absent */
	/* Like CONFIG_STRING; a relative path is joined to the directory given to config_read(). */
	CONFIG_PATH,
	CONFIG_ENUM,    /* an enum (unsigned) with the values 0, 1, ... in the order of names */
	CONFIG_CHOICE,  /* unsigned: values[i] for names[i] */
	CONFIG_STRINGS, /* struct config_strings of min .. max different items */
	/* struct config_map of min .. max pairs. With names, a value may be an object: its member
	 * names[0] is the string, and names[1] an optional path. */
	CONFIG_MAP,
	/* uint8_t[CONFIG_ID_LEN], from lower-case hexadecimal digits, not all 0; zero if
	 * optional and absent. */
	CONFIG_ID,
	/* struct config_count: `fixed` is min .. max, `times_k` is 1 .. 64. A file may also give
	 * the word names[0], if there is one. */
	CONFIG_COUNT,
	/* unsigned[2]: a number and 0, or "to" and "from" of an object. "from" is smaller than "to"
	 * by at most CONFIG_RANGE_MAX. */
	CONFIG_RANGE,
};

enum { CONFIG_RANGE_MAX = 63 };

enum { CONFIG_ID_LEN = 16 };
#define CONFIG_WORD 0xffffffffU /* value of a CONFIG_UNSIGNED whose text is names[0] */

struct config_row {
	const char *path;
	enum config_type type;
	size_t offset;
	double min, max; /* inclusive, if the type has bounds */
	/* Default, in the syntax of a setting "path=DEFAULT". NULL: the key is required. "": the
	 * key is optional, and its field stays zero. */
	const char *standard;
	const char *help;
	const char *const *names; /* NULL-terminated */
	const unsigned *values;   /* for CONFIG_CHOICE */
	/* Further check of a string, or of each item or map value. Returns the expectation, or
	 * NULL if the text is valid. check_key does the same for map keys. */
	const char *(*check)(const char *text);
	const char *(*check_key)(const char *text);
	/* Bit mask of the jobs that read the row; the table's module defines the bits. 0: all
	 * jobs. */
	unsigned readers;
};

/* A removed key, or one removed value of a key; the list ends with path NULL.
 *
 * Files and records of an earlier release name all keys of that release. A value of a removed key
 * that describes today's behaviour is still accepted. For such a value, add a row with the value
 * and with `use` NULL before the key's own row.
 */
struct config_removed {
	const char *path; /* including the table's name: "job.on_loss" */
	/* The removed value, in the syntax of a setting "path=VALUE". NULL: the key is removed with
	 * all its values and all keys below it. */
	const char *value;
	const char *last; /* last release that accepted the key or value: "0.1.0" */
	/* The remedy, one imperative: "use \"attempt\"". NULL: the value is accepted and
	 * ignored. */
	const char *use;
	/* Kinds (see config_table.kind) whose tables had the key. Empty: all tables had it. */
	const char *kinds[2];
};

struct config_table {
	const char *name; /* "job": first word of every path in messages */
	const struct config_row *row;
	size_t count;
	size_t size;                          /* size of the struct */
	const struct config_removed *removed; /* NULL if there are none */
	/* Selects rows of `removed`: the rows for all kinds and, unless `kind` is NULL, the rows
	 * for this kind. */
	const char *kind;
};

/* Replaces a row's default. path: as in the row. value: in the syntax of a setting "path=VALUE". */
struct config_preset {
	const char *path, *value; /* the list ends with path NULL */
};

/* Sets "path=value" in the object root. The value is parsed as JSON if possible, otherwise it is a
 * string. Creates objects along the path. ERR_INPUT if a setting has no path or no '=', or if a
 * part of the path is not an object. If root itself is not an object, does nothing, and
 * config_read() refuses root. set: a NULL-terminated list of settings, or NULL. */
enum err config_set(struct json *root, char *const *set) MUST_CHECK;

/* Fills *out, which it zeroes first, from root. Precedence: root, presets (may be NULL), the
 * row's default. where: source in errors. dir: base of relative paths, NULL to keep them. On
 * failure *out owns nothing. */
enum err config_read(const struct config_table *t, const struct json *root, const char *where,
		     const char *dir, const struct config_preset *presets, void *out) MUST_CHECK;

/* config_read() without presets and dir. On failure fault holds the path of the refused key or
 * value, or "" if the error concerns none. */
enum { CONFIG_PATH_LEN = 256 };
enum err config_read_fault(const struct config_table *t, const struct json *root, const char *where,
			   void *out, char fault[static CONFIG_PATH_LEN]) MUST_CHECK;

/* Returns *in as JSON, in table order, without absent optional fields. Reading the JSON restores
 * the same struct. The caller frees it. */
struct json *config_write(const struct config_table *t, const void *in);
/* Like config_write(), but without default values. Reading it without presets restores the same
 * struct. */
struct json *config_write_given(const struct config_table *t, const void *in);

/* Describes the first row in which a and b differ, as "job.clusters: 7 here, 8 offered". Returns
 * false if no row differs. */
bool config_difference(const struct config_table *t, const void *a, const char *a_name,
		       const void *b, const char *b_name, char *text, size_t len);

/* Describes the table for the user: path, help, expectation and default of each row. */
void config_describe(const struct config_table *t, struct buf *out);
/* Describes one row of the table, without the end of its last line. presets: as for
 * config_read(). */
void config_describe_row(const struct config_table *t, const struct config_row *r,
			 const struct config_preset *presets, struct buf *out);

void config_release(const struct config_table *t, void *out); /* frees and zeroes the fields */

const char *config_check_name(const char *text); /* a party's name: 1..64 of A-Z a-z 0-9 . _ - */

#endif
