/* coterie status: shows the state of a daemon on this host. */
#include "common/base/machine.h"
#include "cli/args/args.h"
#include "cli/args/table.h"
#include "cli/job/ask.h"

#include <stdio.h>
#include <string.h>

enum { INDENT = 11 };

static const struct argp_option options[] = { ASK_OPTIONS("daemon", "print JSON"), { 0 } };

static error_t status_parse(int key, char *arg, struct argp_state *state)
{
	return ask_option(key, arg, state->input) ? 0 : args_none(key, arg, state);
}

static const struct json *first_in(const struct json *o, const char *key)
{
	const struct json *list = json_get_as(o, key, JSON_ARRAY);

	return list ? json_first(list) : NULL;
}

/* Returns an age such as "3 s", "12 min", "5 h", "9 days". */
static const char *age(double s)
{
	static char text[4][32];
	static unsigned next;
	const double of[] = { 1, 60, 3600, 86400 };
	const char *const unit[] = { "s", "min", "h", "days" };
	size_t i = s < 120 ? 0 : s < 7200 ? 1 : s < 172800 ? 2 : 3;

	next = (next + 1) % 4;
	snprintf(text[next], sizeof(text[0]), "%.0f %s", s / of[i], unit[i]);
	return text[next];
}

static void status_end_line(struct buf *text)
{
	buf_add(text, "", 1);
	table_line(INDENT, "%s", (const char *)text->p);
	buf_release(text);
}

/* Returns the entry of party `name` in "parties", which a coordinator's answer d has besides the
 * snapshot. Returns NULL for other answers. */
static const struct json *party_named(const struct json *d, const char *name)
{
	for (const struct json *p = first_in(d, "parties"); p; p = json_next(p))
		if (!strcmp(json_text(p, "name"), name))
			return p;
	return NULL;
}

static void show_peers(const struct json *d)
{
	static const char *const heads[] = { "peer",    "is",          "for", "software",
					     "address", "last joined", "job" };
	struct table *t = table_new(heads, 7);

	for (const struct json *p = first_in(d, "peers"); p; p = json_next(p)) {
		const struct json *party = party_named(d, json_text(p, "name")), *there;
		const char *refused = party ? json_text(party, "refused") : "";

		there = json_get_as(p, "connected", JSON_BOOL);
		table_cell(t, "%s", json_text(p, "name"));
		table_cell(t, "%s%s%s", there && json_bool(there) ? "connected" : "away",
			   *refused ? ", refused: " : "", refused);
		table_cell(t, "%s", age(json_number_of(p, "since_s", 0)));
		table_cell(t, "%s",
			   *json_text(p, "software") || !party ? json_text(p, "software")
							       : json_text(party, "software"));
		table_cell(t, "%s", json_text(p, "address"));
		table_cell(t, "%.16s", party ? json_text(party, "last_joined") : "");
		table_cell(t, "%.8s", json_text(p, "job"));
	}
	table_print(t, stdout, table_width());
	table_free(t);
}

static void show_job(const struct json *j)
{
	const struct json *phase = NULL;
	struct buf text = { 0 }, state = { 0 };

	for (const struct json *p = first_in(j, "phases"); p; p = json_next(p))
		phase = p;
	job_state_text(j, &state);
	buf_printf(&text, "job        %.8s of %s, %s, attempt %.0f, %s since %s",
		   json_text(j, "id"), *json_text(j, "submitter") ? json_text(j, "submitter") : "?",
		   json_text(j, "kind"), json_number_of(j, "attempt", 0), (const char *)state.p,
		   age(json_number_of(j, "elapsed_s", 0)));
	if (phase)
		buf_printf(&text, "; phase %s for %s", json_text(phase, "name"),
			   age(json_number_of(phase, "seconds", 0)));
	buf_release(&state);
	status_end_line(&text);
}

static bool is_under_way(const struct json *j)
{
	const char *state = json_text(j, "state");

	return !strcmp(state, "running") || !strcmp(state, "waiting") ||
	       !strcmp(state, "awaiting approval");
}

static void show_queue(const struct json *q)
{
	table_line(INDENT,
		   "queue      %.0f run, %.0f queued, %.0f wait for parties; %.0f done, %.0f "
		   "failed, %.0f cancelled",
		   json_number_of(q, "running", 0), json_number_of(q, "queued", 0),
		   json_number_of(q, "waiting_for_parties", 0), json_number_of(q, "done", 0),
		   json_number_of(q, "failed", 0), json_number_of(q, "cancelled", 0));
	if (*json_text(q, "trouble"))
		table_line(INDENT, "trouble    %s", json_text(q, "trouble"));
}

static void show_left(struct buf *text, const struct json *limits, const char *what, double spent)
{
	double most = json_number_of(limits, what, 0);

	if (most > 0)
		buf_printf(text, ", %.0f of %.0f %s", spent, most, what);
	else
		buf_printf(text, ", %.0f %s", spent, what);
}

static void show_standing(const struct json *d)
{
	const struct json *ledger = json_get_as(d, "ledger", JSON_OBJECT),
			  *b = json_get_as(d, "budgets", JSON_OBJECT);
	const struct json *limits = json_get_as(b, "limits", JSON_OBJECT);

	if (ledger)
		table_line(INDENT, "ledger     %.0f rows, head %.16s",
			   json_number_of(ledger, "count", 0), json_text(ledger, "head"));
	for (const struct json *s = first_in(b, "spent"); s; s = json_next(s)) {
		struct buf text = { 0 };

		buf_printf(&text, "spent      %s, data %s", json_text(s, "coordinator"),
			   json_text(s, "data"));
		show_left(&text, limits, "jobs", json_number_of(s, "jobs", 0));
		show_left(&text, limits, "rounds", json_number_of(s, "rounds", 0));
		show_left(&text, limits, "words", json_number_of(s, "words", 0));
		for (const struct json *u = first_in(s, "privacy"); u; u = json_next(u))
			buf_printf(&text, ", eps %.4g of each %s", json_number_of(u, "eps", 0),
				   json_text(u, "unit"));
		if (json_number_of(limits, "eps", 0) > 0)
			buf_printf(&text, " of %g", json_number_of(limits, "eps", 0));
		status_end_line(&text);
	}
}

static void status_show(const struct json *d)
{
	const struct json *certificate = json_get_as(d, "certificate", JSON_OBJECT);
	const struct json *disk = json_get_as(d, "disk", JSON_OBJECT),
			  *queue = json_get_as(d, "queue", JSON_OBJECT);

	table_line(INDENT, "%-10s %s, %s, started %s, %s", json_text(d, "role"),
		   json_text(d, "name"), json_text(d, "software"), json_text(d, "started"),
		   json_text(d, "phase"));
	for (const struct json *j = first_in(d, "jobs"); j; j = json_next(j))
		if (is_under_way(j))
			show_job(j);
	if (queue)
		show_queue(queue);
	show_standing(d);
	if (certificate)
		table_line(INDENT, "certificate until %s, %.0f days",
			   json_text(certificate, "until"), json_number_of(certificate, "days", 0));
	if (disk)
		table_line(INDENT, "disk       %s free for %s",
			   size_text(json_number_of(disk, "free_bytes", 0)).s,
			   json_text(disk, "output"));
	show_peers(d);
}

static enum err status_run(void *arguments)
{
	struct asking *a = arguments;
	struct json *request = json_object(), *answer = NULL;
	const struct json *d;
	enum err e = ask_where(a, true);

	json_put_string(request, "do", "status");
	if (e == ERR_OK)
		e = job_ask(a, request, &answer);
	d = e == ERR_OK ? json_get_as(answer, "daemon", JSON_OBJECT) : NULL;
	if (e == ERR_OK && !d)
		e = err_set(ERR_PEER, "the daemon sent no status");
	if (e == ERR_OK && a->json)
		args_print(d);
	else if (e == ERR_OK)
		status_show(d);
	json_free(answer);
	json_free(request);
	ask_release(a);
	return e;
}

int status_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = status_parse,
		.doc = "Shows the state of a party, or of a coordinator with --serve: peers "
		       "with their versions, running job and phase with their times, queue, "
		       "ledger and remaining budgets, certificate, disk.\vThe socket is that of "
		       "--socket, --config, COTERIE_SOCKET, "
		       "/run/coterie-coordinator/control.socket or, if there is no coordinator, "
		       "/run/coterie-party/control.socket. control.viewers lists the users who "
		       "may ask. Exit status: 0 done, 2 no daemon answers, 4 this user may not "
		       "ask.",
	};
	return (int)args_run("status", &argp, argc, argv, &(struct asking){ 0 }, status_run);
}
