/* party.h -- FedGCN (Liu et al., AAAI 2025), which clusters whole graphs of several parties: the
 * questions to the parties, and the party's side.
 *
 * A question is a vector for all parties. Each answer is a vector, of which only the sum over all
 * parties becomes known. Entries of questions are values of type float, so that 4 bytes suffice to
 * send each. W are weights, C prototypes, Z embeddings; m is the number of centres; n_k and C_k are
 * a party's number of graphs and prototype of cluster k. Each line shows a question, its contents,
 * and then the answer:
 *
 *     START    W           n, the number of graphs
 *     CENTRES  m, C        a step of k-means on the Z of the last W: counts, sums, spread
 *     TRAIN    W, C        a round: local epochs, then n W, n, losses, changes;
 *                          with `matched` also n_k, n_k C_k
 *     FINAL    W, C        the last model; each party clusters its graphs; cluster sizes
 *
 * The order is START; CENTRES, fedgcn_centre_rounds() times; TRAIN, up to `rounds` times; FINAL.
 * If fedgcn_in_plaintext(), an upload (fedgcn_upload()) follows each TRAIN. */
#ifndef PROTOCOLS_FEDGCN_PARTY_H
#define PROTOCOLS_FEDGCN_PARTY_H

#include "common/base/err.h"
#include "common/graph/graphs.h"
#include "common/parties/parties.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FEDGCN_Z = 64 }; /* columns of an embedding and of a prototype */

enum fedgcn_prototypes {
	/* each prototype is the mean of the parties' prototypes with its index, weighted by numbers
	 * of graphs; the answers to TRAIN give it */
	FEDGCN_MATCHED,
	FEDGCN_KDE, /* equations 10-14, on the unmasked prototypes at the end of a round */
	/* Equations 10-14 on the prototypes of each local epoch (Algorithm 1, lines 13 and 16). */
	FEDGCN_STACKED,
	FEDGCN_PRINTED, /* as FEDGCN_STACKED, with equation 14's full covariances */
	FEDGCN_OWN,     /* prototypes are not shared; only for the baseline that trains alone */
};
enum fedgcn_sharing {
	FEDGCN_AVG,
	FEDGCN_PROX, /* FedProx: adds mu/2 ||W - W_joint||^2 */
	FEDGCN_PER,  /* FedPer: the last layers of both heads stay with the parties */
};
enum fedgcn_final {
	/* PCA of Z to 3 columns, then a Gaussian mixture with full covariances by EM. EM runs until
	 * a step adds less than 1e-6 to the mean log density, at most 100 steps; the likeliest of 5
	 * starts wins. Above 8 clusters: k-means on Z. */
	FEDGCN_MIXTURE,
	FEDGCN_KMEANS, /* k-means on Z, as in the paper */
};

struct fedgcn_params {
	unsigned k; /* number of clusters, >= 1 */
	enum graphs_features features;
	enum fedgcn_prototypes prototypes;
	enum fedgcn_sharing sharing; /* job.aggregation */
	enum fedgcn_final final;
	unsigned rounds, epochs, batch; /* maximum of rounds; epochs per round; graphs per batch */
	/* Adam's rate; weight of the reconstruction; mu of FedProx. */
	double rate, lambda, mu;
	unsigned min_cluster; /* prototypes of fewer graphs are withheld */
	/* If true, scales Z down after a round in which it is too long: FEDGCN_RADIUS or, with
	 * features "drawing", FEDGCN_BESIDE (own.h). */
	bool bounded;
	uint64_t seed;
	unsigned threads; /* results do not depend on it */
};
/* ERR_INPUT: invalid parameters. */
enum err fedgcn_params_check(const struct fedgcn_params *p) MUST_CHECK;
/* Returns true if the coordinator sees the prototypes of single parties. A party's policy must
 * permit this. */
bool fedgcn_in_plaintext(const struct fedgcn_params *p);
/* Returns true if parties upload the prototypes of each epoch. */
bool fedgcn_is_stacked(const struct fedgcn_params *p);
unsigned fedgcn_centre_rounds(const struct fedgcn_params *p);

/* Each comment begins with the number of words of the answer. */
enum fedgcn_kind {
	FEDGCN_START = 1, /* 1: number of own graphs */
	/* 66 k: for each centre the number of own graphs nearest to it, the sum of their
	 * embeddings, and the sum of their squared distances. Below min_cluster graphs all are 0 */
	FEDGCN_CENTRES,
	/* as many as the weights W, and 4 more: n W; n; n times each loss; number of graphs that
	 * changed their cluster. With prototypes "matched", 65 k more: number of graphs of each
	 * cluster (0 below min_cluster), then each prototype times this number */
	FEDGCN_TRAIN,
	FEDGCN_FINAL, /* k: number of own graphs in each cluster */
};
const char *fedgcn_kind_name(enum fedgcn_kind kind);

struct fedgcn_question {
	enum fedgcn_kind kind;
	unsigned round;  /* number of the round, from 1, for TRAIN and FINAL; otherwise 0 */
	const double *x; /* fedgcn_down() numbers */
};
/* Return the number of numbers in a question (fedgcn_down()), and in its answer (fedgcn_up()). */
size_t fedgcn_down(const struct fedgcn_params *p, enum fedgcn_kind kind);
size_t fedgcn_up(const struct fedgcn_params *p, enum fedgcn_kind kind);
/* Returns the number of prototypes in an upload: k. If stacked, k for each epoch, in the order of
 * epochs. */
size_t fedgcn_upload_rows(const struct fedgcn_params *p);
/* Returns the number of numbers in an upload: prototypes (0 if withheld), their counts of graphs
 * (0: withheld), and a last 0, where releases up to 0.2.0 send another number. */
size_t fedgcn_upload_words(const struct fedgcn_params *p);

/* ---- model that a party keeps and that assigns new graphs ---- */

struct fedgcn_model {
	enum graphs_features features;
	unsigned k;
	size_t weights; /* number of weights of the network */
	double *W;      /* the weights, as values of type float; owned */
	struct mat C;   /* k x FEDGCN_Z */
	/* Final clustering of this party: PCA's mean (1 x FEDGCN_Z) and axes (q x FEDGCN_Z), and a
	 * mixture in q dimensions. If q is 0, a graph belongs to the nearest row of C. */
	size_t q;
	double *mean, *axis;            /* owned, NULL if q is 0 */
	double *share, *mu, *precision; /* shapes k, k x q, k x q x q; owned; NULL if q is 0 */
};
void fedgcn_model_release(struct fedgcn_model *m);
/* ERR_INPUT: sizes are inconsistent, or numbers are not finite or exceed bounds. */
enum err fedgcn_model_check(const struct fedgcn_model *m) MUST_CHECK;
/* Initialises Z with the embedding of each graph by the model's network. */
enum err fedgcn_embed(const struct fedgcn_model *m, const struct graphs *g, unsigned threads,
		      struct mat *Z) MUST_CHECK;
/* Fills label (g->count entries) with the clusters of graphs. The graphs may be new. */
enum err fedgcn_assign(const struct fedgcn_model *m, const struct graphs *g, unsigned threads,
		       uint32_t *label) MUST_CHECK;

struct fedgcn_own;

struct fedgcn_party {
	const struct graphs *graphs; /* borrowed */
	struct fedgcn_params p;
	/* `graphs->count` entries: clusters by the last TRAIN, and at the end by FINAL. */
	uint32_t *label;
	/* Means over the batches of the last epoch, before multiplication by lambda. */
	double kl, reconstruction;
	struct fedgcn_own *own;
};

/* ERR_INPUT: fewer graphs than clusters, unsuitable attributes, invalid parameters. Memory: 4 bytes
 * for each feature of each node, 3.2 KB for each node of the largest batch, 0.5 KB for each
 * graph. */
enum err fedgcn_party_init(struct fedgcn_party *party, const struct graphs *graphs,
			   const struct fedgcn_params *p) MUST_CHECK;
/* Call also after an error of fedgcn_party_init(). */
void fedgcn_party_release(struct fedgcn_party *party);

/* Fills x (fedgcn_up()) with this party's term. Questions must come in order. ERR_PEER: the
 * question has numbers that are not finite or exceed bounds. ERR_JOB: the loss, a weight or an
 * embedding explodes. The text has round and values, and the party keeps its last good model.
 * Bitwise identical for any number of threads. */
enum err fedgcn_answer(struct fedgcn_party *party, const struct fedgcn_question *q,
		       double *x) MUST_CHECK;
/* Fills x (fedgcn_upload_words() numbers) with the upload. Call after a TRAIN if
 * fedgcn_in_plaintext(). */
void fedgcn_upload(const struct fedgcn_party *party, double *x);

/* Parties are struct fedgcn_party, all with the same parameters. */
extern const struct memory_kind fedgcn_in_memory;

/* Returns the model after FINAL. If a run failed, returns the last good model, which has q = 0.
 * Borrowed. ERR_JOB: there is none yet. */
enum err fedgcn_party_model(const struct fedgcn_party *party,
			    const struct fedgcn_model **m) MUST_CHECK;

#endif
