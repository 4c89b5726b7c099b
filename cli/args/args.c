#include "cli/args/args.h"
#include "cli/args/program.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/base/nearest.h"
#include "common/data/labels.h"
#include "common/data/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t args_whole(struct argp_state *state, const char *option, const char *text, uint64_t min,
		    uint64_t max)
{
	struct word w = { text, strlen(text) };
	uint64_t x;

	if (!word_whole(w, &x) || x < min || x > max)
		argp_error(state, "--%s is \"%s\", expected a whole number from %ju to %ju", option,
			   text, (uintmax_t)min, (uintmax_t)max);
	return x;
}

double args_number(struct argp_state *state, const char *option, const char *text, double min,
		   double max)
{
	struct word w = { text, strlen(text) };
	double x;

	if (!word_number(w, &x) || x < min || x > max)
		argp_error(state, "--%s is \"%s\", expected a number from %g to %g", option, text,
			   min, max);
	return x;
}

uint64_t args_seed(struct argp_state *state, const char *text)
{
	return args_whole(state, "seed", text, 0, SEED_MAX);
}

unsigned args_threads(struct argp_state *state, const char *text)
{
	return (unsigned)args_whole(state, "threads", text, 1, ARGS_THREADS_MAX);
}

void args_job(struct argp_state *state, const char *text)
{
	if (!*text || strlen(text) > 32 || text[strspn(text, "0123456789abcdef")])
		argp_error(state, "\"%s\" is no job id: expected up to 32 of 0-9 a-f", text);
}

unsigned args_cores(unsigned threads)
{
	return threads ? threads : machine_cores();
}

static void args_refuse(struct argp_state *state, const char *text)
{
	argp_error(state, "unexpected argument: %s", text);
}

error_t args_none(int key, const char *text, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	args_refuse(state, text);
	return 0;
}

void args_one(struct argp_state *state, const char *text, const char **argument)
{
	if (*argument)
		args_refuse(state, text);
	*argument = text;
}

void args_need(struct argp_state *state, bool there, const char *sentence)
{
	if (!there)
		argp_error(state, "%s", sentence);
}

error_t args_take(const struct argp_option *option, const struct args_field *field, int key,
		  char *arg, struct argp_state *state)
{
	while (field->to && field->key != key)
		field++;
	if (!field->to)
		return args_none(key, arg, state);
	while (key != ARGP_KEY_ARG && option->key != key)
		option++;
	switch (field->type) {
	case ARGS_TEXT:
		if (key == ARGP_KEY_ARG)
			args_one(state, arg, field->to);
		else
			*(const char **)field->to = arg;
		break;
	case ARGS_FLAG:
		*(bool *)field->to = true;
		break;
	case ARGS_UNSIGNED:
		*(unsigned *)field->to = (unsigned)args_whole(
		    state, option->name, arg, (uint64_t)field->min, (uint64_t)field->max);
		break;
	case ARGS_WHOLE:
		*(uint64_t *)field->to = args_whole(state, option->name, arg, (uint64_t)field->min,
						    (uint64_t)field->max);
		break;
	case ARGS_REAL:
		*(double *)field->to =
		    args_number(state, option->name, arg, field->min, field->max);
		break;
	}
	return 0;
}

static const char *command_name; /* name of the command of the last args_begin() */

/* Appends the command's example to --help. argp frees the result if it differs from `text`. */
static char *args_help(int key, const char *text, void *arguments)
{
	const char *lines = program_example(command_name);
	char *more;

	(void)arguments;
	if (key != ARGP_KEY_HELP_EXTRA || !lines || asprintf(&more, "Example:\n%s", lines) < 0)
		return (char *)text;
	return more;
}

/* argp takes the program's name from argv[0], so the buffer must outlive the parsing. */
void args_begin(const char *name, const struct argp *argp, int argc, char **argv, void *arguments)
{
	static char full[64];
	struct argp with_example = *argp;

	command_name = name;
	with_example.help_filter = args_help;
	snprintf(full, sizeof(full), "%s %s", program_name(), name);
	argv[0] = full;
	argp_err_exit_status = ERR_INPUT;
	log_init(full, LOG_WARN);
	nearest_option(argp, argc, argv);
	argp_parse(&with_example, argc, argv, 0, NULL, arguments);
}

enum err args_run(const char *name, const struct argp *argp, int argc, char **argv, void *arguments,
		  enum err (*run)(void *arguments))
{
	enum err err;

	args_begin(name, argp, argc, argv, arguments);
	err = run(arguments);
	if (err) {
		/* Flushes stdout first. If output and errors go to one file, the error then follows
		 * the output. */
		fflush(stdout);
		fprintf(stderr, "%s %s: %s\n", program_name(), name, err_detail());
	}
	return err;
}

void args_print(const struct json *v)
{
	struct buf text = { 0 };

	json_write_pretty(v, &text);
	fwrite(text.p, 1, text.n, stdout);
	buf_release(&text);
}

enum err args_write(const char *dir, const char *name, struct buf *text)
{
	char *path = file_join(dir, name);
	enum err err = file_write(path, (struct bytes){ text->p, text->n }, FILE_PUBLIC);

	free(path);
	buf_release(text);
	return err;
}

enum err results_check(const char *out)
{
	return out ? file_check_new_dir(out) : ERR_OK;
}

enum err results_write(const char *out, char *const *id, const uint32_t *label,
		       const double *confidence, size_t n, const struct json *result)
{
	char *csv = file_join(out, "labels.csv"), *npy = file_join(out, "labels.npy");
	struct buf text = { 0 };
	enum err err = file_make_dirs(out);

	json_write_pretty(result, &text);
	if (!err)
		err = labels_write(csv, npy, id, label, confidence, n);
	if (!err)
		err = args_write(out, "result.json", &text);
	buf_release(&text);
	free(npy);
	free(csv);
	return err;
}
