/* own.h -- what the files of FedGCN share among themselves. */
#ifndef COMMON_FEDGCN_OWN_H
#define COMMON_FEDGCN_OWN_H

#include "common/fedgcn/party.h"
#include "common/learn/gin.h"

/* Beyond it a weight, or an entry of an embedding or a prototype, has exploded. */
static const double FEDGCN_WEIGHT_MAX = 1e4, FEDGCN_Z_MAX = 1e7;
/* The root mean square of a party's Z is no more than this after a round. */
static const double FEDGCN_RADIUS = 100;
/* Of drawings: of the length of what is drawn. */
static const double FEDGCN_BESIDE = 0.125;
/* Densities of prototypes count as if they had so many dimensions of their 64: with all of them
 * each prototype would be certain of its component. */
static const double FEDGCN_DIMENSIONS = 4;

/* Federated Lloyd steps for the first prototypes: per doubling of their number, and at the end. */
enum { FEDGCN_CENTRE_STEPS = 3, FEDGCN_CENTRE_LAST = 8 };

/* Weights of a round that travel: all, or those that FedPer shares. */
size_t fedgcn_travelling(const struct fedgcn_params *p, const struct gin *net);

/* ---- local epochs: train.c ---- */

struct fedgcn_training {
	const struct gin *net;
	const struct graphs *g;
	const float *F;
	const struct fedgcn_params *p;
	const float *joint; /* net->weights: of FedProx; else NULL */
	unsigned round;
};

/* The epochs of a round, on W (net->weights) and C (k x FEDGCN_Z) behind it. kl and reconstruction:
 * means over the batches of the last epoch. ERR_JOB: a loss or a weight explodes. */
enum err fedgcn_train(const struct fedgcn_training *t, float *W, double *kl,
		      double *reconstruction) MUST_CHECK;

/* ---- prototypes: prototypes.c ---- */

/* Equations 10-14 in the reading of docs/: C from uploads of parties, x (parties x
 * fedgcn_upload_words()). */
void fedgcn_kde(const struct fedgcn_params *p, size_t parties, const double *x, struct mat *C);

/* ---- clustering: cluster.c ---- */

/* Lloyd's steps from C on, which becomes the centres; empty clusters keep theirs. label: Z->rows. */
void fedgcn_lloyd(const struct mat *Z, struct mat *C, uint32_t *label);
/* The final clustering of a party's Z; m has W and C. label, and what is left of m, are filled. */
enum err fedgcn_cluster(const struct fedgcn_params *p, const struct mat *Z, struct fedgcn_model *m,
			uint32_t *label) MUST_CHECK;

#endif
