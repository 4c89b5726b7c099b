/* predict.h -- the party's half of kcagc.predict: labels of new nodes from a kept model.
 *
 * End of Section 3.4 of arXiv 2411.12329: the nearest of the k centres, by k summed squared
 * distances for each node.
 */
#ifndef PARTY_KCAGC_PREDICT_H
#define PARTY_KCAGC_PREDICT_H

#include "party/work/work.h"

/* The model of work->job.model from work->state becomes work->model, if it is one that this job,
 * these parties and work->features can predict with. ERR_INPUT: what does
 * not fit and what to do. */
enum err predict_prepare(struct work *work) MUST_CHECK;

/* Uses work->features up; work->model stays as it is. */
enum err party_predict(struct work *work, uint32_t *label) MUST_CHECK;

#endif
