/* party.h -- FedSpectral, FedSpectral+ (Thakkar, Joshi 2023) and the exact variant, the party's
 * side: products with its own part of the graph, on the rows of all parties' nodes.
 *
 * The coordinator's side is coordinator.h. If several parties hold an edge, its joint weight is the
 * sum of their weights. */
#ifndef PROTOCOLS_FEDSPECTRAL_PARTY_H
#define PROTOCOLS_FEDSPECTRAL_PARTY_H

#include "common/cluster/spectral.h"
#include "common/parties/parties.h"

struct discrete_share;
struct noise_source;

struct fedspectral_party {
	/* This party's weights; rows of nodes that it does not have are empty. */
	struct csr A;
	/* D^-1/2 A D^-1/2, with the party's own or the joint degrees. */
	struct spectral_graph part;
	/* Source of noise; borrowed; NULL: questions that need noise are refused. */
	const struct noise_source *noise;
};

/* Prepares a party for n joint rows. row[i]: joint row of node i of `own`, below n, each once.
 * NULL: node i has row i, and own has n nodes. O(n + edges). */
void fedspectral_party_init(struct fedspectral_party *p, const struct csr *own, const uint32_t *row,
			    size_t n, unsigned threads);
void fedspectral_party_release(struct fedspectral_party *p);

/* Fills degree (n) with the degrees by the party's own edges. */
void fedspectral_party_degrees(const struct fedspectral_party *p, double *degree);

/* Keeps only the rows with a joint degree above 0, in the same order. `part` becomes this party's
 * term of D^-1/2 A D^-1/2, with the joint degrees D. degree (n) must be above 0 at each node that
 * has an edge at this party. */
void fedspectral_party_join(struct fedspectral_party *p, const double *degree);

/* Adds tau times the harmonic mean of the positive degrees to each of the positive degrees (n
 * degrees in all). Without this, a few nodes that one edge connects to the rest could form a
 * cluster. Qin and Rohe (2013) add the arithmetic mean. Hubs raise the arithmetic mean, which would
 * then outweigh the edges of nodes with few edges; they hardly raise the harmonic mean. Both sides
 * apply this function to the same joint degrees. */
void fedspectral_regularize(double *degree, size_t n, double tau);

/* Returns the number of positive degrees among n. active[i] becomes the number of positive degrees
 * before node i, or UINT32_MAX if its degree is not positive; active may be NULL. Both sides number
 * rows by this function. */
size_t fedspectral_active(const double *degree, size_t n, uint32_t *active);

/* Algorithm 3: replaces V (n x k) by (I - L)^iterations V. L is the normalised Laplacian of the
 * party's own edges. Rows of nodes without own edges become 0. */
void fedspectral_party_powers(const struct fedspectral_party *p, unsigned iterations,
			      struct mat *V);

/* Algorithm 1: fills label (n) by a spectral clustering of the party's own edges into k clusters.
 * Label k means that the node has no edges at this party. If at most k nodes have edges, each is
 * its own cluster. Returns errors of spectral_top(). */
enum err fedspectral_party_cells(const struct fedspectral_party *p, size_t k, unsigned restarts,
				 uint64_t seed, uint32_t *label) MUST_CHECK;

/* ---- the coordinator's questions, and parties in memory that answer ---- */

/* A question. A kind's comment begins with the number of words of the answer: n joint nodes, of
 * which m have edges; b columns of V. A_p and L_p are of this party's edges; s o V multiplies row i
 * of V by s_i. */
struct fedspectral_question {
	enum fedspectral_kind {
		/* n in parts: total weight of each node's edges at this party */
		FEDSPECTRAL_DEGREES,
		FEDSPECTRAL_JOIN, /* no sum: omits rows of joint degree 0 */
		/* m x b: s o A_p (s o V), where s = d^-1/2, and d has the regularized joint
		 * degrees */
		FEDSPECTRAL_PRODUCT,
		FEDSPECTRAL_POWERS, /* n x k: (I - L_p)^iterations V */
		/* no sum: n labels by the own edges; a node without own edges has label k */
		FEDSPECTRAL_CELLS,
		/* n, with noise: as DEGREES; each weight is at most 1 */
		FEDSPECTRAL_NOISY_DEGREES,
		/* n x b, with noise: A_p V; rows of V are first shortened to length 1 */
		FEDSPECTRAL_NOISY_PRODUCT,
	} kind;
	const double *degree; /* JOIN */
	const struct mat *V;
	const struct discrete_share *share; /* NOISY_DEGREES, NOISY_PRODUCT */
	unsigned iterations;                /* POWERS */
	size_t k;                           /* CELLS */
	unsigned restarts;
	uint64_t seed;
};

/* Parties are struct fedspectral_party. Each has a row for every joint node. */
extern const struct memory_kind fedspectral_in_memory;

#endif
