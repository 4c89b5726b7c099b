#include "cli/doctor/doctor.h"
#include "cli/args/args.h"
#include "cli/args/table.h"
#include "common/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct arguments {
	const char *config;
	bool json;
};

enum { OPT_JSON = 256 };

static const struct argp_option options[] = {
	{ "config", 'c', "FILE", 0, "configuration of a party or a coordinator", 0 },
	{ "json", OPT_JSON, NULL, 0, "print a JSON array instead of the table", 0 },
	{ 0 }
};

static error_t doctor_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 'c', ARGS_TO(a->config) },
		{ OPT_JSON, ARGS_TO(a->json) },
		{ 0 },
	};

	if (key == ARGP_KEY_END)
		args_need(state, a->config, "--config is needed");
	return args_take(options, fields, key, arg, state);
}

void checkup_add(struct checkup *c, enum verdict verdict, const char *check, const char *advice,
		 const char *fmt, ...)
{
	struct finding *f;
	va_list ap;

	c->item = alloc_again(c->item, c->n + 1, sizeof(*c->item));
	f = &c->item[c->n++];
	*f = (struct finding){ .verdict = verdict, .check = check, .advice = advice };
	va_start(ap, fmt);
	vsnprintf(f->found, sizeof(f->found), fmt, ap);
	va_end(ap);
}

bool checkup_failed(struct checkup *c, enum err e, const char *check, const char *advice)
{
	if (e != ERR_OK)
		checkup_add(c, WRONG, check, advice, "%s", err_detail());
	return e != ERR_OK;
}

static void doctor_print(const struct checkup *c)
{
	static const char *const heads[] = { "check", "found", "what to do" };
	struct table *t = table_new(heads, 3);

	for (size_t i = 0; i < c->n; i++) {
		const struct finding *f = &c->item[i];

		table_cell(t, "%s", f->check);
		table_cell(t, "%s", f->found);
		table_cell(t, "%s%s", f->verdict == NOTE && *f->advice ? "note: " : "", f->advice);
	}
	table_print(t, stdout, table_width());
	table_free(t);
}

static void print_json(const struct checkup *c)
{
	static const char *const words[] = { [FINE] = "fine", [NOTE] = "note", [WRONG] = "wrong" };
	struct json *all = json_array();

	for (size_t i = 0; i < c->n; i++) {
		struct json *o = json_append_object(all);

		json_put_string(o, "check", c->item[i].check);
		json_put_string(o, "verdict", words[c->item[i].verdict]);
		json_put_string(o, "found", c->item[i].found);
		json_put_string(o, "do", c->item[i].advice);
	}
	args_print(all);
	json_free(all);
}

/* Only a party's configuration has the key "coordinator". */
static enum err is_party(const char *path, bool *party)
{
	struct json *root;

	TRY(json_read(path, DAEMON_TEXT_MAX, &root));
	*party = json_type(root) == JSON_OBJECT && json_get(root, "coordinator");
	json_free(root);
	return ERR_OK;
}

static enum err doctor_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct checkup c = { 0 };
	size_t wrong = 0;
	bool party;

	TRY(is_party(a->config, &party));
	if (party) {
		struct party_config config;

		TRY(party_config_read(&config, a->config, NULL));
		doctor_party(&c, &config);
		party_config_release(&config);
	} else {
		struct coordinator_config config;

		TRY(coordinator_config_read(&config, a->config, NULL));
		doctor_coordinator(&c, &config);
		coordinator_config_release(&config);
	}
	for (size_t i = 0; i < c.n; i++)
		wrong += c.item[i].verdict == WRONG;
	if (a->json)
		print_json(&c);
	else
		doctor_print(&c);
	free(c.item);
	return wrong ? err_set(ERR_JOB, "%zu of %zu checks failed", wrong, c.n) : ERR_OK;
}

int doctor_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = doctor_parse,
		.doc = "Checks the needs of a party or a coordinator, without a job: keys, "
		       "certificates, directories, data, memory, limits, clock, and a party's "
		       "connection to its coordinator. It changes nothing.\vExit status: 0 all "
		       "checks passed, 1 a check failed, 4 the configuration cannot be read.",
	};

	return (int)args_run("doctor", &argp, argc, argv, &(struct arguments){ 0 }, doctor_run);
}
