/* record.h -- what a daemon says afterwards about a job: run.json.
 *
 * Filled by the job thread as the job goes on, so that a job that fails leaves a record too.
 * Both daemons write the same shape; docs and `coterie show` read it.
 */
#ifndef COMMON_JOB_RECORD_H
#define COMMON_JOB_RECORD_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/job/job.h"
#include "common/job/tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_SCHEMA = 1, RECORD_PHASES_MAX = 64, RECORD_TRAFFIC_MAX = 32 * PARTIES_MAX };

struct record_phase {
	char name[24];       /* "local", "level-1", "polish", ... */
	double start_s;      /* since the job's offer */
	double compute_s;    /* this job thread was not blocked on a peer */
	double wait_s;       /* blocked while others computed */
	double wire_s;       /* blocked while bytes travelled */
	unsigned rounds;     /* secure sums in this phase */
	unsigned iterations; /* Lloyd iterations, the longest restart's; 0 where there are none */
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
};

struct record_sum { /* one k-means of the tree, coordinator only */
	uint32_t group;
	size_t items; /* cells, or nodes */
	unsigned iterations;
	double inertia; /* of the chosen restart */
};

struct record {
	const char *software, *role, *name; /* borrowed for the record's life */
	struct job job;
	bool has_job;
	char job_id[32 + 1];
	uint32_t attempt;
	size_t parties;
	char party[PARTIES_MAX][64 + 1];
	double started_s; /* clock_now_s() at the offer */
	char started_utc[32];
	double elapsed_s;
	enum err status;
	char error[ERR_DETAIL_MAX];
	size_t phases;
	struct record_phase phase[RECORD_PHASES_MAX];
	size_t traffics;
	struct record_traffic *traffic; /* owned */
	size_t peers;
	struct record_peer peer[PARTIES_MAX + 1];
	size_t sums;
	struct record_sum sum[TREE_NODES_MAX];
	size_t rows, clusters;
	uint64_t *cluster_size; /* clusters counts, owned; NULL until there is a result */
};

void record_init(struct record *r, const char *role, const char *name);
/* Starts the clock of a job; earlier contents are forgotten. */
void record_start(struct record *r, const struct job *job, const uint8_t job_id[static 16],
		  uint32_t attempt, const char *const *party, size_t parties);
/* Ends the phase before, whose blocked times are given, and starts the next; NULL only ends. */
void record_phase(struct record *r, const char *name, double wait_s, double wire_s);
struct record_phase *
record_now(struct record *r); /* the phase that runs, to add rounds and iterations */
void record_result(struct record *r, const uint32_t *label, size_t n, size_t clusters);
void record_add_traffic(struct record *r, const struct record_traffic *t);
void record_end(struct record *r, enum err status, const char *error); /* elapsed_s, status */
unsigned record_rounds(const struct record *r);
void record_json(const struct record *r, struct buf *json); /* indented, ends with a newline */
enum err record_write(const struct record *r,
		      const char *dir) MUST_CHECK; /* dir/run.json, atomically */
void record_release(struct record *r);

#endif
