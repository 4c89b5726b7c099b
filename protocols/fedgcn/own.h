/* own.h -- Internal declarations of FedGCN. */
#ifndef PROTOCOLS_FEDGCN_OWN_H
#define PROTOCOLS_FEDGCN_OWN_H

#include "protocols/fedgcn/party.h"
#include "common/learn/gin.h"

/* Bounds of a weight, and of an entry of an embedding or a prototype. Larger values have
 * exploded. */
static const double FEDGCN_WEIGHT_MAX = 1e4, FEDGCN_Z_MAX = 1e7;
/* Bound of the root mean square of a party's Z after a round. */
static const double FEDGCN_RADIUS = 100;
/* Bound of the network's part of Z, relative to the norm of the drawing's part; for features
 * "drawing". */
static const double FEDGCN_BESIDE = 0.125;
/* Effective number of dimensions in the densities of prototypes, of FEDGCN_Z = 64. With all of
 * them, each prototype would belong to one component with probability near 1. */
static const double FEDGCN_DIMENSIONS = 4;

/* Federated Lloyd steps for the first prototypes: after each doubling of their number, and more at
 * the end. */
enum { FEDGCN_CENTRE_STEPS = 3, FEDGCN_CENTRE_LAST = 8 };

/* Number of weights sent in a round: all, or those that FedPer shares. */
size_t fedgcn_travelling(const struct fedgcn_params *p, const struct gin *net);

/* ---- local epochs: train.c ---- */

struct fedgcn_training {
	const struct gin *net;
	const struct graphs *g;
	const float *F;
	const struct fedgcn_params *p;
	const float *joint; /* net->weights, for FedProx; else NULL */
	unsigned round;
	/* called with the trained numbers after each epoch e = 0, 1, ... except the last; NULL:
	 * never */
	void (*epoch)(void *arg, unsigned e, const float *W);
	void *arg;
};

/* Trains W (net->weights) and the C (k x FEDGCN_Z) behind it for the epochs of a round. kl and
 * reconstruction: means over the batches of the last epoch. ERR_JOB: a loss or a weight
 * explodes. */
enum err fedgcn_train(const struct fedgcn_training *t, float *W, double *kl,
		      double *reconstruction) MUST_CHECK;

/* ---- prototypes: prototypes.c ---- */

/* Computes C from the uploads x (parties x fedgcn_upload_words()) by equations 10-14, as the README
 * interprets them. ERR_INPUT: a covariance is not positive definite. O(k n^2) a step for n
 * prototypes of all parties, and at most 30 steps. */
enum err fedgcn_kde(const struct fedgcn_params *p, size_t parties, const double *x,
		    struct mat *C) MUST_CHECK;

/* ---- clustering: cluster.c ---- */

/* Runs Lloyd's steps from C. C becomes the centres; an empty cluster keeps its centre. label:
 * Z->rows. */
void fedgcn_lloyd(const struct mat *Z, struct mat *C, uint32_t *label);
/* Runs the final clustering of a party's Z. m has W and C; fills label and the rest of m. */
enum err fedgcn_cluster(const struct fedgcn_params *p, const struct mat *Z, struct fedgcn_model *m,
			uint32_t *label) MUST_CHECK;

#endif
