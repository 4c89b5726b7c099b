/* args.h -- what the commands of coterie have in common. argv[0] of each is its name, what follows
 * are its arguments; each returns the exit status, wrong use ends the process with 4. */
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
args_command pki_main, synth_main, split_main, eval_main, fedgcn_main, show_main,
	report_main, ledger_main, approve_main, doctor_main, prune_main, compare_main, job_main,
	status_main, predict_main;

/* A number in an argument; argp_error (which ends the process) if it is none or out of bounds. */
uint64_t args_whole(struct argp_state *state, const char *option, const char *text, uint64_t min,
		    uint64_t max);
double args_number(struct argp_state *state, const char *option, const char *text, double min,
		   double max);

/* ---- options that many commands have: rows for struct argp_option, and what takes them in ---- */

/* clang-format off */
#define ARGS_SEED         { "seed", 's', "S", 0, "default 1", 0 }
#define ARGS_THREADS(key) { "threads", key, "T", 0, "default: as many as there are cores", 0 }
#define ARGS_RESULTS      { "out", 'o', "DIR", 0, "where labels.csv, labels.npy and result.json go: new, or empty", 0 }
#define ARGS_SET          { "set", 'S', "PATH=VALUE", 0, \
			    "override a parameter of the job; may be repeated", 0 }
/* clang-format on */
#define SEED_MAX 9007199254740991u /* 2^53 - 1, as in jobs */

uint64_t args_seed(struct argp_state *state, const char *text);
unsigned args_threads(struct argp_state *state, const char *text);
void args_job(struct argp_state *state, const char *text); /* the first digits of a job's id, or all */
unsigned args_cores(unsigned threads); /* as many as there are cores, if 0 were asked for */

/* ---- how the switch of a parser ends ---- */

/* default, of commands that have options alone: an argument is wrong use. */
error_t args_none(int key, const char *text, struct argp_state *state);
/* ARGP_KEY_ARG, of those that have one. */
void args_one(struct argp_state *state, const char *text, const char **argument);
/* ARGP_KEY_END: what has to be there, and what is said if it is not: "--data and --job are needed". */
void args_need(struct argp_state *state, bool there, const char *sentence);

/* Parses alone: wrong use ends the process. */
void args_begin(const char *name, const struct argp *argp, int argc, char **argv, void *arguments);
/* Parses, runs, and says on stderr what went wrong. */
enum err args_run(const char *name, const struct argp *argp, int argc, char **argv, void *arguments,
		  enum err (*run)(void *arguments));

void args_print(const struct json *v); /* on stdout, indented */
/* Writes dir/name atomically and empties the text. */
enum err args_write(const char *dir, const char *name, struct buf *text) MUST_CHECK;

/* Of a command whose results go to `out`, before it begins: ERR_INPUT if another run's may be there. NULL: they go
 * nowhere. */
enum err results_check(const char *out) MUST_CHECK;
/* Of a command that clusters: labels.csv, labels.npy and result.json in `out`, which is made. id: n
 * texts, or NULL: row numbers from 0. confidence: n, or NULL. ERR_JOB: cannot be written. */
enum err results_write(const char *out, char *const *id, const uint32_t *label,
		       const double *confidence, size_t n, const struct json *result) MUST_CHECK;

#endif
