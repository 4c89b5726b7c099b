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

/* Triangle of a FEDGCN_Z x FEDGCN_Z matrix, by rows. */
enum { FEDGCN_TRIANGLE = FEDGCN_Z * (FEDGCN_Z + 1) / 2 };

/* Weights of a round that travel: all, those that FedPer shares, or none. */
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

/* A mixture over prototypes, as it goes to parties: of each of k components log (share density at
 * mu), tempered; 1 if it lives, else 0; mu; the triangle of the inverse covariance, tempered. */
enum { FEDGCN_COMPONENT = 2 + FEDGCN_Z + FEDGCN_TRIANGLE };

/* x (k x (1 + FEDGCN_Z + FEDGCN_TRIANGLE)) += gamma, gamma u, gamma u u' of one prototype. */
void fedgcn_em_terms(size_t k, const double *component, const double *u, double *x);
/* Components from sums; those that have lost their prototypes stay as they are in C, which becomes
 * the means. spread: of the diagonals of covariances, a floor. */
enum err fedgcn_em_step(size_t k, const double *sum, double spread, struct mat *C,
			double *component) MUST_CHECK;
/* The first ones: around C, all alike, of variance `spread` in each direction. */
void fedgcn_em_begin(const struct mat *C, double spread, double *component);
/* Equations 10-14 in the reading of docs/: C from uploads of parties, x (parties x
 * fedgcn_upload_words()). */
void fedgcn_kde(const struct fedgcn_params *p, size_t parties, const double *x, struct mat *C);
/* C of the party whose clusters are clearest; its withheld rows stay. */
void fedgcn_best(const struct fedgcn_params *p, size_t parties, const double *x, struct mat *C);

/* ---- clustering: cluster.c ---- */

/* Lloyd's steps from C on, which becomes the centres; empty clusters keep theirs. label: Z->rows. */
void fedgcn_lloyd(const struct mat *Z, struct mat *C, uint32_t *label);
/* How much farther the second centre is than the nearest: mean (d2 - d1) / d2; 0 of one centre. */
double fedgcn_clearness(const struct mat *Z, const struct mat *C);
/* The final clustering of a party's Z; m has W and C. label, and what is left of m, are filled. */
enum err fedgcn_cluster(const struct fedgcn_params *p, const struct mat *Z, struct fedgcn_model *m,
			uint32_t *label) MUST_CHECK;

#endif
