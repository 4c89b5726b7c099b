/* job.h -- what a job of kind kcagc, kmeans.columns, or one of their .predict says (arXiv 2411.12329), and what follows
 * from it alone, the same at all processes. */
#ifndef PROTOCOLS_KCAGC_JOB_H
#define PROTOCOLS_KCAGC_JOB_H

#include "common/graph/filter.h"
#include "protocols/kcagc/degrees.h"
#include "protocols/kcagc/embed.h"
#include "common/kind/kind.h"

enum kcagc_preset { PRESET_DEFAULT, PRESET_PAPER };
enum kcagc_method { METHOD_TREE, METHOD_FLAT, METHOD_BASIC, METHOD_LANDMARK, METHOD_GCC };
/* auto: take the cheapest method and exchange; only: say which that is, and end */
enum kcagc_graphs { GRAPHS_SHARED, GRAPHS_OWN }; /* own: edges may differ between parties */
/* A cell's virtual node: its mean, or the local centre (line 13) */
enum kcagc_virtual { VIRTUAL_MEAN, VIRTUAL_CENTRE };
enum kcagc_exchange { EXCHANGE_DISTANCES, EXCHANGE_GRAM };

enum { KCAGC_ORDER_MAX = 10000 };
#define KCAGC_ORDER_AUTO CONFIG_WORD /* filter_order: chosen from sums, by a rule without labels */

struct kcagc_job {
	JOB_HEAD;
	enum kcagc_graphs graphs; /* kcagc.predict has it, too */
	enum kcagc_preset preset;
	enum kcagc_method method;           /* Protocol 3 as a tree, flat; or Protocol 2 */
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
	unsigned start_words;    /* that starts may sum in a round */
	/* Of the joint k-means that makes the k clusters: `starts` begin, after `screen` iterations
	 * the best `restarts` go on. */
	unsigned starts, screen, restarts;
	/* Of those at the tree's inner nodes; restarts 0: by k/k^ */
	unsigned inner_restarts, inner_iterations;
	unsigned iterations; /* Q */
	bool ninth;          /* the 1/9 step */
	unsigned polish;     /* P Lloyd steps on all nodes at the end */
	unsigned polish_rows; /* over so many, but for the last (sample.h); 0: all */
	enum kcagc_exchange exchange;
	bool joint_norm;     /* rows are scaled by their norm over all parties; predict has it, too */
	unsigned min_cell;   /* fewest nodes behind any number that enters a sum */
	enum degrees degrees; /* of landmark and gcc */
	bool landmark_power; /* job.landmark.power: the power round of landmark projection */
	enum job_standardize standardize; /* a column is all at one party: joint and local are one */
	/* kcagc.predict, kmeans.columns.predict */
	uint8_t model[CONFIG_ID_LEN]; /* the job that made the model */
};
JOB_OF_KIND(kcagc_job)
#define kcagc_job(job) JOB_ACCESS(kcagc_job, job)

extern const struct kind kind_kcagc;
extern const struct kind kind_kcagc_predict;
extern const struct kind kind_kmeans_columns;
extern const struct kind kind_kmeans_columns_predict;
/* Each ends with path NULL. */
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
void kcagc_leaks(struct said *s, const void *job, size_t parties);
void kcagc_predict_leaks(struct said *s, const void *job, size_t parties);
void kmeans_columns_leaks(struct said *s, const void *job, size_t parties);
void kmeans_columns_predict_leaks(struct said *s, const void *job, size_t parties);
bool kcagc_is_flat(const void *job);
size_t kcagc_burst(const void *job, size_t n, bool down);

/* Are edges those of rows that were matched, and meant to be the same at all parties? They are compared then, where
 * ACCEPT could not. */
bool kcagc_compares_later(const struct kcagc_job *job);

/* Distances of joint rows and centres are no larger, for n rows of L parties; 0: as large as the data's. Z_i is
 * (r_i / m)^(1 - p) long, and r_i <= n m. */
double kcagc_most(const struct kcagc_job *job, size_t parties, size_t n);
/* With fewer bits behind the point than this by kcagc_most() parties agree on a bound of their own data. */
enum { KCAGC_FRACTION_LEAST = 20 };

/* Landmark projection and GCC: numbers have bounds that follow from n alone. They are scaled to fill
 * the words, but for words of 64 bits and a number of fraction_bits. */
bool kcagc_is_bounded(const struct kcagc_job *job);
/* Of these, with filter.order "auto": two orders may be tried, one after the other (settle.h). Not with a range, of which each
 * would take a k of its own, nor with degrees, which a filter does not smooth. */
bool kcagc_may_settle(const struct kcagc_job *job);
/* The job's, of graphs of their own off in place of auto: a node has a degree in each. */
enum degrees kcagc_degrees(const struct kcagc_job *job);
/* Classes are to be communities, as far as the job says: no degrees count. */
bool kcagc_communities(const struct kcagc_job *job);

/* filter.order "auto": is the order also held to how well clusters fit the graph? Not with preset "paper": the letter is AGC's rule. */
bool kcagc_weighs_fit(const struct kcagc_job *job);

unsigned kcagc_local_clusters(const struct kcagc_job *job); /* k^ as a number */
unsigned kcagc_dims(const struct kcagc_job *job);           /* d as a number, before the slice's cap */
unsigned kcagc_inner_restarts(const struct kcagc_job *job); /* as a number */
/* Of the joint k-means that makes the k clusters, over m items. */
unsigned kcagc_starts(const struct kcagc_job *job, size_t m);
/* The iteration after which so many starts are screened; 0: none are */
unsigned kcagc_screen(const struct kcagc_job *job, unsigned starts);

/* How the embedding and the local clustering (Protocol 1) are parametrised. */
struct embed_params kcagc_embed_params(const struct kcagc_job *job, unsigned threads);

/* How a prediction cuts its nodes into sums, the same at both halves. */
enum { PREDICT_WORDS = 1 << 20 }; /* of a sum: 8 MiB at the coordinator, however many nodes */

/* The nodes of one sum, k words each; the last sum has those that are left. */
static inline size_t predict_rows(size_t k)
{
	return k < PREDICT_WORDS ? PREDICT_WORDS / k : 1;
}

/* kind.h */
double kcagc_memory(const void *job, const struct kind_sizes *sizes);
double kcagc_predict_memory(const void *job, const struct kind_sizes *sizes);
double kmeans_columns_memory(const void *job, const struct kind_sizes *sizes);
double kmeans_columns_predict_memory(const void *job, const struct kind_sizes *sizes);

#endif
