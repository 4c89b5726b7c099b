/* coordinator.h -- FedSC: federated spectral clustering of rows that are spread over parties (Qiao, Ding,
 * Fan, NeurIPS 2023), and federated k-means of the same rows. The coordinator's half.
 */
#ifndef PROTOCOLS_FEDSC_COORDINATOR_H
#define PROTOCOLS_FEDSC_COORDINATOR_H

#include "common/data/profile.h"
#include "protocols/fedsc/job.h"
#include "protocols/fedsc/model.h"
#include "protocols/fedsc/party.h"
#include "common/parties/parties.h"

#include <stdbool.h>

struct fedsc_report {
	double n, scale;          /* rows; the global standard deviation, of columns once standardised */
	double *mean, *unit;      /* m each: what is clustered are (x - mean) / unit; owned */
	double r;                 /* dense, paper */
	unsigned k;               /* clusters: as the parameters say, or of their range that was chosen */
	struct selection selection; /* of a range; else empty */
	size_t dims, dropped;     /* d as used; landmarks that had too few rows */
	unsigned rounds;          /* of Stage I; of k-means, on all rows */
	double change;            /* of Z in the last of them */
	double *value;            /* leading eigenvalues; owned, NULL for k-means */
	size_t values;            /* how many: k; of a range one more, if there is one */
	double *size;             /* k: rows of each cluster; owned */
	struct mat centres;       /* k-means: k x m, those of the last counting, in the data's units; owned */
	struct profile profile;   /* with job.profile: of rows over all parties, columns by number; owned */
	struct fedsc_model model; /* k-means, anchors: what places new rows, its columns without names; else none */
	uint32_t *label;          /* paper: n labels in the order of the parties; owned; else NULL */
};
void fedsc_report_release(struct fedsc_report *r); /* also after a run that failed */

/* Of rows of m columns. Phases: "totals"; anchors: "landmarks", "anchor", "kmeans"; dense and paper:
 * "landmarks", "dims" and "landmarks" again if d is to be found, "stage-1", then "dense", "kmeans" or
 * "upload", "result"; k-means: "kmeans". Labels stay with the parties (or are handed back: paper).
 * ERR_INPUT: parameters that cannot be, k or d beyond n, all rows equal; ERR_PEER: sums that cannot be;
 * ERR_JOB: too few landmarks. *report is filled here. */
enum err fedsc_run(struct parties *parties, size_t m, const struct fedsc_params *p,
		   struct fedsc_report *report) MUST_CHECK;

/* Draws the `take` of `parties` that take part in round s of Stage I, by `draw` and s alone: nobody
 * chose them. */
void fedsc_members(uint64_t draw, unsigned s, size_t parties, size_t take, bool *member);

#endif
