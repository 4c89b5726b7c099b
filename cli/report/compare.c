/* coterie compare: shows several runs side by side. */
#include "cli/args/args.h"
#include "cli/args/table.h"
#include "cli/report/report_page.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 64, OPT_CSV = 256 };

struct arguments {
	const char *run[RUNS_MAX], *page, *csv;
	size_t n;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "a page (HTML), which needs nothing else", 0 },
	{ "csv", OPT_CSV, "FILE", 0, "a line for each run", 0 },
	{ 0 }
};

static error_t compare_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 'o', ARGS_TO(a->page) },
		{ OPT_CSV, ARGS_TO(a->csv) },
		{ 0 },
	};

	switch (key) {
	case ARGP_KEY_ARG:
		if (a->n == RUNS_MAX)
			argp_error(state, "more than %d runs", RUNS_MAX);
		a->run[a->n++] = arg;
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->n >= 2, "two runs or more are needed");
		return 0;
	default:
		return args_take(options, fields, key, arg, state);
	}
}

enum { METRICS = 11 };
static const struct metric {
	const char *name;
	struct shown (*show)(double);
	const char *object, *key; /* in run.json; key NULL: total bytes of the links */
} metrics[METRICS] = {
	{ "seconds", show_seconds, NULL, "elapsed_s" },
	{ "rounds", show_count, NULL, "rounds" },
	{ "round_trips", show_count, NULL, "round_trips" },
	{ "link_bytes", show_bytes, NULL, NULL },
	{ "memory_bytes", show_bytes, NULL, "memory_peak_bytes" },
	{ "rows", show_count, "result", "rows" },
	{ "clusters", show_count, "result", "clusters" },
	{ "acc", show_score, "evaluation", "acc" },
	{ "nmi", show_score, "evaluation", "nmi" },
	{ "ari", show_score, "evaluation", "ari" },
	{ "f1", show_score, "evaluation", "f1" },
};

struct one {
	struct report r;
	double v[METRICS]; /* NAN if absent */
};

struct all {
	struct one *one;
	size_t n;
};

static enum err compare_read_run(const char *out, struct one *o)
{
	const struct json *run;

	TRY(run_dir_read(out, &o->r.runs));
	o->r.main = &o->r.runs.process[0];
	run = o->r.main->run;
	for (size_t m = 0; m < METRICS; m++) {
		const struct json *from =
		    metrics[m].object ? run_object(run, metrics[m].object) : run;
		double bytes = metrics[m].key ? -1 : report_bytes(&o->r);

		o->v[m] = metrics[m].key && run_has(from, metrics[m].key)
			      ? run_number(from, metrics[m].key)
			  : bytes >= 0 ? bytes
				       : NAN;
	}
	return ERR_OK;
}

static bool compare_has_metric(const struct all *all, size_t m)
{
	for (size_t i = 0; i < all->n; i++)
		if (!isnan(all->one[i].v[m]))
			return true;
	return false;
}

static const char *compare_output_of(const struct one *o)
{
	return o->r.runs.out;
}

static const struct json *job_of(const struct one *o)
{
	return run_object(o->r.main->run, "job");
}

static char *compare_text_of(const struct json *v)
{
	struct buf b = { 0 };

	if (v && json_type(v) == JSON_STRING)
		return alloc_copy(json_string(v));
	if (v)
		json_write(v, &b);
	buf_add(&b, "", 1);
	return (char *)b.p;
}

/* Member "outer.inner" of a job; inner NULL: member "outer". */
static const struct json *compare_member(const struct json *job, const char *outer,
					 const char *inner)
{
	const struct json *v = job ? json_get(job, outer) : NULL;

	return !inner ? v : v && json_type(v) == JSON_OBJECT ? json_get(v, inner) : NULL;
}

/* Calls row once for each parameter in which jobs differ. A parameter is reported for the first
 * job that has it. */
static void
each_difference(const struct all *all, const char *outer, const struct json *in, size_t from,
		void (*row)(const struct all *all, const char *outer, const char *inner, void *arg),
		void *arg)
{
	for (const struct json *v = in ? json_first(in) : NULL; v; v = json_next(v)) {
		const char *a = outer ? outer : json_key(v), *b = outer ? json_key(v) : NULL;
		bool differs = false, seen = false;
		char *here;

		if (!outer && json_type(v) == JSON_OBJECT) {
			each_difference(all, a, v, from, row, arg);
			continue;
		}
		here = compare_text_of(v);
		for (size_t i = 0; i < all->n; i++) {
			char *there = compare_text_of(compare_member(job_of(&all->one[i]), a, b));

			seen = seen || (i < from && *there);
			differs = differs || strcmp(here, there) != 0;
			free(there);
		}
		if (differs && !seen)
			row(all, a, b, arg);
		free(here);
	}
}

static void differences(const struct all *all,
			void (*row)(const struct all *all, const char *outer, const char *inner,
				    void *arg),
			void *arg)
{
	for (size_t i = 0; i < all->n; i++)
		each_difference(all, NULL, job_of(&all->one[i]), i, row, arg);
}

static size_t shared_directory(const struct all *all)
{
	const char *first = compare_output_of(&all->one[0]);
	size_t n = 0;

	for (size_t i = 0; all->n > 1 && first[i]; i++) {
		for (size_t k = 1; k < all->n; k++)
			if (compare_output_of(&all->one[k])[i] != first[i])
				return n;
		if (first[i] == '/')
			n = i + 1;
	}
	return first[n] ? n : 0;
}

static void compare_print(const struct all *all)
{
	static const char *const heads[] = { "run",    "job",  ">seconds", ">rounds",
					     ">bytes", ">acc", ">nmi" };
	static const size_t shown_metrics[] = { 0, 1, 3, 7, 8 };
	struct table *t = table_new(heads, 7);
	size_t shared = shared_directory(all);

	if (shared)
		table_line(2, "in %.*s:", (int)shared, compare_output_of(&all->one[0]));
	for (size_t i = 0; i < all->n; i++) {
		const struct one *o = &all->one[i];

		table_cell(t, "%s", compare_output_of(o) + shared);
		table_cell(t, "%s",
			   job_of(o) ? run_job_words(job_of(o)).s
				     : json_text(o->r.main->run, "status"));
		for (size_t k = 0; k < 5; k++) {
			size_t m = shown_metrics[k];

			table_cell(t, "%s", isnan(o->v[m]) ? "" : metrics[m].show(o->v[m]).s);
		}
	}
	table_print(t, stdout, table_width());
	table_free(t);
}

static void csv_text(struct buf *b, const char *text)
{
	buf_add(b, "\"", 1);
	for (; *text; text++)
		buf_printf(b, *text == '"' ? "\"\"" : "%c", *text);
	buf_add(b, "\"", 1);
}

static void csv(const struct all *all, struct buf *b)
{
	buf_printf(b, "run,status,job");
	for (size_t m = 0; m < METRICS; m++)
		buf_printf(b, ",%s", metrics[m].name);
	buf_printf(b, "\n");
	for (size_t i = 0; i < all->n; i++) {
		const struct one *o = &all->one[i];

		csv_text(b, compare_output_of(o));
		buf_add(b, ",", 1);
		csv_text(b, json_text(o->r.main->run, "status"));
		buf_add(b, ",", 1);
		csv_text(b, job_of(o) ? run_job_words(job_of(o)).s : "");
		for (size_t m = 0; m < METRICS; m++)
			buf_printf(b, ",%s", isnan(o->v[m]) ? "" : show_plain(o->v[m]).s);
		buf_printf(b, "\n");
	}
}

static void row_of_runs(const struct all *all, struct buf *b)
{
	for (size_t i = 0; i < all->n; i++)
		buf_printf(b, "<th>%s</th>", html_of(compare_output_of(&all->one[i])).s);
	buf_printf(b, "</tr></thead>\n<tbody>\n");
}

static void difference_row(const struct all *all, const char *outer, const char *inner, void *html)
{
	struct buf *b = html;

	buf_printf(b, "<tr><th scope=\"row\">%s%s%s</th>", html_of(outer).s, inner ? "." : "",
		   inner ? html_of(inner).s : "");
	for (size_t i = 0; i < all->n; i++) {
		char *text = compare_text_of(compare_member(job_of(&all->one[i]), outer, inner));

		buf_printf(b, "<td>%s</td>", html_brief(text, 60).s);
		free(text);
	}
	buf_printf(b, "</tr>\n");
}

static void bars(const struct all *all, size_t m, struct buf *b)
{
	double most = 0;

	for (size_t i = 0; i < all->n; i++)
		most = fmax(most, isnan(all->one[i].v[m]) ? 0 : all->one[i].v[m]);
	if (!(most > 0))
		return;
	html_section(b, metrics[m].name, metrics[m].name);
	buf_printf(b, "<table class=\"bars\">\n");
	for (size_t i = 0; i < all->n; i++)
		if (!isnan(all->one[i].v[m]))
			buf_printf(b,
				   "<tr><th scope=\"row\">%s</th><td class=\"bar\"><svg "
				   "width=\"100%%\" height=\"14\"><rect class=\"compute\" "
				   "width=\"%.2f%%\" height=\"14\"/></svg></td><td>%s</td></tr>\n",
				   html_brief(compare_output_of(&all->one[i]), 40).s,
				   axis_percent(all->one[i].v[m], 0, most),
				   html_data(all->one[i].v[m], metrics[m].show).s);
	buf_printf(b, "</table>\n</section>\n");
}

static void page(const struct all *all, struct buf *b)
{
	static const size_t drawn[] = { 0, 3, 7, 8 };

	report_head(b, "runs compared", "runs compared");
	buf_printf(b, "<h1>%zu runs</h1>\n</header>\n", all->n);
	html_section(b, "numbers", "Cost and results");
	buf_printf(
	    b,
	    "<div class=\"scroll\"><table class=\"numbers\" id=\"compared\"><thead><tr><th></th>");
	row_of_runs(all, b);
	buf_printf(b, "<tr><th scope=\"row\">status</th>");
	for (size_t i = 0; i < all->n; i++)
		buf_printf(b, "<td>%s</td>",
			   html_brief(json_text(all->one[i].r.main->run, "status"), 40).s);
	buf_printf(b, "</tr>\n");
	for (size_t m = 0; m < METRICS; m++) {
		if (!compare_has_metric(all, m))
			continue;
		buf_printf(b, "<tr><th scope=\"row\">%s</th>", metrics[m].name);
		for (size_t i = 0; i < all->n; i++)
			buf_printf(b, "<td>%s</td>",
				   isnan(all->one[i].v[m])
				       ? ""
				       : html_data(all->one[i].v[m], metrics[m].show).s);
		buf_printf(b, "</tr>\n");
	}
	buf_printf(b, "</tbody></table></div>\n</section>\n");
	html_section(b, "parameters", "Parameters in which the jobs differ");
	buf_printf(b, "<div class=\"scroll\"><table class=\"numbers\" "
		      "id=\"differences\"><thead><tr><th></th>");
	row_of_runs(all, b);
	differences(all, difference_row, b);
	buf_printf(b, "</tbody></table></div>\n</section>\n");
	for (size_t k = 0; k < sizeof(drawn) / sizeof(*drawn); k++)
		bars(all, drawn[k], b);
	buf_printf(b, "<footer>Made by coterie " COTERIE_VERSION
		      " from the runs' run.json.</footer>\n</main>\n</body>\n</html>\n");
}

static enum err write_out(const char *path, struct buf *b)
{
	enum err e = file_write(path, (struct bytes){ b->p, b->n }, FILE_SECRET);

	if (e == ERR_OK)
		printf("written: %s\n", path);
	buf_release(b);
	return e;
}

static enum err compare_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct one *one = alloc(a->n, sizeof(*one));
	struct all all = { .one = one };
	struct buf b = { 0 };
	enum err e = ERR_OK;

	memset(one, 0, a->n * sizeof(*one));
	for (; all.n < a->n && e == ERR_OK; all.n += e == ERR_OK)
		e = compare_read_run(a->run[all.n], &one[all.n]);
	if (e == ERR_OK)
		compare_print(&all);
	if (e == ERR_OK && a->csv) {
		csv(&all, &b);
		e = write_out(a->csv, &b);
	}
	if (e == ERR_OK && a->page) {
		page(&all, &b);
		e = write_out(a->page, &b);
	}
	for (size_t i = 0; i < all.n; i++)
		run_dir_release(&one[i].r.runs);
	free(one);
	return e;
}

int compare_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = compare_parse,
		.args_doc = "RUN RUN...",
		.doc = "Compares runs: seconds, rounds, bytes, memory, scores, and the parameters "
		       "in which their jobs differ.\vRUN is what coterie launch made, or the "
		       "output directory of one daemon. Scores are those that coterie report "
		       "--truth has recorded.",
	};
	return (int)args_run("compare", &argp, argc, argv, &(struct arguments){ 0 }, compare_run);
}
