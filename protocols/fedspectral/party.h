/* party.h -- FedSpectral, FedSpectral+ (Thakkar, Joshi 2023) and the exact variant, the party's
 * side: products with its own part of the graph, on the rows of all parties' nodes.
 *
 * The coordinator's side is coordinator.h. Weights are multiplicities: an edge that several parties
 * hold weighs the sum of theirs. */
#ifndef PROTOCOLS_FEDSPECTRAL_PARTY_H
#define PROTOCOLS_FEDSPECTRAL_PARTY_H

#include "common/cluster/spectral.h"
#include "common/parties/parties.h"

struct discrete_share;
struct noise_source;

struct fedspectral_party {
	struct csr A;                     /* own weights; rows of absent nodes are empty */
	struct spectral_graph part;       /* D^-1/2 A D^-1/2, by own or joint degrees */
	const struct noise_source *noise; /* borrowed; NULL: refuses questions for noise */
};

/* row[i] (below n, each once): joint row of node i of `own`. NULL: row i, and own has n nodes. O(n
 * + edges). */
void fedspectral_party_init(struct fedspectral_party *p, const struct csr *own, const uint32_t *row,
			    size_t n, unsigned threads);
void fedspectral_party_release(struct fedspectral_party *p);

/* degree (n): of own edges. */
void fedspectral_party_degrees(const struct fedspectral_party *p, double *degree);

/* Keeps only the rows with a joint degree above 0, in the same order. `part` becomes this party's
 * term s o A (s o .) of the joint N, s = degree^-1/2. degree (n) must be above 0 where the party's
 * own is. */
void fedspectral_party_join(struct fedspectral_party *p, const double *degree);

/* Adds tau times the harmonic mean of the positive degrees to each of them (n degrees). Otherwise a
 * few nodes that hang on one edge could form a cluster. Qin and Rohe (2013) add the arithmetic
 * mean. But hubs raise that, and not the harmonic mean, and it would outweigh the edges of nodes
 * with few edges. Both sides apply this to the same joint degrees. */
void fedspectral_regularize(double *degree, size_t n, double tau);

/* Returns the number of degrees (n) above 0. active[i] (may be NULL) becomes the rank of node i
 * among these, or UINT32_MAX. Both sides number rows by it. */
size_t fedspectral_active(const double *degree, size_t n, uint32_t *active);

/* Algorithm 3: V (n x k) becomes (I - L)^iterations V, with L the normalised Laplacian of the
 * party's own edges. Rows of nodes without own edges become 0. */
void fedspectral_party_powers(const struct fedspectral_party *p, unsigned iterations,
			      struct mat *V);

/* Algorithm 1: label (n) by spectral clustering of the party's own edges into k clusters; label k
 * means "no edges here". If at most k nodes have edges, each is its own cluster. Errors of
 * spectral_top(). */
enum err fedspectral_party_cells(const struct fedspectral_party *p, size_t k, unsigned restarts,
				 uint64_t seed, uint32_t *label) MUST_CHECK;

/* ---- the coordinator's questions, and parties in memory that answer ---- */

struct fedspectral_question {
	enum fedspectral_kind {
		/* n in parts: total weight of each node's edges at this party */
		FEDSPECTRAL_DEGREES,
		FEDSPECTRAL_JOIN, /* no sum: omits rows of joint degree 0 */
		/* m x b: s o A_p (s o V), where s = d^-1/2, and d has the regularized joint
		 * degrees */
		FEDSPECTRAL_PRODUCT,
		FEDSPECTRAL_POWERS, /* n x k: (I - L_p)^iterations V */
		FEDSPECTRAL_CELLS,  /* no sum: n labels by own edges; label k: no own edges */
		/* n, with noise: as DEGREES; each weight is at most 1 */
		FEDSPECTRAL_NOISY_DEGREES,
		/* n x b, with noise: A_p X; rows of X have length 1 at most */
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

/* Parties are struct fedspectral_party with a row for each joint node. */
extern const struct memory_kind fedspectral_in_memory;

#endif
