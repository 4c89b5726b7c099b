#include "server/service/submit.h"
#include "common/base/alloc.h"
#include "common/base/json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

/* Searches for the path by comparing the key of each enclosing object with one part of the path. */
unsigned submit_line(struct bytes text, const char *path)
{
	const char *p = (const char *)text.p, *end = p + text.n;
	/* `depth`: number of enclosing objects and arrays. `met`: number of matched parts of the
	 * path. */
	int depth = 0, met = 0;
	unsigned line = 1;

	for (; p < end; p++) {
		line += *p == '\n';
		if (*p == '{' || *p == '[') {
			depth++;
		} else if (*p == '}' || *p == ']') {
			/* the object that would contain the rest of the path has ended */
			if (--depth <= met)
				return 0;
		} else if (*p == '"') {
			const char *behind = skip_string(p, end), *after = behind;
			size_t n = (size_t)(behind - p) - 2, part = strcspn(path, ".");

			while (after < end && isspace((unsigned char)*after))
				after++;
			if (depth == met + 1 && after < end && *after == ':' && n == part &&
			    !memcmp(p + 1, path, n)) {
				if (!path[part])
					return line;
				path += part + 1;
				met++;
			}
			p = behind - 1;
		}
	}
	return 0;
}

/* If the error text names a key of the file, adds the line number of that key. Example of a text:
 * "job.json: job.filter.order is 0, expected ...". */
static enum err with_line(enum err e, struct bytes text)
{
	struct err_saved end = err_save(e);
	const char *at = strstr(end.why, "job.");
	char path[128];
	unsigned line = 0;
	size_t n;

	while (at && (at == end.why || at[-1] != ' ')) /* skips "job." inside a file's name */
		at = strstr(at + 1, "job.");
	n = at ? strspn(at + 4, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
	       : 0;
	if (n && n < sizeof(path)) {
		memcpy(path, at + 4, n);
		path[n] = '\0';
		line = submit_line(text, path);
	}
	return line ? err_set(e, "%.950s (line %u)", end.why, line) : err_restore(&end);
}

static int submit_by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static enum err take_party(struct store_job *j, const struct coordinator_config *config,
			   const struct json *v, const char *where)
{
	const char *name = json_type(v) == JSON_STRING ? json_string(v) : "";

	if (!config_strings_has(&config->parties, name))
		return err_set(ERR_INPUT,
			       "%s: job.parties has \"%.80s\", expected names of the parties of %s",
			       where, name, config->common.name);
	for (size_t l = 0; l < j->parties; l++)
		if (!strcmp(j->party[l], name))
			return err_set(ERR_INPUT, "%s: job.parties has \"%s\" twice", where, name);
	snprintf(j->party[j->parties++], sizeof(j->party[0]), "%s",
		 name); /* fits: each name is a configured party, and occurs once */
	return ERR_OK;
}

static enum err take_parties(struct store_job *j, const struct coordinator_config *config,
			     const struct json *given, const char *where)
{
	if (!given)
		for (size_t l = 0; l < config->parties.count; l++)
			snprintf(j->party[j->parties++], sizeof(j->party[0]), "%s",
				 config->parties.item[l]);
	else if (json_type(given) != JSON_ARRAY || !json_count(given))
		return err_set(ERR_INPUT, "%s: job.parties is %s, expected names of parties", where,
			       json_type(given) == JSON_ARRAY ? "empty"
							      : json_type_name(json_type(given)));
	else
		for (const struct json *v = json_first(given); v; v = json_next(v))
			TRY(take_party(j, config, v, where));
	qsort(j->party, j->parties, sizeof(j->party[0]), submit_by_name);
	return ERR_OK;
}

static enum err submit_read_job(struct store_job *j, const struct coordinator_config *config,
				struct json *root, struct bytes text, const char *where)
{
	bool is_object = json_type(root) == JSON_OBJECT;
	struct json *parties = is_object ? json_take(root, "parties") : NULL;
	struct buf rest = { 0 }, whole = { 0 };
	struct job job;
	enum err e;

	if (is_object)
		json_write(root, &rest);
	else
		buf_add(&rest, text.p, text.n);
	e = job_parse(&job, (struct bytes){ rest.p, rest.n }, where, NULL);
	buf_release(&rest);
	if (e == ERR_OK)
		e = take_parties(j, config, parties, where);
	json_free(parties);
	TRY(e);
	if (j->parties < 2 && !job.allow_single)
		return err_set(
		    ERR_INPUT,
		    "%s: job.parties has %zu, expected at least 2, or allow_single in the job",
		    where, j->parties);
	job_write(&job, &whole);
	buf_add(&whole, "", 1);
	j->text = alloc_copy((const char *)whole.p);
	buf_release(&whole);
	return ERR_OK;
}

enum err submit_read(struct store_job *j, const struct coordinator_config *config,
		     struct bytes text, const char *where)
{
	struct json *root;
	enum err e;

	j->text = NULL;
	j->parties = 0;
	if (text.n > JOB_TEXT_MAX)
		return err_set(ERR_INPUT, "%s: a job of %zu bytes, expected at most %d", where,
			       text.n, JOB_TEXT_MAX);
	TRY(json_parse(text, where, &root)); /* the parser's error has line and column */
	e = submit_read_job(j, config, root, text, where);
	json_free(root);
	return e == ERR_OK ? ERR_OK : with_line(e, text);
}
