/* launch.h -- a federation on this machine: what `coterie launch` and `coterie run` were asked for,
 * and the slices, keys and configurations that they make of it.
 *
 *            coterie split            coterie pki lab
 *     DATA ------------------> OUT/work: slices, keys, certificates, configurations
 *
 *     launch: processes of their own      coordinator <== TLS == party-00, party-01, ...
 *     run:    threads of this process     coordinator <== memory == party-00, party-01, ...
 *
 *     OUT/coordinator, OUT/party-NN       run.json labels.csv labels.npy log.jsonl ...
 */
#ifndef CLI_LAUNCH_LAUNCH_H
#define CLI_LAUNCH_LAUNCH_H

#include "cli/args/args.h"
#include "cli/split/split.h"
#include "common/job/job.h"

#include <argp.h>
#include <signal.h>

enum { LAUNCH_NAME = 24 }; /* of a directory, "party-07", and its zero byte */

struct launch {
	/* what was asked for */
	const char *data, *job_path, *out_given;
	struct split_params split; /* its ways to split; data, out, parties and seed are ours */
	bool split_given;          /* --by */
	struct overrides set;      /* of the job */
	struct overrides allowed;  /* policy.jobs of the parties */
	struct overrides policy;   /* further keys of it, as "min_cluster=5" */
	bool allow_single, keep_data, quiet;
	unsigned parties;
	char **id_files; /* coterie align: each party's, or a directory that has ids.txt; no data, no job_path */
	/* what it comes to: launch_prepare() */
	struct job job;
	const struct kind *kind;
	bool sets;         /* each directory below data is one party's set of graphs */
	char *out, *work;  /* absolute */
	char *truth;       /* true labels that scores can be made of, or NULL */
	const char *listen; /* the coordinator's address */
};

/* Options that both commands have, for a struct argp_child whose input is a struct launch. */
extern const struct argp launch_argp;

/* `number` as in the names of directories: "party-07". */
void launch_party_name(unsigned number, char name[static LAUNCH_NAME]);
/* "dir/name" and an ending, ".json". Owned. */
char *launch_file(const char *dir, const char *name, const char *ending);
/* Sets *set to the signals by which somebody stops a run, and this one. */
void launch_signals(sigset_t *set, int other);

/* Makes OUT/work with all that daemons need. ERR_INPUT: arguments, job or data are wrong, or OUT
 * holds another run; ERR_INTERNAL: keys could not be made. */
enum err launch_check(struct launch *l) MUST_CHECK;
enum err launch_prepare(struct launch *l) MUST_CHECK;
/* Removes OUT/work unless it is to be kept, and releases what launch_check() made. */
void launch_end(struct launch *l);

/* Prints the result as `coterie show` does; nothing if quiet. */
void launch_show(const struct launch *l);
/* A line on stderr, unless quiet. */
void launch_say(const struct launch *l, const char *fmt, ...) PRINTF(2, 3);

/* All of it, as threads of this process. Releases what launch_check() made. */
enum err launch_together(const struct launch *l, bool verbose) MUST_CHECK;

int launch_main(int argc, char **argv);
int align_main(int argc, char **argv);
int run_main(int argc, char **argv);

#endif
