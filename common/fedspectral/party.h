/* party.h -- what a party computes in FedSpectral, FedSpectral+ (Thakkar, Joshi 2023) and
 * the exact variant: products with its own part of the graph, on the rows of all parties' nodes.
 *
 * The other half is coordinator.h. Weights are multiplicities: an edge that several parties hold
 * weighs as much as they say together.
 */
#ifndef COMMON_FEDSPECTRAL_PARTY_H
#define COMMON_FEDSPECTRAL_PARTY_H

#include "common/cluster/spectral.h"
#include "common/parties/parties.h"

struct discrete_share;
struct noise_source;

struct fedspectral_party {
	struct csr A;               /* own weights; nodes that are not here are empty rows */
	struct spectral_graph part; /* D^-1/2 A D^-1/2, by own degrees or by joint ones */
	const struct noise_source *noise; /* borrowed; NULL: questions that want noise are refused */
};

/* row[i] (below n, each once) is the joint row of node i of `own`; NULL: i, and own has n nodes.
 * O(n + edges). */
void fedspectral_party_init(struct fedspectral_party *p, const struct csr *own, const uint32_t *row,
			    size_t n, unsigned threads);
void fedspectral_party_release(struct fedspectral_party *p);

/* degree (n): own ones. */
void fedspectral_party_degrees(const struct fedspectral_party *p, double *degree);

/* From here on rows are those with a joint degree above 0 alone, in the same order, and `part` is
 * this party's term s o A (s o .) of the joint N, s = degree^-1/2. degree (n) must be above 0 where
 * the party's own is. */
void fedspectral_party_join(struct fedspectral_party *p, const double *degree);

/* Each of the n degrees above 0 becomes larger by tau times their mean (Qin, Rohe 2013): a few nodes that hang on an
 * edge are then no cluster of their own. Both halves do it to the same joint degrees. */
void fedspectral_regularize(double *degree, size_t n, double tau);

/* How many of the n degrees are above 0; active[i] (may be NULL) becomes the number of node i among
 * those, or UINT32_MAX. Both halves agree on rows by it. */
size_t fedspectral_active(const double *degree, size_t n, uint32_t *active);

/* Algorithm 3: V (n x k) becomes (I - L)^iterations V, L the normalised Laplacian of the party's own
 * edges. A node without any is without a place there: its row becomes 0. */
void fedspectral_party_powers(const struct fedspectral_party *p, unsigned iterations,
			      struct mat *V);

/* Algorithm 1: label (n) by spectral clustering of the party's own edges into k clusters; k itself
 * means "no edges here". Fewer than k nodes with edges: each is its own cluster. Errors of
 * spectral_top(). */
enum err fedspectral_party_cells(const struct fedspectral_party *p, size_t k, unsigned restarts,
				 uint64_t seed, uint32_t *label) MUST_CHECK;

/* -- what the coordinator's half asks, and parties in memory that answer ----------------------- */

struct fedspectral_question {
	enum {
		FEDSPECTRAL_DEGREES, /* n: fedspectral_party_degrees() */
		FEDSPECTRAL_JOIN,    /* 0: fedspectral_party_join() */
		FEDSPECTRAL_PRODUCT, /* m x b: s o A_p (s o V) */
		FEDSPECTRAL_POWERS,  /* n x k: fedspectral_party_powers() */
		FEDSPECTRAL_CELLS,   /* labels: fedspectral_party_cells() */
		FEDSPECTRAL_NOISY_DEGREES, /* n: fedspectral_noisy_degrees() */
		FEDSPECTRAL_NOISY_PRODUCT, /* n x b: fedspectral_noisy_product() */
	} kind;
	const double *degree; /* JOIN */
	const struct mat *V;
	const struct discrete_share *share; /* NOISY_DEGREES, NOISY_PRODUCT */
	unsigned iterations;        /* POWERS */
	size_t k;                   /* CELLS */
	unsigned restarts;
	uint64_t seed;
};

/* Of struct fedspectral_party: those without a place for each joint node do not do. */
extern const struct memory_kind fedspectral_in_memory;

#endif
