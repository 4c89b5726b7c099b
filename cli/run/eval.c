#include "cli/args/args.h"
#include "cli/run/graph_scores.h"
#include "cli/run/score.h"

struct arguments {
	const char *truth, *exclude, *run;
	struct label_files labels;
	bool similarity;
};

enum { KEY_SIMILARITY = 256, KEY_RUN, KEY_COMMON };

static const struct argp_option options[] = {
	{ "truth", 't', "FILE", 0, "known classes: .txt, .csv (with ids) or .npy", 0 },
	{ "exclude", 'x', "FILE", 0, "file of rows to exclude: numbers from 0, one per line", 0 },
	{ "paper-similarity", KEY_SIMILARITY, NULL, 0,
	  "also print FedSpectral+'s similarity, which is misleading, see below", 0 },
	{ "common", KEY_COMMON, NULL, 0,
	  "the job matched rows (align), so the truth may have more ids than the labels", 0 },
	{ "run", KEY_RUN, "OUT", 0,
	  "instead of LABELS: compare labels and baselines of the parties of a fedgcn run; "
	  "--truth is \"own\" or a directory, as for show",
	  0 },
	{ 0 },
};

static error_t eval_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	const struct args_field fields[] = {
		{ 't', ARGS_TO(a->truth) },
		{ 'x', ARGS_TO(a->exclude) },
		{ KEY_SIMILARITY, ARGS_TO(a->similarity) },
		{ KEY_COMMON, ARGS_TO(a->labels.common) },
		{ KEY_RUN, ARGS_TO(a->run) },
		{ 0 },
	};

	switch (key) {
	case ARGP_KEY_ARG:
		return ARGP_ERR_UNKNOWN; /* argp then passes all labels at once, as ARGP_KEY_ARGS */
	case ARGP_KEY_ARGS:
		a->labels.path = state->argv + state->next;
		a->labels.n = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (a->run && (a->exclude || a->similarity || a->labels.common || a->labels.n))
			argp_error(state, "--run goes with --truth alone");
		if (!a->truth || (!a->labels.n && !a->run))
			argp_error(state, "--truth FILE and LABELS are needed");
		return 0;
	default:
		return args_take(options, fields, key, arg, state);
	}
}

static enum err eval_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct json *result = NULL;
	struct run_dir runs;
	enum err err;

	if (a->run) {
		TRY(run_dir_read(a->run, &runs));
		if (run_is_of_graphs(runs.process[0].run))
			err = graph_scores_make(&runs, a->truth, &result);
		else
			err = err_set(ERR_INPUT, "%s: a job of kind %s, expected fedgcn", a->run,
				      json_text(run_object(runs.process[0].run, "job"), "kind"));
		run_dir_release(&runs);
	} else {
		result = json_object();
		err = score_files(a->truth, a->labels, a->exclude, a->similarity, result);
	}
	if (!err)
		args_print(result);
	json_free(result);
	return err;
}

int eval_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = eval_parse,
		.args_doc = "LABELS...\n--run OUT",
		.doc = "Compares labels (.txt, .csv or .npy) with the truth: accuracy under the "
		       "best match of clusters to classes, normalised mutual information, "
		       "adjusted Rand index, macro-F1.\vIf both files have ids, rows are "
		       "matched by id, otherwise by number. Several files are from parties with "
		       "different rows: the command joins their labels by id. If the truth has "
		       "no ids, row numbers are its ids. An id may be in several files if it "
		       "has the same label.\n\n"
		       "--paper-similarity is 1 - m / n^2 (FedSpectral+, Algorithm 5), where m "
		       "counts ordered pairs of nodes of one class in different clusters. One "
		       "cluster of all nodes scores 1, because the score does not punish joined "
		       "classes. With k equal classes, random labels score 1 - (1 - 1/k)/k.",
	};
	return (int)args_run("eval", &argp, argc, argv, &(struct arguments){ 0 }, eval_run);
}
