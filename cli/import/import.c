/* coterie import. */
#include "cli/args/args.h"
#include "cli/import/import.h"
#include "common/base/alloc.h"
#include "common/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_DATE = 256, KEY_IGNORE, KEY_ONLY, KEY_HEADER, KEY_SEPARATOR, KEY_PART };

/* A line for each, so that all of it fits a screen of 24 x 80. */
/* clang-format off */
static const struct argp_option options[] = {
	{ "out", 'o', "DIR", 0, "the data directory that is made", 0 },
	{ "edges", 'e', "FILE", 0, "edges: .csv or .tsv (.gz .zst); see from, to", 0 },
	{ "id", 'i', "COLUMN", 0, "the column of ids", 0 },
	{ "label", 'l', "COLUMN", 0, "the column of classes, to compare with", 0 },
	{ "category", 'c', "COLUMN", 0, "words: COLUMN, or COLUMN=red|green|blue", 0 },
	{ "date", KEY_DATE, "COLUMN", 0, "dates as 2024-12-31, which become days", 0 },
	{ "ignore", KEY_IGNORE, "COLUMN", 0, "left out; may be repeated, as the two above", 0 },
	{ "only", KEY_ONLY, "COLUMN", 0, "all others are left out; may be repeated", 0 },
	{ "missing", 'm', "HOW", 0, "error, mean, median, indicator; or COLUMN=HOW", 0 },
	{ "header", KEY_HEADER, "YES|NO", 0, "whether the first line is a heading", 0 },
	{ "separator", KEY_SEPARATOR, "C", 0, "between fields: , ; | tab", 0 },
	{ "part", 'p', "NAME", 0, "a table, SELECT, array or variable of the file", 0 },
	{ "set", 'S', "KEY=VALUE", 0, "from to weight unit na most decimal comment", 0 },
	{ 0 },
};
/* clang-format on */

struct arguments {
	struct import_request r;
	struct json *said; /* of struct reading */
};

static void put(struct json *said, const char *key, const char *value)
{
	json_put_string(said, key, value);
}

static void append(struct json *said, const char *key, const char *value)
{
	struct json *list = json_member(said, key);

	json_append_string(list ? list : json_put_array(said, key), value);
}

/* Keys of the configuration table that have no option of their own. */
static void set(struct argp_state *state, struct json *said, const char *text)
{
	const char *value = strchr(text, '=');
	char key[16];
	const struct config_row *row = NULL;

	snprintf(key, sizeof(key), "%.*s", value ? (int)(value - text) : 0, text);
	for (size_t i = 0; i < reading_table.count; i++)
		if (!strcmp(reading_table.row[i].path, key))
			row = &reading_table.row[i];
	if (!row)
		argp_error(
		    state,
		    "--set is \"%s\", expected KEY=VALUE with one of the keys id, label, "
		    "category, date, ignore, only, missing, na, unit, most, header, separator, "
		    "decimal, comment, from, to, weight",
		    text);
	else if (row->type == CONFIG_STRINGS)
		append(said, key, value + 1);
	else if (row->type == CONFIG_UNSIGNED)
		json_put_number(said, key, (double)args_whole(state, key, value + 1, 2, 65536));
	else
		put(said, key, value + 1);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	static const struct {
		int key;
		const char *name;
		bool list;
	} says[] = { { 'i', "id", false },
		     { 'l', "label", false },
		     { 'c', "category", true },
		     { KEY_DATE, "date", true },
		     { KEY_IGNORE, "ignore", true },
		     { KEY_ONLY, "only", true },
		     { 'm', "missing", true },
		     { KEY_HEADER, "header", false },
		     { KEY_SEPARATOR, "separator", false } };

	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		if (says[i].key == key) {
			(says[i].list ? append : put)(a->said, says[i].name, arg);
			return 0;
		}
	switch (key) {
	case 'o':
		a->r.out = arg;
		return 0;
	case 'e':
		a->r.edges = arg;
		return 0;
	case 'p':
		a->r.part = arg;
		return 0;
	case 'S':
		set(state, a->said, arg);
		return 0;
	case ARGP_KEY_ARG:
		args_one(state, arg, &a->r.file);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->r.out && (a->r.file || a->r.edges),
			  "--out and a file, or --out and --edges, are needed");
		return 0;
	default:
		return args_none(key, arg, state);
	}
}

static void summary(const struct imported *in, const struct import_request *r)
{
	printf("%s:", r->out);
	if (in->n)
		printf(" %zu %s", in->n, in->has_edges ? "nodes" : "rows");
	if (features_cols(&in->X))
		printf(", %zu features", features_cols(&in->X));
	if (in->has_edges)
		printf(", %zu edges", in->edges.start[in->edges.rows] / 2);
	printf("%s%s\n", in->ids.n ? ", ids" : "", in->sheet.has_labels ? ", labels" : "");
}

static enum err run(void *arguments)
{
	struct arguments *a = arguments;
	struct imported in = { 0 };
	enum err err;

	log_set_level(LOG_INFO);
	err = config_read(&reading_table, a->said, "the command line", NULL, NULL, &a->r.how);
	json_free(a->said);
	TRY(err);
	err = import_read(&in, &a->r);
	if (!err)
		err = import_write(&in, &a->r);
	if (!err)
		summary(&in, &a->r);
	import_release(&in);
	reading_release(&a->r.how);
	return err;
}

int import_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE",
		.doc = "Makes a data directory of FILE: .csv .tsv .graphml .npy .mtx (.gz .zst), "
		       ".npz, "
		       ".sqlite .db .h5ad .mat.\v"
		       "Nothing is guessed or repaired in silence: docs/data.md has the rules.",
	};

	/* The note about arguments of short options would not fit the screen. */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", 1);
	return (int)args_run("import", &argp, argc, argv,
			     &(struct arguments){ .said = json_object() }, run);
}
