#include "common/data/reading.h"

#include <assert.h>
#include <string.h>

const char *const header_names[] = { "auto", "yes", "no", NULL };
const char *const missing_names[] = { "error", "mean", "median", "indicator", NULL };
const char *const reading_na[] = { "NA",   "N/A",  "#N/A", "NaN", "nan",
				   "NULL", "null", "None", "?",   NULL };

struct alone {
	struct reading read;
};
static const struct config_row rows[] = { READING_ROWS(struct alone, read, "") };

const struct config_table reading_table = {
	"read", rows, sizeof(rows) / sizeof(*rows), sizeof(struct reading), NULL, NULL
};

/* ---- checks ---- */

const char *reading_check_separator(const char *text)
{
	if (!strcmp(text, "tab") ||
	    (strlen(text) == 1 && !strchr("\"\r\n.-+", *text) && !(*text >= '0' && *text <= '9')))
		return NULL;
	return "one character as \",\", \";\" or \"|\", or \"tab\"";
}

const char *reading_check_decimal(const char *text)
{
	return !strcmp(text, ".") || !strcmp(text, ",") ? NULL : "\".\" or \",\"";
}

const char *reading_check_missing(const char *text)
{
	const char *policy = strrchr(text, '=');

	for (size_t i = 0; missing_names[i]; i++)
		if (!strcmp(policy ? policy + 1 : text, missing_names[i]) && policy != text)
			return NULL;
	return "\"error\", \"mean\", \"median\" or \"indicator\", or one of them for a column: "
	       "\"age=median\"";
}

const char *reading_check_pair(const char *text)
{
	const char *value = strrchr(text, '=');

	return value && value > text && value[1] ? NULL : "a column and its unit: \"age=years\"";
}

/* ---- as a whole ---- */

void reading_init(struct reading *r)
{
	struct json *nothing = json_object();
	enum err err = config_read(&reading_table, nothing, "defaults", NULL, NULL, r);

	assert(err == ERR_OK);
	(void)err;
	json_free(nothing);
}

void reading_release(struct reading *r)
{
	config_release(&reading_table, r);
}

bool reading_is_default(const struct reading *r)
{
	struct reading standard;
	char text[64];
	bool differ;

	reading_init(&standard);
	differ =
	    config_difference(&reading_table, r, "here", &standard, "there", text, sizeof(text));
	reading_release(&standard);
	return !differ;
}

/* ---- settings and their defaults ---- */

char reading_separator(const struct reading *r, const char *path)
{
	size_t n = strlen(path);

	if (r->separator)
		return !strcmp(r->separator, "tab") ? '\t' : *r->separator;
	return n > 4 && (!memcmp(path + n - 4, ".tsv", 4) || !memcmp(path + n - 4, ".txt", 4))
		   ? '\t'
		   : ',';
}

bool reading_is_na(const struct reading *r, const char *p, size_t n)
{
	const char *text;

	if (!n)
		return true;
	for (size_t i = 0;
	     (text = r->na.count ? (i < r->na.count ? r->na.item[i] : NULL) : reading_na[i]); i++)
		if (strlen(text) == n && !memcmp(text, p, n))
			return true;
	return false;
}
