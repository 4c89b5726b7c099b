#include "cli/report/gather.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/cluster/selection.h"
#include "common/data/csv.h"

#include <stdlib.h>
#include <string.h>

/* If there are more than STEPS_MOST steps in total, a page shows only phases. */
enum { STEPS_MOST = 20000, PROFILE_BYTES_MAX = 1 << 20, PROFILE_FIELDS_MAX = 16 };

static bool has_list(const struct json *run, const char *object, const char *key)
{
	const struct json *list = run_list(*object ? run_object(run, object) : run, key);

	return list && json_first(list);
}

/* Adds a note on each file or member that a complete run has and this run lacks, and on the parts
 * of the page that are therefore missing. */
static void note_missing(struct report *r)
{
	const struct process *first = &r->runs.process[0];
	const struct json *run = first->run;
	bool sizes = run_is_embedding(run), has[] = {
		run_has(run, "round_trips"),
		has_list(run, "result", "cluster_sizes") || sizes,
		has_list(run, "", "traffic"),
		has_list(run, "", "peers"),
		has_list(run, "", "leaks"),
		run_object(run, "job") != NULL,
		!run_true(r->runs.network, "discarded"),
	};
	static const char *const text[] = {
		"its run.json does not count round trips",
		"its run.json has no result: no cluster sizes",
		"its run.json has no traffic: no links, bytes and messages",
		"its run.json has no peers: no TCP round trips, no congestion control",
		"its run.json has no disclosures (leaks)",
		"its run.json does not hold the job",
		"packets were late in the lab and the run was discarded: its seconds are "
		"meaningless",
	};

	for (size_t i = 0; i < sizeof(has) / sizeof(*has); i++)
		if (!has[i])
			notes_add(&r->runs.missing, first->name, "%s", text[i]);
	for (size_t i = 0; i < r->runs.n; i++)
		if (!has_list(r->runs.process[i].run, "", "steps") &&
		    !has_list(r->runs.process[i].run, "", "phases"))
			notes_add(&r->runs.missing, r->runs.process[i].name,
				  "its run.json has no steps: no lane for it");
}

static void put_warning(void *list, const char *code, const char *sentence, const char *names)
{
	struct json *o = json_append_object(list);

	json_put_string(o, "code", code);
	json_put_string(o, "sentence", sentence);
	json_put_string(o, "names", names);
}

/* Reads a table, and checks that its lines have as many fields as the first. */
static enum err read_profile(const char *path, struct buf *text)
{
	struct csv_record record = { 0 };
	bool there = true;
	size_t fields = 0;
	struct text t;
	enum err e = file_read_text(path, PROFILE_BYTES_MAX, text);

	if (e == ERR_OK)
		t = text_open((struct bytes){ text->p, text->n }, path);
	while (e == ERR_OK && there) {
		e = csv_record(&t, ',', 0, PROFILE_FIELDS_MAX, &record, &there);
		if (e == ERR_OK && there && fields && record.n != fields)
			e = err_set(ERR_INPUT, "%s:%zu: %zu fields, expected %zu as on line 1",
				    path, record.line, record.n, fields);
		fields = record.n;
	}
	csv_record_release(&record);
	return e;
}

static void put_profile(struct report *r, const struct process *p, const char *name,
			const char *member, struct json *page)
{
	char *path = file_join(p->dir, name);
	struct buf text = { 0 };

	if (file_exists(path) && read_profile(path, &text) != ERR_OK)
		notes_add(&r->runs.missing, name, "%s", err_detail());
	else if (text.n)
		json_put_string(page, member, (const char *)text.p);
	buf_release(&text);
	free(path);
}

static void put_points(struct report *r, struct json *page)
{
	struct picture *p = &r->picture;
	struct json *o, *xy, *label, *id;

	if (!p->n)
		return;
	o = json_put(page, "points", p->more);
	p->more = NULL;
	json_put_string(o, "of", r->picture_of);
	json_put_string(o, "caption", p->caption);
	json_put_number(o, "clusters", (double)p->clusters);
	json_put_number(o, "total", (double)p->total);
	json_put_number(o, "side", PICTURE_SIDE);
	xy = json_put_array(o, "xy");
	label = json_put_array(o, "label");
	id = json_put_array(o, "id");
	for (size_t i = 0; i < p->n; i++) {
		json_append_number(xy, p->place[2 * i]);
		json_append_number(xy, p->place[2 * i + 1]);
		json_append_number(label, p->label[i]);
		json_append_string(id, p->id[i]);
	}
}

static void put_processes(struct report *r, struct json *page)
{
	static const char *const dropped[] = { "data", "files", "ledger", "attempts" };
	struct json *list = json_put_array(page, "processes");
	size_t steps = 0;

	for (size_t i = 0; i < r->runs.n; i++) {
		const struct json *s = run_list(r->runs.process[i].run, "steps");

		steps += s ? json_count(s) : 0;
	}
	for (size_t i = 0; i < r->runs.n; i++) {
		struct process *p = &r->runs.process[i];
		struct json *o = json_append_object(list);

		for (size_t k = 0; k < sizeof(dropped) / sizeof(*dropped); k++)
			json_free(json_take(p->run, dropped[k]));
		if (steps > STEPS_MOST)
			json_free(json_take(p->run, "steps"));
		json_put_string(o, "name", p->name);
		json_put_bool(o, "leads", p->leads);
		json_put(o, "run", p->run);
		p->run = NULL;
	}
}

struct json *report_gather(struct report *r)
{
	const struct json *run = r->runs.process[0].run;
	const struct process *party = run_dir_party(&r->runs);
	struct json *page = json_object(), *list, *o;

	json_put_string(page, "page", "report");
	json_put_string(page, "software", "coterie " COTERIE_VERSION);
	json_put_string(page, "out", r->runs.out);
	json_put_bool(page, "alone", r->runs.alone);
	json_put_string(page, "thing", run_things(run, true));
	json_put_string(page, "things", run_things(run, false));
	json_put_string(page, "words", run_job_words(run_object(run, "job")).s);
	json_put_number(page, "stable", SELECTION_STABLE);
	run_dir_warnings(&r->runs, put_warning, json_put_array(page, "warnings"));
	put_points(r, page);
	if (party)
		put_profile(r, party, "profile-joint.csv", "profile-joint", page);
	if (party && r->runs.alone)
		put_profile(r, party, "profile.csv", "profile", page);
	if (r->runs.network) {
		json_put(page, "network", r->runs.network);
		json_make_harmless(r->runs.network);
	}
	note_missing(r);
	r->runs.network = NULL;
	list = json_put_array(page, "missing");
	for (size_t i = 0; i < r->runs.missing.n; i++) {
		o = json_append_object(list);
		json_put_string(o, "subject", r->runs.missing.item[i].subject);
		json_put_string(o, "text", r->runs.missing.item[i].text);
	}
	put_processes(r, page);
	return page;
}
