/* record.h -- a daemon's record of a job: run.json.
 *
 * The job thread fills it while the job runs, so that a failed job leaves a record too. Both
 * daemons write the same members; `coterie show` and `coterie report` read them.
 */
#ifndef COMMON_JOB_RECORD_H
#define COMMON_JOB_RECORD_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/link.h"
#include "common/base/warnings.h"
#include "common/cluster/selection.h"
#include "common/job/job.h"
#include "common/kind/facts.h"
#include "common/kind/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
	RECORD_SCHEMA = 1,
	RECORD_PHASES_MAX = 64,
	/* in a longer job, the last step is the sum of all further steps */
	RECORD_STEPS_MAX = 4096,
	RECORD_SUMS_MAX = 2 * TREE_NODES_MAX,
	RECORD_ATTEMPTS_MAX = 16,
	RECORD_FILES_MAX = 9,
	RECORD_RUNNING_MAX = 16, /* maximum number of jobs at a time in one process */
	RECORD_TRAFFIC_MAX = 32 * PARTIES_MAX
};

struct record_phase {
	char name[24];           /* "local", "level-1", "polish", ... */
	double start_s;          /* since the job's offer */
	double compute_s;        /* time not blocked on a peer */
	struct link_times times; /* sum of the times of its steps */
	unsigned rounds;         /* secure sums in this phase */
	unsigned iterations;     /* Lloyd iterations of the longest restart; 0 if there are none */
};

struct record_step {    /* a round of a phase, or the time before or after its rounds */
	unsigned phase; /* number of its phase, from 0 */
	double start_s, compute_s;
	struct link_times times;
};

struct record_traffic {
	char peer[64 + 1];
	char type[24];
	uint64_t messages_sent, messages_received, bytes_sent, bytes_received;
};

struct record_peer {
	char name[64 + 1];
	double rtt_ms;       /* smoothed round trip of the connection; < 0: not known */
	char congestion[16]; /* congestion control in effect */
	unsigned reconnects; /* how often the connection was lost and replaced */
	uint64_t resent;     /* bytes of frames that were sent to the peer again */
};

struct record_sum {     /* one k-means on secure sums, coordinator only */
	unsigned phase; /* phase in which it ran, from 0 */
	uint32_t group;
	size_t items;  /* number of cells, or of nodes */
	size_t merged; /* number of cells below min_cell that were merged into other cells */
	unsigned iterations;
	double inertia;    /* inertia of the chosen restart */
	double silhouette; /* kmeans_silhouette() of the chosen restart; 0: not known */
	/* inertia of the chosen restart at each iteration, `objectives` values; owned */
	double *objective;
	unsigned objectives;
};

struct record_head { /* last row of a party's ledger, crypto/ledger.h */
	char name[64 + 1];
	uint64_t count;
	uint8_t hash[32]; /* hash of the ledger's last row */
};

/* Attempts that ended before the recorded one. */
struct record_attempts {
	size_t count;
	struct record_attempt {
		uint32_t attempt;
		double elapsed_s; /* < 0: not known */
		char cause[ERR_DETAIL_MAX];
	} past[RECORD_ATTEMPTS_MAX];
	/* Parties that dropped out, in the order in which the job continued without them. */
	size_t lefts;
	struct record_left {
		char name[64 + 1];
		uint32_t attempt; /* first attempt without the party */
		char step[24];    /* step in which the previous attempt ended; "": not known here */
	} left[PARTIES_MAX];
};

struct record {
	const char *software, *role, *name; /* borrowed for the record's life */
	struct job job;
	bool has_job;
	char job_id[32 + 1];
	uint32_t attempt;
	struct record_attempts attempts;
	size_t parties;
	char party[PARTIES_MAX][64 + 1];
	/* submitter of the job, "" while not known; record_start() keeps it */
	char submitter[64 + 1];
	double started_s; /* clock_now_s() at the offer */
	char started_utc[32];
	double elapsed_s;
	double memory_estimate, memory_peak; /* bytes of this process; 0: not known */
	enum err status;
	char error[ERR_DETAIL_MAX];
	size_t phases;
	struct record_phase phase[RECORD_PHASES_MAX];
	size_t steps;
	struct record_step *step; /* owned */
	double step_start_s;      /* start of the running step */
	size_t traffics;
	struct record_traffic *traffic; /* owned */
	size_t peers;
	struct record_peer peer[PARTIES_MAX + 1];
	size_t sums;
	struct record_sum sum[RECORD_SUMS_MAX];
	struct facts facts;        /* further facts of the job's kind */
	struct warnings warnings;  /* warnings of the job thread, from warnings_begin() */
	struct record_head ledger; /* head of a party's own ledger, name ""; count 0: none */
	size_t heads;
	struct record_head *head; /* heads of the other parties' ledgers; owned */
	unsigned order;           /* filter order chosen for "auto"; 0: the job gave the order */
	size_t rows, clusters;
	uint64_t *cluster_size; /* `clusters` numbers, owned; NULL until there is a result */
	struct {
		char *features, *edges, *ids,
		    *graphs; /* paths of a party's data, for that party only; owned */
	} data;
	size_t files; /* files read for this job */
	struct record_file {
		const char *key; /* static text: "features", ... */
		char *path;      /* owned */
		uint64_t bytes;
		char modified_utc[32];
		uint8_t sha256[32];
	} file[RECORD_FILES_MAX];
	bool ended; /* if false, run.json says "running" */
};

void record_init(struct record *r, const char *role, const char *name);
/* Records that a job was offered whose text was not read yet. Only its id and attempt are known.
 * From now on, lines that this thread logs have the id: log_set_job_here(). */
void record_offer(struct record *r, const uint8_t job_id[static 16], uint32_t attempt);
/* Starts the clock of a job. Of earlier contents, keeps only role, name, `attempts` and
 * `submitter`. */
void record_start(struct record *r, const struct job *job, const uint8_t job_id[static 16],
		  uint32_t attempt, const char *const *party, size_t parties);
/* Ends the running step and begins the next one. passed: the times for which the step was blocked
 * (mailbox_times()). Does nothing before the first phase. */
void record_step(struct record *r, const struct link_times *passed);
/* Begins the phase `name`, of up to 23 bytes. End the step before with record_step() first. */
void record_phase(struct record *r, const char *name);
struct record_phase *
/* returns the running phase, so that the caller can add rounds and iterations */
record_now(struct record *r);
/* Adds a k-means of the running phase, if there are fewer than RECORD_SUMS_MAX. Copies
 * sum->objective, which may be NULL if it has 0 objectives. */
void record_sum(struct record *r, const struct record_sum *sum);
/* Stores absolute paths; each may be NULL. */
void record_data(struct record *r, const char *features, const char *edges, const char *ids,
		 const char *graphs);
void record_file(struct record *r, const char *key, const char *path, uint64_t bytes,
		 time_t modified, const uint8_t sha256[static 32]);
/* Records the sizes of clusters, and warns about empty clusters and clusters of one row if the
 * sizes count all rows of the job. */
void record_result(struct record *r, const uint32_t *label, size_t n, size_t clusters);
/* Like record_result(), if only the sizes of clusters are known here. */
void record_sizes(struct record *r, const double *size, size_t clusters);
/* Records label confidences of n rows, 0 to 1 each, as two facts: `confidence`, their mean, and
 * `confidence_tenths`, the shares of rows in [0, 0.1), ..., [0.9, 1]. Warns if the mean is low. */
void record_confidence(struct record *r, const double *confidence, size_t n);
/* Records the clusters' modularity as a fact. If `communities` (the classes should be communities),
 * warns if the modularity is low. */
void record_modularity(struct record *r, double modularity, bool communities);
/* Records the fact selection_k and the curves over a range of k, and warns if the choice is
 * uncertain. Does nothing if k was given. */
void record_selection(struct record *r, const struct selection *s);
/* Adds a peer and its traffic. */
void record_link(struct record *r, const struct link_state *link);
/* Records an attempt that ended early: the current attempt or an earlier one. */
void record_past(struct record *r, uint32_t attempt, double elapsed_s, const char *cause);
/* Records that from this attempt on the job runs without that party. step: the step in which the
 * previous attempt ended, or "". */
void record_left(struct record *r, const char *name, uint32_t attempt, const char *step);
/* returns the name of the running phase; "" before the first phase */
const char *record_at(const struct record *r);
/* Record the head of this party's own ledger, and the head of a peer's ledger as received. */
void record_ledger(struct record *r, uint64_t count, const uint8_t hash[static 32]);
void record_peer_ledger(struct record *r, const char *name, uint64_t count,
			const uint8_t hash[static 32]);
/* Ends the record: sets elapsed_s, memory_peak, status and error. */
void record_end(struct record *r, enum err status, const char *error);
unsigned record_rounds(const struct record *r);
unsigned record_round_trips(const struct record *r);
/* Returns an upper bound of a job's round trips: 3.5 for offer, keys, local clusters and result,
 * one for each secure sum, and one more for each phase with sums except polish. Example: kCAGC with
 * L parties takes 11 sums at each level of the tree, one for the first assignment and 10 for Lloyd
 * steps. With P sums in polish the bound is 3.5 + 12 ceil(log2 L) + P. FedWalk's walks do not count
 * as secure sums. */
double record_round_trips_bound(const struct record *r);
void record_json(const struct record *r, struct buf *json); /* indented, ends with a newline */
enum err record_write(const struct record *r,
		      const char *dir) MUST_CHECK; /* writes dir/run.json atomically */
/* Marks all running jobs as failed when the process must end at once. In each run.json of this
 * process, changes the status "running" to "failed", with this exit status. Any thread may call it.
 * It allocates no memory and needs no disk space. */
void record_abandon(enum err status);
/* Marks jobs of a killed process as failed. A new process that holds the lock on dir calls it. If a
 * run.json in dir still has the status "running", its process was killed, so this changes the
 * status to "failed". */
void record_bury(const char *dir);
void record_release(struct record *r);

#endif
