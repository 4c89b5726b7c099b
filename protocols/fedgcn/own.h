/* own.h -- Internal declarations of FedGCN. */
#ifndef PROTOCOLS_FEDGCN_OWN_H
#define PROTOCOLS_FEDGCN_OWN_H

#include "protocols/fedgcn/party.h"
#include "common/learn/gin.h"

/* Bounds of a weight, and of an entry of an embedding or a prototype. If a value exceeds its bound,
 * training has failed. */
static const double FEDGCN_WEIGHT_MAX = 1e4, FEDGCN_Z_MAX = 1e7;
/* With job.bounded, bound of the root mean square of a party's Z after a round. */
static const double FEDGCN_RADIUS = 100;
/* With job.bounded and features "drawing", the network's part of Z is scaled down to at most this
 * multiple of the drawing's length, in place of FEDGCN_RADIUS. */
static const double FEDGCN_BESIDE = 0.125;
/* Effective number of dimensions in the mixture that fedgcn_kde() fits to the prototypes.
 * Prototypes have FEDGCN_Z = 64 dimensions. With all 64, each prototype would belong to one
 * component with probability near 1. */
static const double FEDGCN_DIMENSIONS = 4;

/* Numbers of federated Lloyd steps for the first prototypes: after each doubling of the number of
 * prototypes, and at the end. */
enum { FEDGCN_CENTRE_STEPS = 3, FEDGCN_CENTRE_LAST = 8 };

/* Returns the number of weights sent in a round: all weights or, with FedPer, only the shared
 * weights. */
size_t fedgcn_travelling(const struct fedgcn_params *p, const struct gin *net);

/* ---- local epochs: train.c ---- */

struct fedgcn_training {
	const struct gin *net;
	const struct graphs *g;
	const float *F;
	const struct fedgcn_params *p;
	/* for FedProx: the joint weights, net->weights numbers; otherwise NULL */
	const float *joint;
	unsigned round;
	/* Called after each epoch e = 0, 1, ... except the last. W: weights and prototypes after
	 * epoch e. NULL: no function is called. */
	void (*epoch)(void *arg, unsigned e, const float *W);
	void *arg;
};

/* Trains W for the epochs of a round. W has net->weights weights, then the prototypes C (k x
 * FEDGCN_Z). kl and reconstruction: means over the batches of the last epoch. ERR_JOB: a loss, a
 * weight or a prototype explodes. ERR_CANCELLED: the job was stopped. */
enum err fedgcn_train(const struct fedgcn_training *t, float *W, double *kl,
		      double *reconstruction) MUST_CHECK;

/* ---- prototypes: prototypes.c ---- */

/* Computes C from the uploads x (parties x fedgcn_upload_words()) by equations 10-14, as the README
 * interprets them. ERR_INPUT: a covariance is not positive definite. Takes at most 30 steps; a step
 * is O(k n^2) for n prototypes of all parties. */
enum err fedgcn_kde(const struct fedgcn_params *p, size_t parties, const double *x,
		    struct mat *C) MUST_CHECK;

/* ---- clustering: cluster.c ---- */

/* Runs Lloyd's steps from the centres C. C becomes the new centres; an empty cluster keeps its
 * centre. label has Z->rows entries. */
void fedgcn_lloyd(const struct mat *Z, struct mat *C, uint32_t *label);
/* Runs the final clustering of a party's Z. On entry m has W and C. Fills label and the other
 * members of m. */
enum err fedgcn_cluster(const struct fedgcn_params *p, const struct mat *Z, struct fedgcn_model *m,
			uint32_t *label) MUST_CHECK;

#endif
