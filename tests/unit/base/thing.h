/* thing.h -- a table of settings with a row of each type, for tests of its readers. */
#ifndef TESTS_UNIT_BASE_THING_H
#define TESTS_UNIT_BASE_THING_H

#include "tests/test.h"

#include "common/base/config.h"

#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN, BLUE };

struct thing {
	bool on, deep;
	unsigned number, bits;
	uint64_t seed;
	double ratio, share;
	char *name, *path, *maybe;
	enum colour colour;
	struct config_strings list;
	struct config_map map, files;
	struct config_count count, dims;
	unsigned order, range[2];
	uint64_t room;
	uint8_t id[CONFIG_ID_LEN];
};

static const char *const colours[] = { "red", "green", "blue", NULL };
static const char *const depths[] = { "shallow", "deep", NULL };
static const char *const groups[] = { "small", "large", NULL };
static const char *const word[] = { "local", NULL };
static const char *const with_file[] = { "is", "file", NULL };
static const char *const order_word[] = { "auto", NULL };
static const unsigned group_values[] = { 100, 200 };

#define AT(f) offsetof(struct thing, f)
static const struct config_row rows[] = {
	{ "on", CONFIG_BOOL, AT(on), .standard = "false", .help = "h" },
	{ "deep", CONFIG_BOOL, AT(deep), .standard = "deep", .names = depths, .help = "h" },
	{ "a.number", CONFIG_UNSIGNED, AT(number), 2, 10, .help = "a number" },
	{ "a.b.seed", CONFIG_U64, AT(seed), 0, 9007199254740991.0, "1", .help = "h" },
	{ "a.ratio", CONFIG_DOUBLE, AT(ratio), 0, 1, "0.5", .help = "h" },
	{ "share", CONFIG_DOUBLE, AT(share), 0.25, 1, "", .help = "h" },
	{ "bits", CONFIG_CHOICE, AT(bits), .standard = "large", .names = groups,
	  .values = group_values, .help = "h" },
	{ "name", CONFIG_STRING, AT(name), 1, 64, "x", .help = "h", .check = config_check_name },
	{ "path", CONFIG_PATH, AT(path), .standard = "out", .help = "h" },
	{ "maybe", CONFIG_STRING, AT(maybe), 1, 5, "", .help = "h" },
	{ "colour", CONFIG_ENUM, AT(colour), .standard = "green", .names = colours, .help = "h" },
	{ "list", CONFIG_STRINGS, AT(list), 1, 3, "[\"p\"]", .help = "h",
	  .check = config_check_name },
	{ "map", CONFIG_MAP, AT(map), 0, 2, "", .help = "h", .check_key = config_check_name },
	{ "files", CONFIG_MAP, AT(files), 0, 2, "", .help = "h", .check = config_check_name,
	  .names = with_file },
	{ "count", CONFIG_COUNT, AT(count), 2, 100, "2k", .help = "h" },
	{ "dims", CONFIG_COUNT, AT(dims), 1, 100, "local", .help = "h", .names = word },
	{ "order", CONFIG_UNSIGNED, AT(order), 0, 100, "5", .help = "h", .names = order_word },
	{ "range", CONFIG_RANGE, AT(range), 2, 100, "3", .help = "h" },
	{ "room", CONFIG_BYTES, AT(room), 1, 9e15, "", .help = "h" },
	{ "id", CONFIG_ID, AT(id), .standard = "", .help = "h" },
};
static const struct config_removed removed[] = {
	{ "thing.a.old", "-0.5", "1.0", NULL, { NULL } },
	{ "thing.a.old", NULL, "1.0", "use thing.a.number", { NULL } },
	{ "thing.whole", "{\"any\":true}", "1.1", NULL, { NULL } },
	{ "thing.whole", NULL, "1.1", "leave it out", { NULL } },
	{ "thing.word", "plain", "1.1", NULL, { NULL } },
	{ "thing.word", NULL, "1.1", "leave it out", { NULL } },
	{ "thing.colour", "mauve", "1.2", "use \"red\"", { NULL } },
	{ "thing.list", "a/b", "1.2", "remove it", { NULL } },
	{ "other.a.share", NULL, "1.3", "not of this table", { NULL } },
	{ "thing.mine", "1", "1.3", NULL, { "this", "that" } },
	{ "thing.mine", NULL, "1.3", "leave it out", { "this", "that" } },
	{ "thing.theirs", "1", "1.3", NULL, { "another" } },
	{ "thing.theirs", NULL, "1.3", "leave it out", { "another" } },
	{ NULL, NULL, NULL, NULL, { NULL } },
};
static const struct config_table table = {
	"thing", rows, sizeof(rows) / sizeof(*rows), sizeof(struct thing), removed, "that"
};

static inline enum err read_text(const char *text, char *const *set,
				 const struct config_preset *presets, struct thing *t)
{
	struct json *root;
	enum err err;

	assert_ok(
	    json_parse((struct bytes){ (const uint8_t *)text, strlen(text) }, "x.json", &root));
	err = config_set(root, set);
	if (!err)
		err = config_read(&table, root, "x.json", "/etc/c", presets, t);
	json_free(root);
	return err;
}

#endif
