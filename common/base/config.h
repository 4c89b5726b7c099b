/* config.h -- a JSON object into a struct, by a table.
 *
 * A row of the table says for one field: its path in the JSON ("filter.order"), type, place in the
 * struct, bounds, default and one line of help. Reading checks everything: a key that no row
 * names, a missing one, a wrong type, a value out of bounds is ERR_INPUT, and the sentence names
 * source, path, value, and what was expected:
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
#include <stdint.h>

/* Owned strings. Zero-initialised is empty. */
struct config_strings {
	char **item;
	size_t count;
};

/* Owned pairs, in the order of the file. */
struct config_map {
	struct config_pair {
		char *key, *value;
		char *path; /* of a file that belongs to it; or NULL */
	} * item;
	size_t count;
};

const char *config_map_get(const struct config_map *m, const char *key);  /* NULL: absent */
const char *config_map_path(const struct config_map *m, const char *key); /* NULL: it has none */
bool config_strings_has(const struct config_strings *s, const char *text);

/* A count given as a number, as a multiple of k (14, "k", "2k"), or by a word of its own. */
struct config_count {
	unsigned times_k; /* if not 0: this many times k */
	unsigned fixed;   /* otherwise, if not 0: this many; both 0: the row's word */
};

enum config_type {
	CONFIG_BOOL,     /* bool; with names: names[0] is false, names[1] true */
	CONFIG_UNSIGNED, /* unsigned; names[0]: a word that stands for CONFIG_WORD, if any */
	CONFIG_U64,      /* uint64_t below 2^53 */
	CONFIG_BYTES,    /* the same; or a string of a whole number and K, M, G or T, 1024 each */
	CONFIG_DOUBLE,   /* double */
	CONFIG_STRING,   /* char *, owned; min .. max bytes; NULL where optional and absent */
	CONFIG_PATH,   /* the same; a relative path is taken from the directory given to config_read
			*/
	CONFIG_ENUM,   /* an enum (unsigned) whose values are 0, 1, .. in the order of names */
	CONFIG_CHOICE, /* unsigned: values[i] for names[i] */
	CONFIG_STRINGS, /* struct config_strings of min .. max items, none twice */
	CONFIG_MAP,     /* struct config_map of min .. max pairs; with names: a value may be an object,
			   of the string as names[0] and a path, which may be left out, as names[1] */
	CONFIG_ID,      /* uint8_t[CONFIG_ID_LEN], as twice as many lower-case hexadecimal digits,
			   not all 0; zero where optional and absent */
	CONFIG_COUNT,   /* struct config_count; a fixed one is min .. max, a multiple 1 .. 64;
			   names[0]: the word, if any */
	CONFIG_RANGE,   /* unsigned[2]: a number, and 0; or, of an object of "from" and "to", "to" and "from",
			   which is less by CONFIG_RANGE_MAX at most */
};

enum { CONFIG_RANGE_MAX = 63 };

enum { CONFIG_ID_LEN = 16 };
#define CONFIG_WORD 0xffffffffU /* an unsigned that was given as the row's word */

struct config_row {
	const char *path;
	enum config_type type;
	size_t offset;
	double min, max;      /* inclusive, where the type has bounds */
	const char *standard; /* the default, as it would follow "path=" ; NULL: required; "":
				 optional, left zero */
	const char *help;
	const char *const *names; /* ends with NULL */
	const unsigned *values;   /* CONFIG_CHOICE */
	/* Further check of a string (or of each item, key of a map if value is false). Returns what
	 * was expected, or NULL if it is right. */
	const char *(*check)(const char *text);
	const char *(*check_key)(const char *text);
	unsigned readers; /* bits, for whoever made the table: where the row counts; 0: everywhere */
};

/* A key that an earlier release took, or one value of a key; the list ends with path NULL.
 *
 * A removed key's value that says what holds now may still be given, since files and records of that
 * release name all keys: a row with that value and use NULL. It stands before the key's own row. */
struct config_removed {
	const char *path;  /* with the table's name in front: "job.on_loss" */
	const char *value; /* as it would follow "path="; NULL: the key with any value, and all below */
	const char *last;  /* the last release that took it: "0.1.0" */
	const char *use;   /* one imperative: "use \"attempt\""; NULL: the value is read and ignored */
};

struct config_table {
	const char *name; /* "job": the first word of every path in messages */
	const struct config_row *row;
	size_t count;
	size_t size; /* of the struct */
	const struct config_removed *removed; /* NULL: none */
};

/* Replaces a row's default: `path` as in the row, `value` as it would follow "path=". */
struct config_preset {
	const char *path, *value; /* the list ends with path NULL */
};

/* Puts "path=value" into the object root: the value is read as JSON if it is JSON, else it is a
 * string. Objects along the path are made as needed. ERR_INPUT: no '=', or a part of the path is
 * no object. A root that is none is left for config_read to refuse. set: NULL-terminated; NULL is
 * none. */
enum err config_set(struct json *root, char *const *set) MUST_CHECK;

/* Fills *out (zeroed here) from root. Precedence: root, presets (may be NULL), the row's default.
 * where names the source; dir is what relative paths start from (NULL: left as they are).
 * On failure nothing is owned by *out. */
enum err config_read(const struct config_table *t, const struct json *root, const char *where,
		     const char *dir, const struct config_preset *presets, void *out) MUST_CHECK;

/* The same without presets. On failure fault has the path of the key or value that was refused,
 * or "" where no one of them was. */
enum { CONFIG_PATH_LEN = 256 };
enum err config_read_fault(const struct config_table *t, const struct json *root, const char *where,
			   void *out, char fault[static CONFIG_PATH_LEN]) MUST_CHECK;

/* *in as JSON, in the table's order, without absent optional fields; reading it again gives the same
 * struct. The caller frees it. */
struct json *config_write(const struct config_table *t, const void *in);
/* Without the values that are their rows' defaults, too; read without presets, it gives the same
 * struct. */
struct json *config_write_given(const struct config_table *t, const void *in);

/* The first row in which a and b differ, as "job.clusters: 7 here, 8 offered"; false if none. */
bool config_difference(const struct config_table *t, const void *a, const char *a_name,
		       const void *b, const char *b_name, char *text, size_t len);

/* The table for people: one line per row with path, what is expected, default, help. */
void config_describe(const struct config_table *t, struct buf *out);

void config_release(const struct config_table *t, void *out); /* frees what the fields own, zeroes */

/* ---- checks for rows ---- */

const char *config_check_name(const char *text); /* a party's name: 1..64 of A-Z a-z 0-9 . _ - */

#endif
