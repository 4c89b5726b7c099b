/* job.h -- parameters of kinds kcagc, kmeans.columns and their predictions (arXiv 2411.12329), and
 * values derived from them, which are the same in all processes. */
#ifndef PROTOCOLS_KCAGC_JOB_H
#define PROTOCOLS_KCAGC_JOB_H

#include "common/graph/filter.h"
#include "protocols/kcagc/degrees.h"
#include "protocols/kcagc/embed.h"
#include "common/kind/kind.h"

enum kcagc_preset { PRESET_DEFAULT, PRESET_PAPER };
enum kcagc_method { METHOD_TREE, METHOD_FLAT, METHOD_BASIC, METHOD_LANDMARK, METHOD_GCC };
/* Whether edges are the same at all parties. With GRAPHS_OWN, edges may differ. */
enum kcagc_graphs { GRAPHS_SHARED, GRAPHS_OWN };
/* The virtual node of a cell: its mean, or the local centre (Protocol 3, line 13). */
enum kcagc_virtual { VIRTUAL_MEAN, VIRTUAL_CENTRE };
enum kcagc_exchange { EXCHANGE_DISTANCES, EXCHANGE_GRAM };

enum {
	KCAGC_ORDER_MAX = 10000,
	KCAGC_START_WORDS = 4 << 20 /* maximum number of words that the starts sum in a round */
};
#define KCAGC_ORDER_AUTO CONFIG_WORD /* filter_order: determined from sums, without labels */

struct kcagc_job {
	JOB_HEAD;
	enum kcagc_graphs graphs; /* for kcagc.predict, too */
	enum kcagc_preset preset;
	enum kcagc_method method;           /* Protocol 3 as a tree or flat, or Protocol 2 */
	struct config_count local_clusters; /* k^ >= k */
	enum filter_kind filter_kind;       /* job.filter.kind: "half" or "spectral" */
	unsigned filter_order;              /* job.filter.order: psi */
	bool idf;                           /* job.features: "idf" or "raw" */
	bool unit_basis;                    /* job.projection.basis: "scaled" (U S) or "unit" (U) */
	struct config_count dims; /* job.projection.dims: number, "k", "2k"; or "local": k^ */
	bool unit_rows;           /* job.projection.unit_rows */
	double row_power;         /* job.projection.row_power: p */
	enum kcagc_virtual virtual_nodes;
	unsigned local_restarts; /* R of Protocol 1 */
	/* Parameters of the joint k-means that makes the k clusters. It begins `starts` runs, and
	 * continues the best `restarts` of them after `screen` iterations. */
	unsigned starts, screen, restarts;
	/* Parameters of the joint k-means at inner nodes of the tree. inner_restarts 0: derived
	 * from k/k^. */
	unsigned inner_restarts, inner_iterations;
	unsigned iterations; /* Q */
	unsigned polish;     /* P, number of Lloyd steps on all nodes at the end */
	enum kcagc_exchange exchange;
	bool joint_norm;   /* rows are scaled by their norm over all parties, in predictions too */
	unsigned min_cell; /* fewest nodes behind any number that enters a sum */
	enum degrees degrees; /* for landmark and gcc */
	bool landmark_power;  /* job.landmark.power: landmark projection has the power round */
	/* joint and local are equivalent, since one party has the whole column */
	enum job_standardize standardize;
	/* For kcagc.predict and kmeans.columns.predict: */
	uint8_t model[CONFIG_ID_LEN]; /* id of the job that made the model */
};
JOB_OF_KIND(kcagc_job)
#define kcagc_job(job) JOB_ACCESS(kcagc_job, job)

extern const struct kind kind_kcagc;
extern const struct kind kind_kcagc_predict;
extern const struct kind kind_kmeans_columns;
extern const struct kind kind_kmeans_columns_predict;
/* The last row of each table has path NULL. */
extern const struct config_row kcagc_rows[], kcagc_predict_rows[], kmeans_columns_rows[],
    kmeans_columns_predict_rows[];
extern const char *const kcagc_method_names[];
extern const char *const kcagc_exchange_names[];

void kcagc_presets(const struct json *root, struct kind_presets *to);
void kmeans_columns_presets(const struct json *root, struct kind_presets *to);
void kcagc_settle(void *job, bool modulus_given);
void kmeans_columns_settle(void *job, bool modulus_given);
void kcagc_standard(const void *job, struct json *root);
const char *kcagc_unread(const void *job, const struct config_row *row);
enum err kcagc_check(const void *job) MUST_CHECK;
const char *kcagc_one_k(const void *job);
const char *kmeans_columns_one_k(const void *job);
enum err kcagc_predict_check(const void *job) MUST_CHECK;
void kcagc_disclosures(struct disclosures *s, const void *job, size_t parties);
void kcagc_predict_disclosures(struct disclosures *s, const void *job, size_t parties);
void kmeans_columns_disclosures(struct disclosures *s, const void *job, size_t parties);
void kmeans_columns_predict_disclosures(struct disclosures *s, const void *job, size_t parties);
bool kcagc_is_flat(const void *job);
size_t kcagc_burst(const void *job, size_t n, bool down);

/* Returns true if rows are matched and all parties should have the same edges. ACCEPT is then sent
 * too early for hashes of matched edges, so parties compare their graphs after the match. */
bool kcagc_compares_later(const struct kcagc_job *job);

/* Returns an upper bound of the squared distances of joint rows and centres, for n rows of L
 * parties; 0 if it depends on the data. The bound is valid because an embedded row has length (r /
 * m)^(1 - row_power), where r is its length before scaling and m the mean of these, and r <= n
 * m. */
double kcagc_most(const struct kcagc_job *job, size_t parties, size_t n);
/* If kcagc_most() leaves fewer fraction bits than this, the parties agree on a bound that their
 * data determine. */
enum { KCAGC_FRACTION_LEAST = 20 };

/* Returns true for landmark projection and GCC, whose numbers have bounds that follow from n alone.
 * Numbers are scaled to fill the integers of a sum, unless the job gives fraction_bits for 64-bit
 * integers. */
bool kcagc_is_bounded(const struct kcagc_job *job);
/* Returns true if two orders may be tried, one after the other (settle.h). This needs a bounded job
 * with filter.order "auto". False with a range, since each order would choose its own k. False with
 * degrees, since the filter does not smooth them. */
bool kcagc_may_settle(const struct kcagc_job *job);
/* Returns the job's parameter `degrees`. If the parties' graphs may differ, "auto" means off, since
 * a node then has another degree in each graph. */
enum degrees kcagc_degrees(const struct kcagc_job *job);
/* Returns true if the job looks for communities. Jobs that use degrees do not. */
bool kcagc_communities(const struct kcagc_job *job);

/* For filter.order "auto": returns true if the modularity of clusters limits the order. False with
 * preset "paper", since the published rule has no such limit. */
bool kcagc_weighs_fit(const struct kcagc_job *job);

unsigned kcagc_local_clusters(const struct kcagc_job *job); /* returns k^ */
/* Returns d, the number of columns of the embedding. The slice's width may limit it further. */
unsigned kcagc_dims(const struct kcagc_job *job);
unsigned kcagc_inner_restarts(const struct kcagc_job *job);
/* Returns the number of starts of the joint k-means over m items. */
unsigned kcagc_starts(const struct kcagc_job *job, size_t m);
/* Returns the iteration after which only the best starts continue; 0: all continue. */
unsigned kcagc_screen(const struct kcagc_job *job, unsigned starts);

/* Returns the parameters of the embedding (Protocol 1). */
struct embed_params kcagc_embed_params(const struct kcagc_job *job, unsigned threads);

/* A prediction divides its nodes into several sums. Both sides compute the same division. */
/* Number of words in a sum: 8 MiB at the coordinator, for any number of nodes. */
enum { PREDICT_WORDS = 1 << 20 };

/* Returns the number of nodes in one sum, with k words each. The last sum may have fewer. */
static inline size_t predict_rows(size_t k)
{
	return k < PREDICT_WORDS ? PREDICT_WORDS / k : 1;
}

/* Memory estimates, for kind.h. */
double kcagc_memory(const void *job, const struct kind_sizes *sizes);
double kcagc_predict_memory(const void *job, const struct kind_sizes *sizes);
double kmeans_columns_memory(const void *job, const struct kind_sizes *sizes);
double kmeans_columns_predict_memory(const void *job, const struct kind_sizes *sizes);

#endif
