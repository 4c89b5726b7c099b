/* predict.h -- the coordinator's half of kcagc.predict: labels of new nodes from a kept model. */
#ifndef SERVER_KCAGC_PREDICT_H
#define SERVER_KCAGC_PREDICT_H

#include "server/run/run.h"

enum err server_predict(struct run *run, uint32_t *label) MUST_CHECK;

#endif
