#include "cli/run/report_read.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/warnings.h"
#include "common/job/kinds.h"
#include "common/job/record.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double run_element(const struct json *v)
{
	double x = json_type(v) == JSON_NUMBER ? json_number(v) : -1;

	return x >= 0 && x <= RUN_NUMBER_MAX ? x : -1;
}

bool run_has(const struct json *object, const char *key)
{
	const struct json *v = json_get_as(object, key, JSON_NUMBER);

	return v && run_element(v) >= 0;
}

double run_number(const struct json *object, const char *key)
{
	return run_has(object, key) ? json_number(json_get(object, key)) : 0;
}

bool run_true(const struct json *object, const char *key)
{
	const struct json *v = json_get_as(object, key, JSON_BOOL);

	return v && json_bool(v);
}

const struct json *run_object(const struct json *object, const char *key)
{
	return json_get_as(object, key, JSON_OBJECT);
}

const struct json *run_list(const struct json *object, const char *key)
{
	return json_get_as(object, key, JSON_ARRAY);
}

static const struct json *object_from(const struct json *v)
{
	while (v && json_type(v) != JSON_OBJECT)
		v = json_next(v);
	return v;
}

const struct json *run_first(const struct json *object, const char *key)
{
	const struct json *list = run_list(object, key);

	return list ? object_from(json_first(list)) : NULL;
}

const struct json *run_next(const struct json *v)
{
	return object_from(json_next(v));
}

void notes_add(struct notes *notes, const char *subject, const char *fmt, ...)
{
	char text[ERR_DETAIL_MAX + 256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	notes->item = alloc_again(notes->item, notes->n + 1, sizeof(*notes->item));
	notes->item[notes->n++] = (struct note){ alloc_copy(subject), alloc_copy(text) };
}

bool notes_about(const struct notes *notes, const char *subject)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (!strcmp(notes->item[i].subject, subject))
			return true;
	}
	return false;
}

enum { WARNINGS_LOOKED_AT = 2 * WARNINGS };

static bool has_warning(const struct json *run, const struct json *of)
{
	const struct json *w = run_first(run, "warnings");

	for (int i = 0; w && i < WARNINGS_LOOKED_AT; w = run_next(w), i++)
		if (!strcmp(json_text(w, "sentence"), json_text(of, "sentence")))
			return true;
	return false;
}

void run_dir_warnings(const struct run_dir *r, run_warning *each, void *arg)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct json *w = run_first(r->process[i].run, "warnings");

		for (int looked = 0; w && looked < WARNINGS_LOOKED_AT; w = run_next(w), looked++) {
			struct buf names = { 0 };
			bool before = false;

			for (size_t p = 0; p < r->n; p++) {
				if (!has_warning(r->process[p].run, w))
					continue;
				before |= p < i;
				buf_printf(&names, "%s%s", names.n ? ", " : "", r->process[p].name);
			}
			buf_add(&names, "", 1);
			if (!before)
				each(arg, json_text(w, "code"), json_text(w, "sentence"),
				     (const char *)names.p);
			buf_release(&names);
		}
	}
}

struct open {
	char close[JSON_DEPTH_MAX]; /* for each open bracket, the bracket that closes it */
	size_t depth;
};

bool run_mend(struct bytes text, struct buf *mended)
{
	struct open open = { .depth = 0 }, at_cut = { .depth = 0 };
	bool in_string = false;
	size_t cut = 0;

	for (size_t i = 0; i < text.n && open.depth < JSON_DEPTH_MAX; i++) {
		char c = (char)text.p[i];

		if (in_string && c == '\\')
			i++;
		else if (c == '"')
			in_string = !in_string;
		if (in_string || !strchr("{[]},", c) || !c)
			continue;
		if (c == '{' || c == '[')
			open.close[open.depth++] = c == '{' ? '}' : ']';
		else if (c != ',')
			open.depth -= open.depth > 0;
		/* Up to here the text is complete, except for closing brackets. */
		cut = c == ',' ? i : i + 1;
		at_cut = open;
	}
	if (!at_cut.depth)
		return false;
	buf_add(mended, text.p, cut);
	while (at_cut.depth)
		buf_add(mended, &at_cut.close[--at_cut.depth], 1);
	return true;
}

static bool of_our_schema(const struct json *run)
{
	return json_number_of(run, "schema_version", -1) == RECORD_SCHEMA;
}

enum err run_read(const char *dir, struct json **run)
{
	char *path = file_join(dir, "run.json");
	enum err err = json_read(path, JSON_TEXT_MAX, run);

	if (!err && !of_our_schema(*run)) {
		json_free(*run);
		*run = NULL;
		err = err_set(ERR_INPUT, "%s: expected schema_version %d", path, RECORD_SCHEMA);
	}
	if (!err)
		json_make_harmless(*run);
	free(path);
	return err;
}

/* Reads as much of dir/run.json as possible, and adds a note if it is incomplete. NULL: nothing
 * could be read. */
static struct json *report_read_some(const char *dir, const char *name, bool *sound,
				     struct notes *missing)
{
	char *path = file_join(dir, "run.json");
	struct err_saved first;
	struct buf text = { 0 }, mended = { 0 };
	struct json *run = NULL;

	*sound = false;
	if (file_read(path, JSON_TEXT_MAX, &text) != ERR_OK) {
		notes_add(missing, name, "%s", err_detail());
	} else if (json_parse((struct bytes){ text.p, text.n }, path, &run) == ERR_OK) {
		*sound = true;
	} else {
		first = err_save(ERR_INPUT);
		if (run_mend((struct bytes){ text.p, text.n }, &mended) &&
		    json_parse((struct bytes){ mended.p, mended.n }, path, &run) == ERR_OK)
			notes_add(missing, name,
				  "its run.json is cut off; what stands before is shown (%s)",
				  first.why);
		else
			notes_add(missing, name, "%s", first.why);
	}
	if (run && (json_type(run) != JSON_OBJECT || !json_first(run))) {
		notes_add(missing, name, "%s: expected schema_version %d, it says nothing", path,
			  RECORD_SCHEMA);
		json_free(run);
		run = NULL;
	} else if (run && !of_our_schema(run)) {
		*sound = false;
		notes_add(
		    missing, name,
		    "its run.json is not of schema_version %d: shown as far as it is understood",
		    RECORD_SCHEMA);
	}
	if (run) /* the terminal shows values of run.json, which may be of any origin */
		json_make_harmless(run);
	buf_release(&text);
	buf_release(&mended);
	free(path);
	return run;
}

static int by_role_and_directory(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return p->leads != q->leads ? (int)q->leads - (int)p->leads : strcmp(p->dir, q->dir);
}

static void add_process(struct run_dir *r, const char *dir, const char *base)
{
	struct process p = { .dir = alloc_copy(dir) };
	const char *name;

	p.run = report_read_some(dir, base, &p.sound, &r->missing);
	if (!p.run) {
		free(p.dir);
		return;
	}
	name = json_text(p.run, "role");
	p.leads = !strcmp(*name ? name : base, "coordinator");
	name = json_text(p.run, "name");
	p.name = alloc_copy(*name ? name : base);
	r->process = alloc_again(r->process, r->n + 1, sizeof(*r->process));
	r->process[r->n++] = p;
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Adds every subdirectory with a run.json, and a note on every subdirectory with only a log. */
static void add_below(struct run_dir *r)
{
	struct dirent **entry = NULL;
	int n = scandir(r->out, &entry, visible, alphasort);

	for (int i = 0; i < n; i++) {
		const char *base = entry[i]->d_name;
		char *dir = file_join(r->out, base), *path = file_join(dir, "run.json"),
		     *log = file_join(dir, "log.jsonl");

		if (i < RUN_PROCESSES_MAX && file_exists(path))
			add_process(r, dir, base);
		else if (i < RUN_PROCESSES_MAX && file_exists(log))
			notes_add(&r->missing, base,
				  "left no run.json: it was killed, or still runs");
		free(dir);
		free(path);
		free(log);
		free(entry[i]);
	}
	free(entry);
}

/* If out is one daemon's directory with many runs (it then has the log), returns the directory of
 * the run that began last. Otherwise returns NULL. Owned by the caller. */
static char *newest_below(const char *out)
{
	char *log = file_join(out, "log.jsonl"), *newest = NULL, *began = alloc_copy("");
	struct dirent **entry = NULL;
	int n = file_exists(log) ? scandir(out, &entry, visible, alphasort) : 0;

	for (int i = 0; i < n; i++) {
		char *dir = file_join(out, entry[i]->d_name), *path = file_join(dir, "run.json");
		struct json *run = NULL;
		const char *at;

		if (file_exists(path) && json_read(path, JSON_TEXT_MAX, &run) == ERR_OK &&
		    strcmp(at = json_text(run, "started"), began) > 0) {
			free(began);
			free(newest);
			began = alloc_copy(at);
			newest = alloc_copy(dir);
		}
		json_free(run);
		free(dir);
		free(path);
		free(entry[i]);
	}
	free(entry);
	free(began);
	free(log);
	return newest;
}

static void drop_process(struct run_dir *r, size_t i)
{
	free(r->process[i].dir);
	free(r->process[i].name);
	json_free(r->process[i].run);
	memmove(&r->process[i], &r->process[i + 1], (r->n - i - 1) * sizeof(*r->process));
	r->n--;
}

/* Adds a note if the coordinator is absent, and for each party that the first process names but
 * that left no files. */
static void note_absent(struct run_dir *r)
{
	const struct json *list = run_list(r->process[0].run, "parties");

	if (!run_dir_hub(r) && !notes_about(&r->missing, "coordinator"))
		notes_add(&r->missing, "coordinator", "nothing of it is below %s", r->out);
	for (const struct json *v = list ? json_first(list) : NULL; v; v = json_next(v)) {
		const char *name = json_type(v) == JSON_STRING ? json_string(v) : NULL;
		bool known = !name || notes_about(&r->missing, name);

		for (size_t i = 0; i < r->n && !known; i++)
			known = !strcmp(r->process[i].name, name);
		if (!known)
			notes_add(&r->missing, name, "nothing of it is below %s", r->out);
	}
}

enum err run_dir_read(const char *out, struct run_dir *r)
{
	char *own = file_join(out, "run.json"), *network = file_join(out, "network.json"),
	     *newest = file_exists(own) ? alloc_copy(out) : newest_below(out);
	const char *slash = strrchr(out, '/'), *job;

	*r = (struct run_dir){ .out = out, .alone = newest };
	if (r->alone)
		add_process(r, newest, slash && slash[1] ? slash + 1 : out);
	else
		add_below(r);
	free(newest);
	if (!r->n) {
		enum err err =
		    r->missing.n
			? err_set(ERR_INPUT, "%s: no run.json can be read; %s: %s", out,
				  r->missing.item[0].subject, r->missing.item[0].text)
			: err_set(ERR_INPUT, "%s/run.json: No such file, nor one below", out);

		run_dir_release(r);
		free(network);
		free(own);
		return err;
	}
	qsort(r->process, r->n, sizeof(*r->process), by_role_and_directory);
	job = json_text(r->process[0].run, "job_id"); /* all processes must have run this job */
	for (size_t i = r->n - 1; i > 0; i--) {
		const char *id = json_text(r->process[i].run, "job_id");

		if (!strcmp(id, job))
			continue;
		notes_add(&r->missing, r->process[i].name,
			  "its run.json is of another job (job_id \"%.40s\", expected \"%.40s\")",
			  id, job);
		drop_process(r, i);
	}
	if (!r->alone)
		note_absent(r);
	if (file_exists(network) && json_read(network, JSON_TEXT_MAX, &r->network) != ERR_OK)
		notes_add(&r->missing, "network", "%s", err_detail());
	free(network);
	free(own);
	return ERR_OK;
}

void run_dir_release(struct run_dir *r)
{
	while (r->n)
		drop_process(r, r->n - 1);
	free(r->process);
	json_free(r->network);
	for (size_t i = 0; i < r->missing.n; i++) {
		free(r->missing.item[i].subject);
		free(r->missing.item[i].text);
	}
	free(r->missing.item);
	*r = (struct run_dir){ 0 };
}

const struct process *run_dir_hub(const struct run_dir *r)
{
	return r->n && r->process[0].leads ? &r->process[0] : NULL;
}

const struct process *run_dir_party(const struct run_dir *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (!r->process[i].leads)
			return &r->process[i];
	}
	return NULL;
}

/* Returns the kind of a run; kcagc if the kind is missing or unknown to this version. */
static const struct kind *report_read_kind_of(const struct json *run)
{
	const struct kind *kind = kind_named(json_text(run_object(run, "job"), "kind"));

	return kind ? kind : kinds[0];
}

bool run_has_own_rows(const struct json *run)
{
	return report_read_kind_of(run)->split != SPLIT_COLUMNS;
}

bool run_is_embedding(const struct json *run)
{
	return report_read_kind_of(run)->embeds;
}

const char *run_things(const struct json *run, bool one)
{
	return one ? report_read_kind_of(run)->thing : report_read_kind_of(run)->things;
}

bool run_is_of_graphs(const struct json *run)
{
	return report_read_kind_of(run)->split == SPLIT_GRAPHS;
}

enum err run_dir_labels(const struct run_dir *r, struct run_labels *labels)
{
	const struct process *party = run_dir_party(r);
	bool apart = run_has_own_rows(r->process[0].run);
	const char *align = json_text(run_object(r->process[0].run, "job"), "align");

	*labels = (struct run_labels){ .common = *align && strcmp(align, "same") != 0 };
	if (run_is_embedding(r->process[0].run))
		return err_set(ERR_INPUT,
			       "%s: a job of kind fedwalk has embeddings and no labels: coterie "
			       "classify says what they are worth",
			       r->out);
	if ((apart || labels->common) && !party)
		return err_set(ERR_INPUT,
			       "%s: the coordinator has no labels by id of a job of kind %s, each "
			       "party has those of its own rows or nodes: name a directory with "
			       "theirs below it, or a party's",
			       r->out, json_text(run_object(r->process[0].run, "job"), "kind"));
	ALLOC(labels->path, r->n);
	for (size_t i = 0; i < r->n; i++) {
		const struct process *p = &r->process[i];

		if (apart ? !p->leads : p == (party ? party : r->process))
			labels->path[labels->n++] = file_join(p->dir, "labels.csv");
	}
	return ERR_OK;
}

void run_labels_release(struct run_labels *labels)
{
	for (size_t i = 0; i < labels->n; i++)
		free(labels->path[i]);
	free(labels->path);
	*labels = (struct run_labels){ 0 };
}

struct run_words run_job_words(const struct json *job)
{
	static const char *const keys[] = { "method",     "variant",     "mode", "preset",
					    "prototypes", "aggregation", "final" };
	struct run_words words;
	int n = snprintf(words.s, sizeof(words.s), "%.30s", json_text(job, "kind"));

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (*json_text(job, keys[i]))
			n += snprintf(words.s + n, sizeof(words.s) - (size_t)n, ", %s %.30s",
				      keys[i], json_text(job, keys[i]));
	return words;
}
