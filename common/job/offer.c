#include "common/job/offer.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OFFER_TEXT_MAX = 1 << 20 };

static char *offer_path(const char *state, const char *id, const char *suffix)
{
	char name[64];
	char *dir = file_join(state, "offers"), *path;

	snprintf(name, sizeof(name), "%.32s%s", id, suffix);
	path = file_join(dir, name);
	free(dir);
	return path;
}

static enum err write_one(const char *state, const char *id, const char *suffix, struct bytes data)
{
	char *path = offer_path(state, id, suffix), *dir = file_dir(path);
	enum err e = file_make_dirs(dir);

	if (e == ERR_OK)
		e = file_write(path, data, FILE_SECRET);
	free(dir);
	free(path);
	return e;
}

static enum err write_json(const char *state, const char *id, const char *suffix,
			   const struct json *json)
{
	struct buf text = { 0 };
	enum err e;

	json_write_pretty(json, &text);
	e = write_one(state, id, suffix, (struct bytes){ text.p, text.n });
	buf_release(&text);
	return e;
}

static enum err read_json(const char *state, const char *id, const char *suffix, struct json **json)
{
	char *path = offer_path(state, id, suffix);
	enum err e = json_read(path, OFFER_TEXT_MAX, json);

	free(path);
	return e;
}

static bool there(const char *state, const char *id, const char *suffix)
{
	char *path = offer_path(state, id, suffix);
	bool is = file_exists(path);

	free(path);
	return is;
}

/* ---- the party ---- */

static void remove_file_of(const char *state, const char *id, const char *suffix)
{
	char *path = offer_path(state, id, suffix);

	unlink(path);
	free(path);
}

enum err offer_write(const char *state, const char *id, const char *hash, struct json *json,
		     struct bytes text)
{
	json_put_string(json, "offer", hash);
	remove_file_of(state, id, ".answer"); /* an answer to an earlier offer of this job */
	TRY(write_one(state, id, ".txt", text));
	/* written last, because readers look for this file */
	return write_json(state, id, ".json", json);
}

static bool is_printable(const char *text)
{
	if (strlen(text) > OFFER_WHY_MAX)
		return false;
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			return false;
	return true;
}

enum err offer_answer_read(const char *state, const char *id, const char *hash,
			   struct offer_answer *a)
{
	struct json *json = NULL;
	const char *answer, *why;
	char now[32];
	enum err e;

	clock_utc_of(time(NULL), now, sizeof(now));
	*a = (struct offer_answer){ 0 };
	if (!there(state, id, ".answer"))
		return ERR_OK;
	TRY(read_json(state, id, ".answer", &json));
	answer = json_text(json, "answer");
	why = json_text(json, "why");
	e = ERR_OK;
	if ((strcmp(answer, "yes") != 0 && strcmp(answer, "no") != 0) || !is_printable(why)) {
		e = err_set(ERR_INPUT,
			    "%s/offers/%s.answer: expected \"answer\": \"yes\" or \"no\"", state,
			    id);
	} else if (!strcmp(json_text(json, "offer"), hash) &&
		   strcmp(json_text(json, "until"), now) > 0) {
		a->given = true;
		a->yes = !strcmp(answer, "yes");
		snprintf(a->why, sizeof(a->why), "%s", why);
	} else {
		a->other = true;
	}
	json_free(json);
	return e;
}

void offer_withdraw(const char *state, const char *id)
{
	if (there(state, id, ".answer"))
		return;
	remove_file_of(state, id, ".json");
	remove_file_of(state, id, ".txt");
}

/* ---- answers ---- */

/* Lists the ids of offers that begin with `id`, sorted. waiting: only offers without an answer. */
static size_t offer_find_ids(const char *state, const char *id, bool waiting, char ***ids)
{
	char *dir = file_join(state, "offers");
	DIR *d = opendir(dir);
	struct dirent *entry;
	size_t n = 0;

	*ids = NULL;
	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name, *dot = strchr(name, '.');

		if (!dot || dot - name != 32 || strcmp(dot, ".json") != 0 ||
		    strncmp(name, id, strlen(id)) != 0)
			continue;
		if (waiting && there(state, name, ".answer"))
			continue;
		*ids = alloc_again(*ids, n + 1, sizeof(**ids));
		(*ids)[n] = alloc_copy(name);
		(*ids)[n++][32] = 0;
	}
	if (d)
		closedir(d);
	if (n)
		sort_texts((const char **)*ids, n);
	free(dir);
	return n;
}

static void offer_release_ids(char **ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(ids[i]);
	free(ids);
}

enum err offer_read(const char *state, const char *id, char full[static OFFER_ID_TEXT],
		    struct buf *text)
{
	char **ids, *path;
	size_t n = offer_find_ids(state, id, false, &ids);
	enum err e = ERR_OK;

	if (n != 1 || !*id)
		e = err_set(ERR_INPUT, "%s/offers: %s offer is called %s", state,
			    n ? "more than one" : "no", *id ? id : "\"\"");
	else
		snprintf(full, OFFER_ID_TEXT, "%s", ids[0]);
	offer_release_ids(ids, n);
	if (e != ERR_OK)
		return e;
	path = offer_path(state, full, ".txt");
	e = file_read(path, OFFER_TEXT_MAX, text);
	free(path);
	return e;
}

enum err offer_answer_to(const char *state, const char *id, const char *hash, bool yes,
			 const char *why, unsigned days)
{
	struct json *offer = NULL, *answer;
	char now[32], until[32];
	enum err e = ERR_OK;

	if (!is_printable(why))
		return err_set(ERR_INPUT, "the reason is not printable ASCII of up to %d bytes",
			       OFFER_WHY_MAX);
	TRY(read_json(state, id, ".json", &offer));
	if (hash && strcmp(hash, json_text(offer, "offer")) != 0)
		e = err_set(ERR_INPUT, "offer %s is another one by now: look at it again", id);
	answer = json_object();
	clock_utc(now, sizeof(now));
	clock_utc_of(time(NULL) + (time_t)days * 24 * 3600, until, sizeof(until));
	json_put_string(answer, "answer", yes ? "yes" : "no");
	json_put_string(answer, "why", why);
	json_put_string(answer, "offer", json_text(offer, "offer"));
	json_put_string(answer, "answered", now);
	json_put_string(answer, "until", until);
	if (e == ERR_OK)
		e = write_json(state, id, ".answer", answer);
	json_free(answer);
	json_free(offer);
	return e;
}

enum err offer_answer_write(const char *state, const char *id, bool yes, const char *why,
			    unsigned days)
{
	return offer_answer_to(state, id, NULL, yes, why, days);
}

enum err offer_list(const char *state, struct json **list)
{
	char **ids;
	size_t n = offer_find_ids(state, "", true, &ids);
	enum err e = ERR_OK;

	*list = json_array();
	for (size_t i = 0; i < n && e == ERR_OK; i++) {
		struct json *one = NULL;

		e = read_json(state, ids[i], ".json", &one);
		if (e == ERR_OK)
			json_append(*list, one);
	}
	offer_release_ids(ids, n);
	if (e != ERR_OK) {
		json_free(*list);
		*list = NULL;
	}
	return e;
}
