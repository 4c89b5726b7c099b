/* fedwalk_pooled.h -- all of FedWalk on a pooled graph in one process: what a job of kind fedwalk
 * computes with any number of parties, but for its random numbers, which come from a seed here.
 */
#ifndef CLI_POOLED_FEDWALK_POOLED_H
#define CLI_POOLED_FEDWALK_POOLED_H

#include "common/base/err.h"
#include "common/base/json.h"
#include "common/linalg/csr.h"
#include "common/fedwalk/distance.h"
#include "common/graph/walks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fedwalk_pooled_params {
	bool response;   /* mode randomized-response; else walks */
	double eps;      /* of the noise, or of the response */
	unsigned bins;   /* 0: floor(ln n) */
	double p;        /* how often the predictor is asked */
	enum fedwalk_how how;
	size_t dtw_rows; /* 0: exact */
	unsigned gamma, length, threads;
	uint64_t seed;
};

/* Walks on g (n x n, its values are not looked at), vertex by vertex, of which isolated ones have
 * none; and what there is to say about them and about privacy to *result. w is initialised here.
 * ERR_INPUT: p->bins or the memory does not fit. */
enum err fedwalk_pooled(const struct csr *g, const struct fedwalk_pooled_params *p,
			struct walks *w, struct json *result) MUST_CHECK;

#endif
