/* predict.h -- the party's half of kcagc.predict: labels of new nodes from a kept model. */
#ifndef PARTY_PREDICT_H
#define PARTY_PREDICT_H

#include "party/work.h"

enum err party_predict(struct work *work, uint32_t *label) MUST_CHECK;

#endif
