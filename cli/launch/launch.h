/* launch.h -- a federation on this machine: the arguments of `coterie launch` and `coterie run`,
 * and the slices, keys and configurations made from them.
 *
 *            coterie split            coterie pki lab
 *     DATA ------------------> OUT/work: slices, keys, certificates, configurations
 *
 *     launch: separate processes          coordinator <== TLS == party-00, party-01, ...
 *     run:    threads of this process     coordinator <== memory == party-00, party-01, ...
 *
 *     OUT/coordinator, OUT/party-NN       run.json labels.csv labels.npy log.jsonl ...
 */
#ifndef CLI_LAUNCH_LAUNCH_H
#define CLI_LAUNCH_LAUNCH_H

#include "cli/args/args.h"
#include "cli/split/split.h"
#include "common/job/job.h"
#include "crypto/pki.h"

#include <argp.h>
#include <signal.h>

enum { LAUNCH_NAME = 24 }; /* bytes of a directory name, "party-07", with its terminator */

struct launch {
	/* arguments */
	const char *data, *job_path, *out_given;
	struct split_params split; /* how to split; data, out, parties and seed are set by launch */
	bool split_given;          /* --by was given */
	struct overrides set;      /* for the job */
	struct overrides allowed;  /* additions to policy.jobs of the parties */
	struct overrides policy;   /* other policy keys, such as "min_cluster=5" */
	bool allow_single, keep_data, quiet, verbose;
	unsigned parties;
	/* Only for coterie align: a file or directory with ids.txt per party; data and job_path are
	 * then NULL. */
	char **id_files;
	/* derived by launch_check() and launch_prepare() */
	struct job job;
	const struct kind *kind;
	bool sets;          /* each directory below data is one party's set of graphs */
	char *out, *work;   /* absolute */
	char *truth;        /* true labels for scores, or NULL */
	const char *listen; /* coordinator's address */
	bool guarded;       /* by launch_guard() */
};

/* Options of both commands, for a struct argp_child with a struct launch as input. */
extern const struct argp launch_argp;

/* Directory name of a party: "party-07". */
void launch_party_name(unsigned number, char name[static LAUNCH_NAME]);
/* "dir/name" with an ending such as ".json". Owned by the caller. */
char *launch_file(const char *dir, const char *name, const char *ending);
/* The first of "dir/stem" with one of the endings (up to NULL) that exists, or NULL. Owned by the
 * caller. */
char *launch_find(const char *dir, const char *stem, const char *const *ending);
/* Sets *set to the signals that stop a run, and adds `other`. */
void launch_signals(sigset_t *set, int other);

/* Check the arguments, and make OUT/work with everything that the daemons need. ERR_INPUT if
 * arguments, job or data are invalid, or OUT holds another run; ERR_INTERNAL if keys cannot be
 * made. */
enum err launch_check(struct launch *l) MUST_CHECK;
enum err launch_prepare(struct launch *l) MUST_CHECK;
/* Write the configurations into OUT/work. pin: fingerprints of the coordinator, then of each party.
 */
enum err launch_write_coordinator(const struct launch *l) MUST_CHECK;
enum err launch_write_party(const struct launch *l, unsigned own,
			    char (*pin)[FINGERPRINT_TEXT_LEN]) MUST_CHECK;
/* Removes OUT/work unless it is to be kept, and frees the results of launch_check(). */
void launch_end(struct launch *l);

/* Starts a process that removes OUT/work when this one ends for any reason; with `made` also OUT,
 * if it is empty. False if an outer run has such a process. launch_unguard() removes now. */
bool launch_guard(const struct launch *l, bool made);
void launch_unguard(void);

/* Prints the result as `coterie show` does, and the gain from federation, unless quiet. */
void launch_show(const struct launch *l);
/* Prints the gain: runs the job on each slice and on all data, if that takes only seconds. */
void launch_gained(const struct launch *l);
/* If a policy refused the job, prints how to change it. */
void launch_print_policy(bool refused);
/* Prints a line on stderr, unless quiet. */
void launch_print(const struct launch *l, const char *fmt, ...) PRINTF(2, 3);

/* Runs everything as threads of this process, then calls launch_end(). */
enum err launch_together(const struct launch *l) MUST_CHECK;

int launch_main(int argc, char **argv);
int align_main(int argc, char **argv);
int run_main(int argc, char **argv);

#endif
