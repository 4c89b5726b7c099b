/* party.h -- FedGCN (Liu et al., AAAI 2025): clustering whole graphs that several parties
 * hold. What parties are asked, and a party's half.
 *
 * A question is a vector that goes to all parties; the answer to it is a vector that only the sum
 * of all parties is known of. Entries of questions are floats in value, so that 4 bytes carry them.
 *
 *     START    W           n, the number of graphs
 *     CENTRES  m, C        a step of k-means on the Z of the last W: counts, sums, spread
 *     TRAIN    W, C        a round: local epochs, then n W, n, losses, changes; of `matched` n_k, n_k C_k
 *     FINAL    W, C        the last model; each party clusters its graphs; cluster sizes
 *
 * in this order: START; CENTRES, fedgcn_centre_rounds() times; then up to `rounds` times TRAIN,
 * with prototypes `kde` followed by an upload (fedgcn_upload()); then FINAL.
 */
#ifndef COMMON_FEDGCN_PARTY_H
#define COMMON_FEDGCN_PARTY_H

#include "common/base/err.h"
#include "common/graph/graphs.h"
#include "common/parties/parties.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FEDGCN_Z = 64 }; /* columns of an embedding, and of a prototype */

enum fedgcn_prototypes {
	FEDGCN_MATCHED, /* means of what the parties have at the same index: two sums */
	FEDGCN_KDE,     /* equations 10-14, on the prototypes in clear */
	FEDGCN_OWN,     /* not shared; no job has it: of the baseline that trains alone */
};
enum fedgcn_sharing {
	FEDGCN_AVG,   /* FedAvg */
	FEDGCN_PROX,  /* FedProx: mu/2 ||W - W_joint||^2 besides */
	FEDGCN_PER,   /* FedPer: the last layers of both heads stay at the parties */
};
enum fedgcn_final {
	FEDGCN_MIXTURE, /* PCA of Z to 3 columns, Gaussian mixture with full covariances by EM that
			   is carried on until it settles (1e-6 of the mean log density, 100 steps at
			   most; 5 starts, the likeliest wins); of more than 8 clusters k-means on Z */
	FEDGCN_KMEANS,  /* the paper's: k-means on Z */
};

struct fedgcn_params {
	unsigned k; /* clusters, >= 1 */
	enum graphs_features features;
	enum fedgcn_prototypes prototypes;
	enum fedgcn_sharing sharing; /* job.aggregation */
	enum fedgcn_final final;
	unsigned rounds, epochs, batch; /* rounds at most; epochs of each; graphs of a step */
	double rate, lambda, mu; /* Adam's; weight of the reconstruction; fedprox */
	unsigned min_cluster;    /* prototypes of fewer graphs are withheld */
	double unchanged; /* rounds end when no larger share of the graphs changes; 0: all rounds */
	uint64_t seed;
	unsigned threads; /* results do not depend on it */
};
/* ERR_INPUT: what cannot be. */
enum err fedgcn_params_check(const struct fedgcn_params *p) MUST_CHECK;
/* Whether single parties' prototypes are shown to the coordinator: a policy has to allow it. */
bool fedgcn_in_clear(const struct fedgcn_params *p);
unsigned fedgcn_centre_rounds(const struct fedgcn_params *p);

enum fedgcn_kind {
	FEDGCN_START = 1,
	FEDGCN_CENTRES,
	FEDGCN_TRAIN,
	FEDGCN_FINAL,
};
const char *fedgcn_kind_name(enum fedgcn_kind kind); /* "start", ... */

struct fedgcn_question {
	enum fedgcn_kind kind;
	unsigned round;  /* TRAIN, FINAL: from 1; else 0 */
	const double *x; /* fedgcn_down() of them */
};
/* Numbers in a question and in its answer, p and the sum being the same everywhere. */
size_t fedgcn_down(const struct fedgcn_params *p, enum fedgcn_kind kind);
size_t fedgcn_up(const struct fedgcn_params *p, enum fedgcn_kind kind);
/* Numbers in an upload: k prototypes, withheld ones being 0; their graphs (0: withheld); and a 0,
 * where releases up to 0.2.0 have a number of their own. */
size_t fedgcn_upload_words(const struct fedgcn_params *p);

/* -- a model: what a party keeps and new graphs are assigned by ------------------------------- */

struct fedgcn_model {
	enum graphs_features features;
	unsigned k;
	size_t weights; /* of the network */
	double *W;      /* owned; floats in value */
	struct mat C;   /* k x FEDGCN_Z */
	/* the final clustering of this party: PCA's mean (1 x FEDGCN_Z) and axes (q x FEDGCN_Z),
	 * and a mixture in q dimensions; q 0: the nearest row of C */
	size_t q;
	double *mean, *axis;            /* owned, NULL if q is 0 */
	double *share, *mu, *precision; /* k, k x q, k x q x q: owned, NULL if q is 0 */
};
void fedgcn_model_release(struct fedgcn_model *m);
/* ERR_INPUT if it does not hold together: sizes, or numbers that are not finite. */
enum err fedgcn_model_check(const struct fedgcn_model *m) MUST_CHECK;
/* label (g->count): clusters of graphs that need not have been there before. */
enum err fedgcn_assign(const struct fedgcn_model *m, const struct graphs *g, unsigned threads,
		       uint32_t *label) MUST_CHECK;

/* -- a party ---------------------------------------------------------------------------------- */

struct fedgcn_own; /* everything that is being computed with: fedgcn_party.c */

struct fedgcn_party {
	const struct graphs *graphs; /* borrowed */
	struct fedgcn_params p;
	uint32_t *label;           /* graphs->count: of the last TRAIN, at last of FINAL */
	double kl, reconstruction; /* of the last epoch: means over batches; before lambda */
	struct fedgcn_own *own;
};

/* ERR_INPUT: fewer graphs than clusters, attributes that do not do, parameters that cannot be.
 * Memory: 4 bytes x width a node; 3.2 KB a node of the largest batch; 0.5 KB a graph. */
enum err fedgcn_party_init(struct fedgcn_party *party, const struct graphs *graphs,
			   const struct fedgcn_params *p) MUST_CHECK;
void fedgcn_party_release(struct fedgcn_party *party); /* also after an error of init */

/* x (fedgcn_up()) becomes this party's term; the questions come in their order. ERR_PEER, the asker
 * being at fault: numbers that are not finite or beyond bounds. ERR_JOB: the loss or a weight explodes; the
 * sentence has the round and the values, and the party keeps its last good model. Same bits for any
 * threads. */
enum err fedgcn_answer(struct fedgcn_party *party, const struct fedgcn_question *q,
		       double *x) MUST_CHECK;
/* After a TRAIN, if fedgcn_in_clear(): x (fedgcn_upload_words()). */
void fedgcn_upload(const struct fedgcn_party *party, double *x);

/* Of struct fedgcn_party, all with the same parameters. */
extern const struct memory_kind fedgcn_in_memory;

/* After FINAL; or, if a run broke off, the last good one: C's nearest. Borrowed. ERR_JOB: none yet. */
enum err fedgcn_party_model(const struct fedgcn_party *party,
			    const struct fedgcn_model **m) MUST_CHECK;

#endif
