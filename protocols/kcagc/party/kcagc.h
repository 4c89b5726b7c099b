/* kcagc.h -- The party's side of kcagc, kcagc.predict and kmeans.columns: tables and entry points.
 * label has n entries, one per node, in the order of sorted ids. proto/KINDS.md has the order of
 * messages. */
#ifndef PROTOCOLS_KCAGC_PARTY_KCAGC_H
#define PROTOCOLS_KCAGC_PARTY_KCAGC_H

#include "party/work/kind.h"

extern const struct party_kind party_kind_kcagc;
extern const struct party_kind party_kind_kcagc_predict;
extern const struct party_kind party_kind_kmeans_columns, party_kind_kmeans_columns_predict;

struct model;
struct answers;

/* Type of work->protocol for these kinds. */
struct kcagc_party {
	struct answers *begun; /* landmark: state computed while keys were awaited; NULL: none */
	/* the model to use for a prediction; for other kinds the model of the run, or NULL */
	struct model *model;
};

/* Returns the party's state of these kinds. The first call makes it; release() frees it. */
struct kcagc_party *kcagc_party(struct work *work);

/* Runs kCAGC (arXiv 2411.12329, Protocols 1 to 3), from the party's slice to the final labels. */
enum err party_kcagc(struct work *work, uint32_t *label) MUST_CHECK;

/* Runs kmeans.columns: as party_kcagc(), but from the party's columns
 * (protocols/kcagc/columns.h). */
enum err party_kmeans_columns(struct work *work, uint32_t *label) MUST_CHECK;

/* Standardises features in place, as job.standardize specifies. If it is "none", warns if one
 * column of dense features dominates. Call once, before features are used. */
enum err party_standardize(struct work *work) MUST_CHECK;

/* With a range of k, receives the coordinator's CHOICE and sets work->job.clusters. ERR_PEER: the
 * choice is not in the range. If the job gives k, receives nothing. */
enum err party_take_clusters(struct work *work) MUST_CHECK;

/* Runs federated GCC (protocols/kcagc/gcc.h). */
enum err party_gcc(struct work *work, uint32_t *label) MUST_CHECK;

/* Landmark projection: kCAGC's local clusters serve as landmarks.
 * party_landmark_begin() computes the party's own part: its facts, and its local clusters in label.
 * This needs no keys, so it runs while the others' keys are awaited. kcagc_party() keeps the
 * result. */
enum err party_landmark_begin(struct work *work, uint32_t *label) MUST_CHECK;
/* Runs the rest of landmark projection, or all of it if nothing is precomputed. label: as
 * party_landmark_begin() left it. */
enum err party_landmark(struct work *work, uint32_t *label) MUST_CHECK;
void answers_free(struct answers *a); /* accepts NULL */

/* kcagc.predict (end of Section 3.4) labels new nodes by a stored model. A node gets the nearest of
 * the model's k centres, by k summed squared distances. predict_prepare() loads the model of
 * work->job.model from work->state into kcagc_party()'s model. ERR_INPUT, with advice: the model
 * does not fit this job, these parties or work->features. */
enum err predict_prepare(struct work *work) MUST_CHECK;
/* Runs the prediction. Uses up work->features; the model stays. */
enum err party_predict(struct work *work, uint32_t *label) MUST_CHECK;

#endif
