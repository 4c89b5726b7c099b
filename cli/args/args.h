/* args.h -- helpers shared by the commands of coterie. argv[0] of a command is its name,
 * followed by its arguments. A command returns the exit status; wrong use ends the process with
 * status 4. */
#ifndef CLI_ARGS_ARGS_H
#define CLI_ARGS_ARGS_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"
#include "common/job/startup.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

typedef int args_command(int argc, char **argv);
args_command pki_main, synth_main, split_main, eval_main, fedgcn_main, show_main, report_main,
    ledger_main, approve_main, doctor_main, prune_main, compare_main, job_main, results_main,
    status_main, predict_main;

/* Parses a number argument. Ends the process by argp_error() if it is invalid or out of bounds. */
uint64_t args_whole(struct argp_state *state, const char *option, const char *text, uint64_t min,
		    uint64_t max);
double args_number(struct argp_state *state, const char *option, const char *text, double min,
		   double max);

/* ---- common options: rows for struct argp_option, and their parsers ---- */

/* clang-format off */
#define ARGS_SEED         { "seed", 's', "S", 0, "seed; default 1", 0 }
#define ARGS_THREADS(key) { "threads", key, "T", 0, "threads; default one per core", 0 }
#define ARGS_RESULTS      { "out", 'o', "DIR", 0, \
			    "new or empty directory for labels.csv, labels.npy and result.json", 0 }
#define ARGS_SET          { "set", 'S', "PATH=VALUE", 0, \
			    "override a parameter of the job; may be repeated", 0 }
/* clang-format on */
#define SEED_MAX 9007199254740991u /* 2^53 - 1, as in jobs */
enum { ARGS_THREADS_MAX = 1024 };

uint64_t args_seed(struct argp_state *state, const char *text);
unsigned args_threads(struct argp_state *state, const char *text);
/* Checks a job id, or its first digits. */
void args_job(struct argp_state *state, const char *text);
/* Returns `threads`, or the number of processors if it is 0. */
unsigned args_cores(unsigned threads);

/* ---- common cases of a parser's switch ---- */

/* Handles the default case of commands without arguments: reports any argument as an error. */
error_t args_none(int key, const char *text, struct argp_state *state);
/* Handles the case ARGP_KEY_ARG of commands with one argument: stores the argument. */
void args_one(struct argp_state *state, const char *text, const char **argument);
/* Handles the case ARGP_KEY_END: if `there` is false, reports the error `sentence`, such as "--data
 * and --job are needed". */
void args_need(struct argp_state *state, bool there, const char *sentence);

/* A variable that receives the value of the option with this key. The type of the variable
 * determines how the value is parsed. min, max: bounds of a number, inclusive. Key ARGP_KEY_ARG
 * stands for the command's single argument. */
struct args_field {
	int key;
	enum args_type { ARGS_TEXT, ARGS_FLAG, ARGS_UNSIGNED, ARGS_WHOLE, ARGS_REAL } type;
	void *to;
	double min, max;
};
/* clang-format off */
#define ARGS_TO(member) \
	.type = _Generic((member), const char * : ARGS_TEXT, bool : ARGS_FLAG, \
			 unsigned : ARGS_UNSIGNED, size_t : ARGS_WHOLE, double : ARGS_REAL), \
	.to = &(member)
/* clang-format on */
/* Stores the option or argument. The last field of the list has no `to`. An argument without a
 * field is an error. ARGP_ERR_UNKNOWN: no field has this key. */
error_t args_take(const struct argp_option *option, const struct args_field *field, int key,
		  char *arg, struct argp_state *state);

/* Only parses the arguments. If they are wrong, ends the process. */
void args_begin(const char *name, const struct argp *argp, int argc, char **argv, void *arguments);
/* Parses the arguments, runs the command, and prints its error, if any, on stderr. */
enum err args_run(const char *name, const struct argp *argp, int argc, char **argv, void *arguments,
		  enum err (*run)(void *arguments));

void args_print(const struct json *v); /* prints v on stdout, indented */
/* Writes dir/name atomically and empties text. */
enum err args_write(const char *dir, const char *name, struct buf *text) MUST_CHECK;

/* Checks a command's output directory; call it before the command starts. out NULL: the command
 * writes no output. ERR_INPUT: `out` may contain another run. */
enum err results_check(const char *out) MUST_CHECK;
/* Creates the directory `out`, and writes a clustering there: labels.csv, labels.npy, result.json.
 * id: n texts; NULL: row numbers from 0. confidence: n values, or NULL. ERR_JOB: a file cannot be
 * written. */
enum err results_write(const char *out, char *const *id, const uint32_t *label,
		       const double *confidence, size_t n, const struct json *result) MUST_CHECK;

#endif
