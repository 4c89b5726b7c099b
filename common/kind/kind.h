/* kind.h -- what shared code knows of a protocol: one table for each kind of job.
 *
 * A protocol's folder holds its table (protocols/fedsc/kind.c), protocols/kinds.def lists all of them,
 * and nothing else names a kind. The tables of its roles, in coordinator/ and party/, point here. What every job says is struct job_head; a kind's own parameters follow it in a struct of its
 * own (protocols/fedsc/job.h), which is what the members here get as `job`.
 */
#ifndef COMMON_KIND_KIND_H
#define COMMON_KIND_KIND_H

#include "common/base/config.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOB_CLUSTERS_MAX = 1 << 16, JOB_ITERATIONS_MAX = 10000, JOB_RESTARTS_MAX = 1000 };
enum { JOB_LEAST_MAX = 1 << 30 }; /* of min_cell, min_cluster and other least counts */
enum { JOB_WIDE_FRACTION = 24 };  /* bits behind the point in sums of numbers of unknown size */
#define JOB_AUTO CONFIG_WORD      /* a count that is left to the protocol's rule */

enum job_ids { IDS_HASHED, IDS_PLAIN }; /* how ids reach the coordinator */
/* How parties that have other rows come to the same ones: not at all; by a secure sum, or by keyed hashes that
 * the coordinator compares (docs/alignment.md). */
enum job_align { ALIGN_SAME, ALIGN_INTERSECT };
/* What becomes of a party's edges of which an end is not with all: left out, or they end the job. */
enum job_others { OTHERS_DROP, OTHERS_REFUSE };

/* A party stays away: the job fails; or the next attempt goes on without that party. */
enum job_loss { LOSS_END, LOSS_ATTEMPT };

/* Columns of features brought to mean 0 and deviation 1: not; by all parties' rows; by each party's own. */
enum job_standardize { STANDARDIZE_NONE, STANDARDIZE_JOINT, STANDARDIZE_LOCAL };

/* The first members of every kind's job, in this order. */
#define JOB_HEAD                                                                                   \
	unsigned number;         /* of the kind, in kinds[] */                                     \
	unsigned schema;         /* the kind's */                                                  \
	const struct kind *kind;                                                                   \
	unsigned clusters;       /* k >= 2, the last of a range; JOB_AUTO; 0: none */              \
	unsigned clusters_from;  /* the first of the range of k that is tried; 0: k is given */    \
	uint64_t seed;           /* < 2^53, so that every JSON reader keeps it */                  \
	bool allow_single;       /* L = 1, which masks nothing */                                  \
	enum job_loss on_loss;                                                                     \
	enum job_ids ids;        /* hashed, where the kind has no such parameter */                \
	enum job_align align;    /* same, where the kind has no such parameter */                  \
	unsigned align_bound;    /* intersect: most ids of a party; 0: from the counts */          \
	unsigned min_common;     /* fewest rows that all have, where align is not same */          \
	enum job_others edges_to_others; /* drop, where the kind has no such parameter */          \
	/* secure_sum */                                                                           \
	unsigned group_bits;     /* 2048, 3072, 4096: "ffdhe..."; 255: "x25519" */                    \
	unsigned modulus_bits;   /* 64 or 32 */                                                    \
	unsigned fraction_bits   /* f */

struct kind;
struct job_head {
	JOB_HEAD;
};

/* Bytes of struct job (common/job/job.h). */
enum { JOB_ROOM = 1024 };
struct job;
/* Defines the accessors of a kind's parameters in a job: fedsc_job(job) returns a pointer to struct
 * fedsc_job, which is const where the job is. The struct begins with JOB_HEAD. */
#define JOB_OF_KIND(name)                                                                          \
	_Static_assert(sizeof(struct name) <= JOB_ROOM, "raise JOB_ROOM");                         \
	static inline struct name *name##_own(struct job *job)                                     \
	{                                                                                          \
		return (struct name *)(void *)job;                                                 \
	}                                                                                          \
	static inline const struct name *name##_read(const struct job *job)                        \
	{                                                                                          \
		return (const struct name *)(const void *)job;                                     \
	}
#define JOB_ACCESS(name, j)                                                                        \
	_Generic((j), const struct job *: name##_read, struct job *: name##_own)(j)

/* How data lies at the parties: what each has of its own. */
enum kind_split {
	SPLIT_COLUMNS,  /* features of the same nodes; edges are shared, or differ */
	SPLIT_ROWS,     /* rows of the same columns */
	SPLIT_EDGES,    /* edges, between nodes that others may have too */
	SPLIT_VERTICES, /* vertices, with their edges */
	SPLIT_GRAPHS    /* whole graphs */
};

/* Files that a party's configuration must name: bits. */
enum kind_needs {
	NEEDS_FEATURES = 1, /* data.features */
	NEEDS_EDGES = 2,    /* data.edges */
	NEEDS_VERTICES = 4, /* data.vertices */
	NEEDS_GRAPHS = 8,   /* data.graphs */
	NEEDS_IDS = 16	    /* data.ids */
};

/* Has the job a number of clusters, and is it the user who gives it? */
enum kind_clusters { CLUSTERS_NONE, CLUSTERS_GIVEN, CLUSTERS_OR_AUTO, CLUSTERS_OR_RANGE };

/* Words of the secure sum that jobs of a kind may ask for. */
enum kind_words {
	WORDS_BY_JOB, /* 64 or 32 bits, fraction_bits behind the point */
	WORDS_WIDE    /* 64 bits, JOB_WIDE_FRACTION of them behind the point */
};

struct json;
struct said;
struct kind_presets;

/* Differential privacy of a job: what a party's ledger books when the first of its data leaves, and again for each
 * further question that another attempt asks. */
struct kind_claim {
	double eps, delta;
	double mu;        /* the same as of Gaussian noise, for the account (common/privacy/account.h) */
	const char *unit; /* of what: "row", "edge", "graph" */
	bool in_sums;     /* the noise is in sums, by shares of all parties, */
	unsigned colluders; /* of which so many may be known; JOB_AUTO: half of them */
	bool one_question; /* nothing is claimed (eps 0), and yet noise hides something: no attempt may ask
			      another question than the first */
};

/* Sizes that a party knows of its data when a job is offered, or the coordinator when all have accepted. */
struct kind_sizes {
	double n;       /* nodes, rows, vertices or graphs: a party's own, or all; 0: not known */
	double columns; /* of the features, of one party */
	double entries; /* of the features that are stored */
	double edges;   /* undirected; of graphs all together */
	double parties;
	bool coordinator;
	bool dense; /* features are stored as they are used; n x columns of them, whatever entries says */
	bool again; /* and can be read once more by panels, so that nobody keeps a copy */
};

struct kind {
	const char *name; /* as in job.kind */
	enum kind_split split;
	unsigned needs;             /* enum kind_needs */
	const char *thing, *things; /* what gets a label or an embedding: "row", "rows" */
	bool embeds;                /* the result are embeddings, not labels */
	bool pictured;              /* a party's points can be made again, for the report */
	bool places;                /* labels are by clusters of an earlier run */
	bool relays;                /* parties exchange batches, which are no rounds of sums */

	const char *const *results; /* files that a run may leave, as patterns of glob(7); NULL ends */

	/* ---- parameters ---- */
	/* Number of the rows' defaults, from 1. Offers leave out what has its row's default, and a
	 * party with another number declines. A row keeps its default while the number stays
	 * (test_parameters.c). The default of a new row is what releases without it do; presets may
	 * give jobs another value. */
	unsigned schema;
	const struct config_row *rows; /* its own, with offsets in its struct; ends with path NULL */
	enum kind_clusters clusters;   /* job.clusters */
	enum kind_words words;
	/* Replaces rows' defaults, depending on the parameters that are given. */
	void (*presets)(const struct json *root, struct kind_presets *to);
	/* After reading: what follows from the parameters. modulus_given: job.secure_sum.modulus_bits. */
	void (*settle)(void *job, bool modulus_given);
	/* Checks that concern several parameters. ERR_INPUT. */
	enum err (*check)(const void *job);
	/* CLUSTERS_OR_RANGE: why job.clusters must be one number, a clause of static text; NULL: it may be a
	 * range (common/cluster/selection.h). */
	const char *(*one_k)(const void *job);
	/* Why no attempt at this job goes on without one of its parties, a clause of static text; NULL: one may. */
	const char *(*needs_all)(const void *job);
	/* Why nothing that this job asks for reads the parameter: a clause of static text; NULL: it is
	 * read. */
	const char *(*unread)(const void *job, const struct config_row *row);
	/* Of a job with the same method or mode and nothing else, to compare with: puts those. */
	void (*standard)(const void *job, struct json *root);
	/* Bits behind the point: job.fraction_bits counts. */
	bool (*has_fraction)(const void *job);

	/* ---- what others may know of it ---- */
	/* The word that a party's policy.jobs must name: the kind, or a variant that shows more than its
	 * others, by name. `permissions` are all there are; the list ends with NULL. */
	const char *(*permission)(const void *job);
	const char *const *permissions;
	void (*leaks)(struct said *s, const void *job, size_t parties);
	/* Parties see sums, or clusters by them, while the job runs, without noise that is enough when one party adds none
	 * of its own: a party that sends false terms reads single rows. Returns what the job must have instead, a
	 * clause of static text; NULL: parties see nothing of the kind (policy.require_noise). */
	const char *(*needs_noise)(const void *job);
	/* The differential privacy that it claims of all that is made of a row; eps 0: none. */
	struct kind_claim (*claim)(const void *job);
	bool (*is_flat)(const void *job);      /* it sums over all parties at once, not over pairs */
	/* Bytes of the largest vector that a party sends at once, or (down) that the coordinator
	 * sends to it, where that is known beforehand, else 0. n 0: not known yet. */
	size_t (*burst)(const void *job, size_t n, bool down);
	/* Bytes that the process takes at its peak, about: memory.c of its folder, fitted to what was measured
	 * (docs/benchmarks/memory.md). Rises with each of the sizes. */
	double (*memory)(const void *job, const struct kind_sizes *sizes);
};

/* Bytes of a process without data: libraries, TLS, buffers. */
#define KIND_MEMORY_LEAST 12e6

/* A table's members that must not be NULL. */
struct kind_member {
	const char *name;
	size_t offset;
};
#define KIND_MEMBER(type, member) { #member, offsetof(struct type, member) }
/* The name of the first that is; NULL: all are there. */
const char *kind_missing(const void *table, const struct kind_member *member, size_t members);
/* At start: a kind that lacks something must not run. Aborts, saying so. */
void kind_must_have(const char *kind, const char *side, const char *missing);

#endif
