/* args.h -- what the commands of coterie have in common. argv[0] of each is its name, what follows
 * are its arguments; each returns the exit status, wrong use ends the process with 4. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"

#include <argp.h>
#include <stdint.h>

int synth_main(int argc, char **argv);
int split_main(int argc, char **argv);
int eval_main(int argc, char **argv);
int agc_main(int argc, char **argv);
int gcc_main(int argc, char **argv);
int spectral_main(int argc, char **argv);
int fedgcn_main(int argc, char **argv);
int privacy_main(int argc, char **argv);
int show_main(int argc, char **argv);
int report_main(int argc, char **argv);
int ledger_main(int argc, char **argv);
int approve_main(int argc, char **argv);

/* A number in an argument; argp_error (which ends the process) if it is none or out of bounds. */
uint64_t args_whole(struct argp_state *state, const char *option, const char *text, uint64_t min,
		    uint64_t max);
double args_number(struct argp_state *state, const char *option, const char *text, double min,
		   double max);

/* Parses, runs, and says on stderr what went wrong. */
enum err args_run(const char *name, const struct argp *argp, int argc, char **argv, void *arguments,
		  enum err (*run)(void *arguments));

void args_print(const struct json *v); /* on stdout, indented */

/* Writes dir/name atomically and empties the text. */
enum err args_write(const char *dir, const char *name, struct buf *text) MUST_CHECK;

#define SEED_MAX 9007199254740991u /* 2^53 - 1, as in jobs */

#endif
