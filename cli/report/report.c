/* coterie report: makes one HTML page from the files of a run. */
#include "cli/args/args.h"
#include "cli/report/evaluation.h"
#include "cli/report/gather.h"
#include "cli/report/page.h"
#include "cli/run/graph_scores.h"
#include "common/base/alloc.h"
#include "common/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct arguments {
	const char *out, *page, *truth, *data, *config, *points, *by;
	struct picture_layout layout;
	char layout_name[PICTURE_LAYOUT_NAME_MAX + 1];
	bool no_record;
};

enum { KEY_TSNE = 256, KEY_POINTS, KEY_LAYOUT, KEY_BY, KEY_NO_RECORD };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "page to write; default OUT/report.html", 0 },
	{ "truth", 't', "FILE", 0,
	  "known classes, in the order of the data's rows or with ids, for accuracy, NMI, ARI, "
	  "macro-F1 and the confusion matrix; for fedgcn \"own\" or a directory, as for show",
	  0 },
	{ "data", 'd', "DIR", 0, "data directory of the points to draw", 0 },
	{ "config", 'c', "FILE", 0,
	  "configuration of the party, which has the paths of its "
	  "data",
	  0 },
	{ "by", KEY_BY, "COLUMN", 0,
	  "count the rows of each cluster by the values of a column of the party's features", 0 },
	{ "points", KEY_POINTS, "FILE", 0, "write the drawn points in all dimensions, as .npy", 0 },
	{ "layout", KEY_LAYOUT, "NAME=FILE", 0,
	  "draw the points of --points at the places in FILE (.npy of n x 2), which method NAME "
	  "computed; default: principal components",
	  0 },
	{ "tsne", KEY_TSNE, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "no-record", KEY_NO_RECORD, NULL, 0, "do not change run.json", 0 },
	{ 0 },
};

static void parse_layout(struct argp_state *state, char *arg, struct arguments *a)
{
	const char *equals = strchr(arg, '=');
	size_t n = equals ? (size_t)(equals - arg) : 0;

	if (n < 1 || n > PICTURE_LAYOUT_NAME_MAX || !equals[1])
		argp_error(state, "--layout %s: expected NAME=FILE, NAME of 1 to %d bytes", arg,
			   PICTURE_LAYOUT_NAME_MAX);
	memcpy(a->layout_name, arg, n);
	a->layout = (struct picture_layout){ a->layout_name, equals + 1 };
}

static error_t report_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 'o', ARGS_TO(a->page) },
		{ 't', ARGS_TO(a->truth) },
		{ 'd', ARGS_TO(a->data) },
		{ 'c', ARGS_TO(a->config) },
		{ KEY_BY, ARGS_TO(a->by) },
		{ KEY_POINTS, ARGS_TO(a->points) },
		{ KEY_NO_RECORD, ARGS_TO(a->no_record) },
		{ ARGP_KEY_ARG, ARGS_TO(a->out) },
		{ 0 },
	};

	switch (key) {
	case KEY_TSNE:
		argp_error(state, "--tsne was removed after 0.2.0: the Python package draws by "
				  "t-SNE, coterie.Run(OUT).report(PROCESS, tsne=True)");
		return EINVAL;
	case KEY_LAYOUT:
		parse_layout(state, arg, a);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->out, "the run's directory is missing");
		if (a->data && a->config)
			argp_error(state, "--data and --config exclude each other");
		return 0;
	default:
		return args_take(options, fields, key, arg, state);
	}
}

static enum err evaluate(const char *truth, struct report *r)
{
	char *const path[] = { (char *)truth };
	struct run_labels labels;
	struct json *e;
	enum err err;

	if (run_is_of_graphs(r->runs.process[0].run)) {
		err = graph_scores_make(&r->runs, truth, &e);
	} else {
		TRY(run_dir_labels(&r->runs, &labels));
		err = evaluation_make((struct label_files){ path, 1, false },
				      (struct label_files){ labels.path, labels.n, labels.common },
				      &e);
		run_labels_release(&labels);
	}
	if (!err)
		json_put(r->runs.process[0].run, "evaluation", e);
	return err;
}

/* Makes a picture. By default, makes it only for a party's own directory; in this case a failure is
 * only noted. */
static enum err report_draw_picture(const struct arguments *a, struct report *r)
{
	const struct process *party = run_dir_party(&r->runs);
	const struct process *p = party ? party : &r->runs.process[0];
	bool asked = a->data || a->config || a->points || a->by || a->layout.path;
	struct picture_params params = { .run = p->dir,
					 .data = a->data,
					 .config = a->config,
					 .by = a->by,
					 .points = a->points,
					 .layout = a->layout };

	if (!asked && (!r->runs.alone || p->leads))
		return ERR_OK;
	if (picture_make(&params, &r->picture) == ERR_OK)
		r->picture_of = a->data ? a->data : p->name;
	else if (asked)
		return ERR_INPUT;
	else
		notes_add(&r->runs.missing, "picture of the points", "%s", err_detail());
	return ERR_OK;
}

static enum err record_evaluation(struct report *r, const char *path, mode_t mode)
{
	struct buf text = { 0 };
	enum err err;

	if (!r->runs.process[0].sound) {
		notes_add(&r->runs.missing, r->runs.process[0].name,
			  "the evaluation is not in its run.json, which is left as it is");
		return ERR_OK;
	}
	json_write_pretty(r->runs.process[0].run, &text);
	err = file_write(path, (struct bytes){ text.p, text.n }, mode);
	buf_release(&text);
	return err ? err_prefix(err, "the evaluation cannot be recorded (--no-record does without)")
		   : ERR_OK;
}

static enum err report_write(const struct arguments *a, struct report *r, mode_t mode)
{
	char *path = a->page ? alloc_copy(a->page) : file_join(a->out, "report.html");
	struct json *data = report_gather(r);
	const struct json *first = json_get(json_first(json_get(data, "processes")), "run");
	char *title = alloc(strlen(r->runs.process[0].name) + 9, 1);
	struct buf html = { 0 };
	enum err err;

	stpcpy(stpcpy(title, r->runs.process[0].name), ": report");
	page_write(&(struct page){ title, data,
				   run_list(run_object(first, "result"), "cluster_sizes"),
				   &r->picture },
		   &html);
	err = file_write(path, (struct bytes){ html.p, html.n }, mode);
	if (!err)
		printf("report: %s\n", path);
	buf_release(&html);
	json_free(data);
	free(title);
	free(path);
	return err;
}

static enum err report_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct report r = { .picture_of = "" };
	char *record;
	struct stat st;
	mode_t mode;
	enum err err;

	TRY(run_dir_read(a->out, &r.runs));
	record = file_join(r.runs.process[0].dir, "run.json");
	/* The page gets the mode of the record, because a daemon may have restricted access to
	 * it. */
	mode = stat(record, &st) ? FILE_SECRET : st.st_mode & FILE_PUBLIC;
	err = a->truth ? evaluate(a->truth, &r) : ERR_OK;
	if (!err)
		err = report_draw_picture(a, &r);
	if (!err && a->truth && !a->no_record)
		err = record_evaluation(&r, record, mode);
	if (!err)
		err = report_write(a, &r, mode);
	free(record);
	picture_release(&r.picture);
	run_dir_release(&r.runs);
	return err;
}

int report_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = report_parse,
		.args_doc = "OUT",
		.doc = "Writes an HTML report of a run: clusters with their profile and "
		       "confidence; timeline and traffic of all processes; for a party's own "
		       "directory also a picture of its points.\vOUT is the directory of "
		       "coterie launch, or the output directory of one daemon. The page is one "
		       "file that needs no other files. With --truth the command also writes "
		       "the scores into run.json.",
	};
	return (int)args_run("report", &argp, argc, argv, &(struct arguments){ 0 }, report_run);
}
