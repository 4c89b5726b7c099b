/* job.h -- what a job says: its kinds, its parameters, their defaults and bounds.
 *
 * One table (job.c) holds every parameter of every kind: path, type, default, bounds, help. From
 * it come reading, writing, --set and the checks. A preset sets what the job does not: the
 * precedence is given value > preset > default. The effective job is written out in full, in the
 * table's order: the text that job_write gives is what parties hash and compare.
 */
#ifndef COMMON_JOB_JOB_H
#define COMMON_JOB_JOB_H

#include "common/base/buf.h"
#include "common/base/config.h"
#include "common/base/err.h"
#include "common/kcagc/embed.h"
#include "common/graph/filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum job_kind {
	JOB_KCAGC,
	JOB_KCAGC_PREDICT,
	JOB_FEDSC,
	JOB_KMEANS,
	JOB_FEDSPECTRAL,
	JOB_FEDWALK,
	JOB_FEDGCN
};
enum job_preset { PRESET_DEFAULT, PRESET_PAPER };
enum job_method { METHOD_TREE, METHOD_FLAT, METHOD_BASIC, METHOD_LANDMARK, METHOD_GCC };
enum job_plan {
	PLAN_OFF,
	PLAN_AUTO,
	PLAN_ONLY
}; /* auto: take the cheapest method and exchange; only: say which that is, and end */
enum job_graphs { GRAPHS_SHARED, GRAPHS_OWN }; /* own: edges may differ between parties */
enum job_virtual {
	VIRTUAL_MEAN,
	VIRTUAL_CENTRE
}; /* of a cell: own mean, or the local centre (line 13) */
enum job_exchange { EXCHANGE_DISTANCES, EXCHANGE_GRAM };
enum job_fedsc { JOB_FEDSC_ANCHOR, JOB_FEDSC_DENSE, JOB_FEDSC_PAPER }; /* Stage II */
enum job_noise { NOISE_NONE, NOISE_DATA, NOISE_FACTORS }; /* FedSC's Sections 3.1 and 3.2 */
enum job_fedspectral { FEDSPECTRAL_EXACT, FEDSPECTRAL_PLUS, FEDSPECTRAL_PLAIN };
enum job_ids { IDS_HASHED, IDS_PLAIN };
enum job_fedwalk { FEDWALK_WALKS, FEDWALK_RESPONSE };
enum job_dissimilarity { DISSIMILARITY_L1, DISSIMILARITY_DTW };
enum job_tree { TREE_AUTO, TREE_EXACT, TREE_LANDMARKS };
enum job_prototypes {
	PROTOTYPES_MATCHED,
	PROTOTYPES_GMM,
	PROTOTYPES_KDE,
	PROTOTYPES_BEST,
	PROTOTYPES_OWN
};
enum job_aggregation { AGGREGATE_FEDAVG, AGGREGATE_FEDPROX, AGGREGATE_FEDPER, AGGREGATE_NONE };
enum job_final { FINAL_DEFAULT, FINAL_PAPER }; /* PCA and a GMM; k-means on Z */
enum job_graph_features { GRAPH_STRUCTURE, GRAPH_DRAWING, GRAPH_COORDINATES };
enum job_baselines { BASELINES_ALL, BASELINES_QUICK, BASELINES_OFF };
enum { JOB_TEXT_MAX = 64 << 10 }; /* bytes of a job file, and of a job on the wire */
enum { JOB_FEDWALK_DIMS = 128 };  /* of an embedding */
enum { JOB_WIDE_FRACTION = 24 };  /* bits behind the point in sums of numbers of unknown size */
enum { JOB_PROBES = 4, JOB_PROBE_LEN = 64 << 10 }; /* by which a plan measures the link */
enum { JOB_GRAPH_CLUSTERS_MAX = 1024 }; /* fedgcn: a prototype of each travels each round */
#define JOB_ORDER_AUTO CONFIG_WORD /* filter_order: chosen from sums, by a rule without labels */
#define JOB_AUTO       CONFIG_WORD /* a count that is left to the protocol's rule */

struct job {
	enum job_kind kind;
	unsigned clusters; /* k >= 2; fedspectral: or JOB_AUTO, by the eigengap; fedwalk: 0 */
	uint64_t seed;     /* < 2^53, so that every JSON reader keeps it */
	bool allow_single; /* L = 1, which masks nothing */
	enum job_graphs graphs;
	/* kcagc: arXiv 2411.12329 */
	enum job_preset preset;
	enum job_method method;             /* Protocol 3 as a tree, flat; or Protocol 2 */
	struct config_count local_clusters; /* k^ >= k */
	enum filter_kind filter_kind;       /* job.filter.kind: "half" or "spectral" */
	unsigned filter_order;              /* job.filter.order: psi */
	bool idf;                           /* job.features: "idf" or "raw" */
	bool unit_basis;                    /* job.projection.basis: "scaled" (U S) or "unit" (U) */
	struct config_count dims; /* job.projection.dims: number, "k", "2k"; or "local": k^ */
	bool unit_rows;           /* job.projection.unit_rows */
	double row_power;         /* job.projection.row_power: p */
	enum job_virtual virtual_nodes;
	unsigned local_restarts; /* R of Protocol 1 */
	unsigned start_words;    /* what the starts may sum in a round */
	unsigned starts, screen,
	    restarts; /* of the joint k-means that makes the k clusters: `starts`
			 begin, after `screen` iterations the best `restarts` go on */
	unsigned inner_restarts,
	    inner_iterations; /* of those at the tree's inner nodes; restarts 0: by k/k^ */
	unsigned iterations;  /* Q */
	bool ninth;           /* job.ninth: the 1/9 step */
	unsigned polish;      /* P Lloyd steps on all nodes at the end */
	enum job_exchange exchange;
	enum job_plan plan;
	bool joint_norm;     /* rows are scaled by their norm over all parties */
	unsigned min_cell;   /* fewest nodes behind any number that enters a sum */
	bool landmark_power; /* job.landmark.power: the power round of landmark.md, step 6 */
	/* kcagc.predict */
	uint8_t model[CONFIG_ID_LEN]; /* the job that made the model */
	/* fedsc (Qiao, Ding, Fan, NeurIPS 2023); kmeans has those marked with + */
	enum job_fedsc fedsc_variant;
	unsigned landmarks;   /* job.dims: d; or JOB_AUTO */
	double dims_share;    /* of the eigenvalues of F'F that d keeps where it is found by them */
	unsigned dims_most;   /* where that search begins */
	unsigned min_cluster; /* + mc: fewest rows behind any sum of rows */
	unsigned near;        /* s: landmarks near a row */
	unsigned neighbours;  /* paper: of kNN; or JOB_AUTO */
	double width,
	    width_factor;       /* job.kernel.width: r, 0: width_factor times the mean distance */
	double lambda;          /* job.kernel.lambda */
	unsigned rounds, inner; /* S (fedspectral: rounds at most; or JOB_AUTO), Q */
	double tolerance; /* + of what an iteration changes, in relative terms; 0: all rounds */
	unsigned participants; /* parties that take part in each round of Stage I; 0: all */
	enum job_noise noise;  /* + job.noise.on; kmeans: none or data */
	double noise_beta;   /* + sigma in standard deviations of what it is added to; 0: by eps */
	double noise_beta_c; /* the same of C_p, where it is another than Z_p's; -1: it is not */
	double noise_eps, noise_delta; /* + 0: not given */
	double noise_clip;             /* + tau_X: rows are shortened to it */
	double noise_ball;             /* tau_Z: rows of Z are shortened to it; 0: not */
	/* fedspectral */
	enum job_fedspectral fedspectral_variant;
	enum job_ids ids;
	unsigned block; /* b, columns of a product; or JOB_AUTO */
	/* fedwalk (Pan, Zhu, KDD 2022) */
	enum job_fedwalk fedwalk_mode;
	enum job_dissimilarity dissimilarity;
	enum job_tree hct;     /* job.tree: how the hierarchical clustering tree is made */
	double eps;            /* of degree vectors and the encoder; or of randomised response */
	double predict;        /* job.p: how often the two-hop predictor is asked */
	unsigned bins;         /* k, or JOB_AUTO: floor(ln n) */
	unsigned dtw_rows;     /* job.dtw_rows: rows of M_v are averaged down to so many; 0: not */
	unsigned walks;        /* gamma, of each vertex */
	unsigned length;       /* l, tokens of a walk */
	unsigned window;       /* w of SkipGram */
	unsigned vector;       /* job.dims: JOB_FEDWALK_DIMS */
	bool keep_embeddings;  /* the coordinator writes them too */
	/* fedgcn (Liu et al., AAAI 2025); it reads rounds, lambda and min_cluster, too */
	enum job_graph_features graph_features; /* job.features */
	unsigned epochs;                        /* of each round */
	unsigned batch;                         /* graphs of a step */
	double rate;                            /* Adam's */
	enum job_prototypes prototypes;
	enum job_aggregation aggregation;
	double mu;           /* fedprox */
	unsigned em;         /* gmm: steps of EM in a round */
	double unchanged;    /* share of graphs that may still change when rounds end; 0: all rounds */
	enum job_final final;
	enum job_baselines baselines;
	/* secure_sum */
	unsigned group_bits;    /* 2048, 3072, 4096: RFC 7919 "ffdhe..." */
	unsigned modulus_bits;  /* 64 or 32 */
	unsigned fraction_bits; /* f */
};

/* Reads a job from JSON text; `where` names its source in messages ("job.json", "offer").
 * set: NULL-terminated array of "path=value", applied before defaults; may be NULL.
 * ERR_INPUT with path, value and what was expected. */
enum err job_parse(struct job *job, struct bytes text, const char *where,
		   char *const *set) MUST_CHECK;
enum err job_read(struct job *job, const char *path, char *const *set) MUST_CHECK;

void job_write(const struct job *job,
	       struct buf *json);    /* the effective job: canonical, one line */
void job_describe(struct buf *text); /* every parameter, for people */

/* The first parameter in which two jobs differ: "job.clusters: 7 here, 8 offered"; false if none.
 */
bool job_difference(const struct job *here, const struct job *offered, char *text, size_t len);

unsigned job_local_clusters(const struct job *job); /* k^ as a number */
unsigned job_dims(const struct job *job);           /* d as a number, before the slice's cap */
unsigned job_inner_restarts(const struct job *job); /* as a number */
unsigned job_starts(const struct job *job,
		    size_t m); /* of the joint k-means that makes the k clusters, over m items */
unsigned
job_screen(const struct job *job,
	   unsigned starts); /* the iteration after which so many are screened; 0: none are */
const char *job_kind_name(const struct job *job);
/* What a party's policy.jobs must name for this job: its kind, or, where a variant shows more than
 * the kind's others, the variant by name ("fedsc.paper", "fedspectral.exact", "fedwalk.dtw",
 * "fedgcn.kde", "fedgcn.best"). */
const char *job_permission(const struct job *job);
extern const char *const job_permission_names[]; /* all there are; the list ends with NULL */
extern const char *const job_kind_names[]; /* in the order of the enum; the list ends with NULL */
extern const char *const job_method_names[];
extern const char *const job_exchange_names[];
extern const char *const job_fedsc_names[];
extern const char *const job_noise_names[];
extern const char *const job_fedwalk_names[]; /* modes */
extern const char *const job_prototypes_names[];
extern const char *const job_graph_features_names[];
/* The method sums over all parties at once; a tree sums over pairs. */
bool job_is_flat(const struct job *job);
bool job_is_plan_only(const struct job *job); /* it ends before there are labels */

/* Bytes of the largest vector that a party sends at once, or (down) that the coordinator sends to
 * it, where the methods know it beforehand, else 0. n 0: not known yet. */
size_t job_burst(const struct job *job, size_t n, bool down);

/* What this job shows, and to whom: one sentence each, for the offer's record, run.json and the
 * policy. Returns the number of sentences (static text). */
size_t job_leaks(const struct job *job, size_t parties, const char *leaks[], size_t max);

/* How the embedding and the local clustering (Protocol 1) are parametrised by this job. */
struct embed_params job_embed_params(const struct job *job, unsigned threads);

#endif
