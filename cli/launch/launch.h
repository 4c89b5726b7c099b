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
	/* arguments: */
	const char *data, *job_path, *out_given;
	/* Parameters of the split; launch sets data, out, parties and seed. */
	struct split_params split;
	bool split_given;         /* --by was given */
	struct overrides set;     /* overrides of the job's parameters */
	struct overrides allowed; /* permissions to add to policy.jobs of the parties */
	struct overrides policy;  /* other policy keys, such as "min_cluster=5" */
	bool allow_single, keep_data, quiet, verbose;
	unsigned parties;
	/* Only for coterie align: for each party a file, or a directory with ids.txt. data and
	 * job_path are then NULL. */
	char **id_files;
	/* derived by launch_check() and launch_prepare(): */
	struct job job;
	const struct kind *kind;
	bool sets;        /* each directory below data is one party's set of graphs */
	char *out, *work; /* absolute paths */
	/* Path of the true labels, for scores: a file or, for graphs, a directory. NULL: none. */
	char *truth;
	const char *listen; /* host on which the coordinator listens; NULL: 127.0.0.1 */
	bool guarded;       /* set by launch_guard() */
};

/* Options of `coterie launch` and `coterie run`, for a struct argp_child with a struct launch as
 * input. */
extern const struct argp launch_argp;

/* Writes the directory name of a party: "party-07". */
void launch_party_name(unsigned number, char name[static LAUNCH_NAME]);
/* Returns "dir/name" with an ending such as ".json". Owned by the caller. */
char *launch_file(const char *dir, const char *name, const char *ending);
/* Returns the first file "dir/stem" with one of these endings (the list ends with NULL) that
 * exists, or NULL. Owned by the caller. */
char *launch_find(const char *dir, const char *stem, const char *const *ending);
/* Sets *set to the signals that stop a run, and adds `other`. */
void launch_signals(sigset_t *set, int other);

/* launch_check() checks the arguments; launch_prepare() makes OUT/work with everything that the
 * daemons need. ERR_INPUT: arguments, job or data are invalid, or OUT contains another run.
 * ERR_INTERNAL: keys cannot be made. */
enum err launch_check(struct launch *l) MUST_CHECK;
enum err launch_prepare(struct launch *l) MUST_CHECK;
/* Write the configurations into OUT/work. pin: fingerprints of the coordinator, then of each party.
 */
enum err launch_write_coordinator(const struct launch *l) MUST_CHECK;
enum err launch_write_party(const struct launch *l, unsigned own,
			    char (*pin)[FINGERPRINT_TEXT_LEN]) MUST_CHECK;
/* Removes OUT/work, unless it must be kept. Frees the results of launch_check(). */
void launch_end(struct launch *l);

/* Starts a process that removes OUT/work when this process ends for any reason; with `made`, it
 * also removes OUT if OUT is empty. Returns false if an outer run already has such a process, or no
 * pipe to it can be made. launch_unguard() removes the files now. */
bool launch_guard(const struct launch *l, bool made);
void launch_unguard(void);

/* Unless quiet, prints the result as `coterie show` does, and what federation gains. */
void launch_show(const struct launch *l);
/* Prints what federation gains: runs the job on each party's slice of the data and on all data, if
 * that takes only seconds. */
void launch_gained(const struct launch *l);
/* If a policy refused the job, prints how to change it. */
void launch_print_policy(bool refused);
/* Prints a line on stderr, unless quiet. */
void launch_print(const struct launch *l, const char *fmt, ...) PRINTF(2, 3);

/* Does a whole run, from launch_check() to launch_end(), with all daemons as threads of this
 * process. */
enum err launch_together(const struct launch *l) MUST_CHECK;

int launch_main(int argc, char **argv);
int align_main(int argc, char **argv);
int run_main(int argc, char **argv);

#endif
