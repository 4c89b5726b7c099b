/* coordinator.h -- FedSC: federated spectral clustering of rows at several parties (Qiao, Ding,
 * Fan, NeurIPS 2023), and federated k-means of the same rows. The coordinator's side. */
#ifndef PROTOCOLS_FEDSC_COORDINATOR_H
#define PROTOCOLS_FEDSC_COORDINATOR_H

#include "common/data/profile.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/model.h"
#include "protocols/fedsc/party.h"
#include "common/parties/parties.h"

#include <stdbool.h>

struct fedsc_report {
	/* number of rows; global standard deviation, after columns are standardised (if the job
	 * asks for that). With noise in sums, `scale` is job.noise.clip */
	double n, scale;
	/* m entries each; rows are clustered as (x - mean) / unit; owned. */
	double *mean, *unit;
	double r;                   /* dense, paper, pairwise: width of the kernel */
	unsigned k;                 /* number of clusters: given, or chosen from the range */
	struct selection selection; /* how k was chosen from a range; empty if k was given */
	/* The number d of landmarks used; number of landmarks dropped because of too few rows. */
	size_t dims, dropped;
	/* Number of rounds: of Stage I; for kind kmeans, on all rows; with noise in sums, of all
	 * noisy rounds. */
	unsigned rounds;
	double change; /* relative change of Z in the last round */
	double *value; /* leading eigenvalues; owned; NULL for kind kmeans */
	/* Number of entries of `value`: k, or `dims` if `dims` is less. With a range of k, one more
	 * entry if that eigenvalue exists. */
	size_t values;
	double *size; /* k entries: number of rows of each cluster; owned */
	/* k-means: k x m centres of the last counting, in the data's units; owned */
	struct mat centres;
	/* with job.profile: profile of the rows of all parties, whose columns have numbers instead
	 * of names; owned */
	struct profile profile;
	/* k-means, anchors: the model that places new rows, without names of columns; otherwise
	 * empty */
	struct fedsc_model model;
	/* paper, pairwise: n labels in the order of the parties; owned; otherwise NULL */
	uint32_t *label;
};
void fedsc_report_release(struct fedsc_report *r); /* call also after a failed run */

/* Runs the coordinator's side. Rows have m columns. Phases: "totals"; then
 * - anchors: "landmarks", "anchor", "kmeans";
 * - dense, paper and pairwise: "landmarks" ("dims", "landmarks" if d must be found), "stage-1",
 *   then "dense", "kmeans" or ("pairwise") "upload", "result";
 * - k-means: "kmeans".
 * With noise in sums, the phases are those of private.h. With job.profile, the last is "profile".
 *
 * Fills *report. Labels stay with the parties; in variants paper and pairwise the coordinator sends
 * them. ERR_INPUT: parameters are invalid, k or d exceeds n, or all rows are equal. ERR_PEER: a sum
 * is impossible. ERR_JOB: there are too few landmarks, or rows are all alike or resemble no row of
 * the dictionary, or there are too many rows for pairwise. */
enum err fedsc_run(struct parties *parties, size_t m, const struct fedsc_params *p,
		   struct fedsc_report *report) MUST_CHECK;

#endif
