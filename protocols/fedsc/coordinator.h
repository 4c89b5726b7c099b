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
	/* rows; the global standard deviation, after standardising columns if the job does */
	double n, scale;
	double *mean, *unit;        /* m each; rows are clustered as (x - mean) / unit; owned */
	double r;                   /* width of the kernel: all but anchor */
	unsigned k;                 /* clusters: given, or chosen from the range */
	struct selection selection; /* choice of k from a range; else empty */
	size_t dims, dropped;       /* d as used; landmarks with too few rows */
	unsigned rounds;            /* rounds of Stage I; k-means: rounds on all rows */
	double change;              /* relative change of Z in the last round */
	double *value;              /* leading eigenvalues; owned; NULL for k-means */
	/* number of `value`: k, or dims if fewer; one more with a range, if there is one */
	size_t values;
	double *size; /* k: rows of each cluster; owned */
	/* k-means: k x m, centres of the last counting, in the data's units; owned */
	struct mat centres;
	/* with job.profile: profile of the rows of all parties; columns have numbers; owned */
	struct profile profile;
	/* k-means, anchors: model that places new rows, without column names; else empty */
	struct fedsc_model model;
	/* paper, pairwise: n labels in the order of the parties; owned; else NULL */
	uint32_t *label;
};
void fedsc_report_release(struct fedsc_report *r); /* also after a failed run */

/* Rows have m columns. Phases: "totals"; then
 * - anchors: "landmarks", "anchor", "kmeans";
 * - dense, paper and pairwise: "landmarks" ("dims", "landmarks" if d must be found), "stage-1",
 *   then "dense", "kmeans" or ("pairwise") "upload", "result";
 * - k-means: "kmeans".
 *
 * Labels stay with the parties; variants paper and pairwise return them to the parties. ERR_INPUT:
 * invalid
 * parameters, k or d beyond n, all rows equal; ERR_PEER: impossible sums; ERR_JOB: too few
 * landmarks. Fills *report. */
enum err fedsc_run(struct parties *parties, size_t m, const struct fedsc_params *p,
		   struct fedsc_report *report) MUST_CHECK;

#endif
