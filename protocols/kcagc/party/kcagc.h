/* kcagc.h -- a party's half of kcagc, kcagc.predict and kmeans.columns: the tables, and what they run. label: n, one
 * for each node, rows sorted by id. The order of messages is in proto/PROTOCOL.md. */
#ifndef PROTOCOLS_KCAGC_PARTY_KCAGC_H
#define PROTOCOLS_KCAGC_PARTY_KCAGC_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_kcagc;
extern const struct party_kind party_kind_kcagc_predict;
extern const struct party_kind party_kind_kmeans_columns, party_kind_kmeans_columns_predict;

/* kCAGC, arXiv 2411.12329, Protocols 1 to 3: from the party's slice to the final labels. */
enum err party_kcagc(struct work *work, uint32_t *label) MUST_CHECK;

/* kmeans.columns: the same from the party's columns (protocols/kcagc/columns.h) on. Leaves no model. */
enum err party_kmeans_columns(struct work *work, uint32_t *label) MUST_CHECK;

/* By job.standardize, in place; else a warning if one column of dense features decides alone. Once, before
 * features are used. */
enum err party_standardize(struct work *work) MUST_CHECK;

/* Of a range of k the coordinator chooses, by what it alone has: CHOICE, and work->job.clusters becomes it.
 * ERR_PEER if it is none of the range. Nothing is awaited if the job gives k. */
enum err party_take_clusters(struct work *work) MUST_CHECK;

/* Federated GCC (protocols/kcagc/gcc.h). */
enum err party_gcc(struct work *work, uint32_t *label) MUST_CHECK;

/* Landmark projection: kCAGC's local clusters as landmarks, five secure sums. begin: what the party
 * computes by itself, facts and, into label, local clusters. It needs no keys, and so is done while
 * those of the others are awaited, which takes a round trip. work->begun keeps it. */
enum err party_landmark_begin(struct work *work, uint32_t *label) MUST_CHECK;
/* The rest; all of it if nothing was begun. label: as party_landmark_begin() left it. */
enum err party_landmark(struct work *work, uint32_t *label) MUST_CHECK;
void answers_free(struct answers *a); /* work->begun; accepts NULL */

/* kcagc.predict, end of Section 3.4: labels of new nodes from a kept model, the nearest of its k
 * centres by k summed squared distances for each node. prepare: the model of work->job.model from
 * work->state becomes work->model, if it is one that this job, these parties and work->features can
 * predict with. ERR_INPUT: what does not fit and what to do. */
enum err predict_prepare(struct work *work) MUST_CHECK;
/* Uses work->features up; work->model stays as it is. */
enum err party_predict(struct work *work, uint32_t *label) MUST_CHECK;

#endif
