/* kind.h -- the interface of shared code to a protocol: one table for each kind of job.
 *
 * A protocol's folder holds its table (protocols/fedsc/kind.c), protocols/kinds.def lists them, and
 * no other code names a kind. The tables of its roles, in coordinator/ and party/, point to it.
 * struct job_head has the parameters of every job. A kind's own struct begins with it
 * (protocols/fedsc/job.h) and is the `job` of the members here.
 */
#ifndef COMMON_KIND_KIND_H
#define COMMON_KIND_KIND_H

#include "common/base/config.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOB_CLUSTERS_MAX = 1 << 16, JOB_ITERATIONS_MAX = 10000, JOB_RESTARTS_MAX = 1000 };
enum { JOB_LEAST_MAX = 1 << 30 }; /* for min_cell, min_cluster and other lower limits on counts */
enum { JOB_WIDE_FRACTION = 24 };  /* fraction bits in sums of numbers of unknown size */
#define JOB_AUTO CONFIG_WORD      /* a count that the protocol chooses */

enum job_ids { IDS_HASHED, IDS_PLAIN }; /* form in which ids reach the coordinator */
/* ALIGN_SAME: parties do not match rows. ALIGN_INTERSECT: they find their common rows by a secure
 * sum (docs/alignment.md). */
enum job_align { ALIGN_SAME, ALIGN_INTERSECT };

/* After a dropout the job fails, or the next attempt runs without that party. */
enum job_loss { LOSS_END, LOSS_ATTEMPT };

/* Scaling of feature columns to mean 0 and deviation 1: none; over all parties' rows; over each
 * party's own rows. */
enum job_standardize { STANDARDIZE_NONE, STANDARDIZE_JOINT, STANDARDIZE_LOCAL };

/* First members of every kind's job, in this order. */
#define JOB_HEAD                                                                                   \
	unsigned number; /* index in kinds[] */                                                    \
	unsigned schema; /* number of the kind's set of defaults */                                \
	const struct kind *kind;                                                                   \
	unsigned clusters;      /* k >= 2, or the last k of a range; JOB_AUTO; 0: no clusters */   \
	unsigned clusters_from; /* first k of a range; 0: k is given */                            \
	uint64_t seed;          /* < 2^53: exact in any JSON reader */                             \
	bool allow_single;      /* allow a job of one party, which masks nothing */                \
	enum job_loss on_loss;                                                                     \
	enum job_ids ids;     /* IDS_HASHED if the kind lacks this key */                          \
	enum job_align align; /* ALIGN_SAME if the kind lacks this key */                          \
	unsigned align_bound; /* intersect: limit on a party's ids; 0: no limit */                 \
	unsigned min_common;  /* intersect: fewest common rows */                                  \
	/* parameters of job.secure_sum */                                                         \
	unsigned group_bits;   /* 2048, 3072, 4096: "ffdhe..."; 255: "x25519" */                   \
	unsigned modulus_bits; /* 64 or 32 */                                                      \
	unsigned fraction_bits

struct kind;
struct job_head {
	JOB_HEAD;
};

/* Bytes of struct job (common/job/job.h). */
enum { JOB_ROOM = 1024 };
struct job;
/* Defines accessors of a kind's parameters in a job. JOB_ACCESS(fedsc_job, job) returns a
 * pointer to struct fedsc_job, const if job is const. The struct begins with JOB_HEAD. */
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
	_Generic((j), const struct job * : name##_read, struct job * : name##_own)(j)

/* Partition of the data among the parties. */
enum kind_split {
	SPLIT_COLUMNS,  /* features of the same nodes; edges are shared or differ */
	SPLIT_ROWS,     /* rows of the same columns */
	SPLIT_EDGES,    /* edges, between nodes that other parties may have too */
	SPLIT_VERTICES, /* vertices with their edges */
	SPLIT_GRAPHS    /* whole graphs */
};

/* Files that a party's configuration must name: bits. */
enum kind_needs {
	NEEDS_FEATURES = 1, /* data.features */
	NEEDS_EDGES = 2,    /* data.edges */
	NEEDS_VERTICES = 4, /* data.vertices */
	NEEDS_GRAPHS = 8,   /* data.graphs */
	NEEDS_IDS = 16      /* data.ids */
};

/* Role of job.clusters: none, given by the user, or also auto or a range. */
enum kind_clusters { CLUSTERS_NONE, CLUSTERS_GIVEN, CLUSTERS_OR_AUTO, CLUSTERS_OR_RANGE };

/* Size of the integers that a secure sum adds, and how many of their bits are a fraction. */
enum kind_words {
	WORDS_BY_JOB, /* job.secure_sum.modulus_bits and fraction_bits */
	WORDS_WIDE    /* 64 bits, of which JOB_WIDE_FRACTION */
};

struct json;
struct disclosures;
struct kind_presets;

/* Differential privacy of a job. A party's ledger records it when the first message with data
 * leaves, and again if a later attempt asks another question (a request for an answer with
 * noise). */
struct kind_claim {
	double eps, delta;
	double mu;        /* Gaussian mu for the account (common/privacy/account.h) */
	const char *unit; /* unit of privacy: "row", "edge", "graph" */
	bool in_sums;     /* the noise is in sums: each party adds a share of it */
	/* number of parties that may pool their noise shares; JOB_AUTO: half of the parties */
	unsigned colluders;
	/* The job has noise but claims no privacy (eps 0). Each attempt must ask the same questions
	 * as the first one. */
	bool one_question;
};

/* Sizes that a party knows when a job is offered, or the coordinator once all parties have
 * accepted. */
struct kind_sizes {
	double n;       /* nodes, rows, vertices or graphs of the party, or of all; 0 if unknown */
	double columns; /* columns of one party's features */
	double entries; /* stored entries of the features */
	double edges;   /* undirected; of all graphs together */
	double parties;
	bool coordinator;
	/* features are stored as a dense n x `columns` matrix; `entries` does not matter */
	bool dense;
	bool again; /* the features can be read again by panels, so that no copy is kept */
};

struct kind {
	const char *name; /* as in job.kind */
	enum kind_split split;
	unsigned needs;             /* bits of enum kind_needs */
	const char *thing, *things; /* item that gets a label or an embedding: "row", "rows" */
	bool embeds;                /* results are embeddings, not labels */
	bool pictured;              /* a party's points can be recomputed for the report */
	bool places;                /* labels refer to clusters of an earlier run */
	/* parties exchange batches besides sums, so run.json has no bound of round trips */
	bool relays;

	const char *const *results; /* result files, as patterns of glob(7); NULL-terminated */

	/* ---- parameters ---- */
	/* Number of the set of defaults, from 1. Offers omit parameters that have their default,
	 * and a party with another number declines. Defaults must not change under one number
	 * (test_parameters.c). The default of a new parameter reproduces the behaviour of releases
	 * without it; presets may give jobs another value. */
	unsigned schema;
	/* The kind's own parameters, with offsets in its struct; the last has path NULL. */
	const struct config_row *rows;
	enum kind_clusters clusters; /* role of job.clusters */
	enum kind_words words;
	/* Replaces parameters' defaults, depending on the given parameters. NULL: none. */
	void (*presets)(const struct json *root, struct kind_presets *to);
	/* Derives parameters from others, after reading. modulus_given: true if
	 * job.secure_sum.modulus_bits was given. NULL: nothing to do. */
	void (*settle)(void *job, bool modulus_given);
	/* Checks relations between parameters. ERR_INPUT. */
	enum err (*check)(const void *job);
	/* Only with CLUSTERS_OR_RANGE. Returns NULL if a range of k is allowed
	 * (common/cluster/selection.h). Otherwise returns a static clause, the reason why
	 * job.clusters must be one number. */
	const char *(*one_k)(const void *job);
	/* Returns NULL if an attempt can run without one of its parties. Otherwise returns a static
	 * clause, the reason why it cannot. If the member is NULL, the result counts as NULL. */
	const char *(*needs_all)(const void *job);
	/* Path of the enum parameter whose value decides which of `rows` a job reads; NULL: all
	 * jobs read the same. Bit i of `readers` (config.h) stands for value i. */
	const char *way;
	/* Checks a further condition, beside `readers`, under which jobs read the parameter.
	 * Returns NULL if the job meets it, otherwise a static clause that names the jobs that do,
	 * such as "where job.profile is true". If the member is NULL, the result counts as NULL. */
	const char *(*unread)(const void *job, const struct config_row *row);
	/* Writes only those parameters on which defaults depend: the number of clusters, and a
	 * preset. Any other parameter counts as given if it differs from its value in a job with
	 * only these. NULL: kind_standard_clusters(). */
	void (*standard)(const void *job, struct json *root);
	/* True if job.fraction_bits applies. NULL: it applies if words are WORDS_BY_JOB. */
	bool (*has_fraction)(const void *job);

	/* ---- disclosure ---- */
	/* Word that a party's policy.jobs must name: the kind, or a variant that discloses more.
	 * permissions lists all of them, NULL-terminated. If both members are NULL, the word is the
	 * kind's name. */
	const char *(*permission)(const void *job);
	const char *const *permissions;
	void (*disclosures)(struct disclosures *s, const void *job, size_t parties);
	/* A job that shows sums, or clusters derived from sums, to parties while it runs needs
	 * noise. Otherwise a party that adds false numbers to the sums can read single rows
	 * (policy.require_noise). Returns a static clause, the setting that the job lacks. Returns
	 * NULL if it lacks none, or shows no sums. If the member is NULL, the result counts as
	 * NULL. */
	const char *(*needs_noise)(const void *job);
	/* Returns the differential privacy that the job claims for everything derived from one row
	 * (or other unit); eps 0: none. NULL: never any. */
	struct kind_claim (*claim)(const void *job);
	/* True if sums are over all parties at once, not over pairs. NULL: always true. */
	bool (*is_flat)(const void *job);
	/* Returns the bytes of the largest vector that a party sends at once or, if `down`,
	 * receives from the coordinator at once. Returns 0 if the size is not known in advance. n
	 * is 0 if n is not known yet. If the member is NULL, the result counts as 0. */
	size_t (*burst)(const void *job, size_t n, bool down);
	/* Returns the approximate peak memory of the process in bytes, which does not decrease in
	 * any size. memory.c of the protocol's folder defines it, fitted to measurements
	 * (docs/results/memory.md). */
	double (*memory)(const void *job, const struct kind_sizes *sizes);
};

/* Bytes of a process without data: libraries, TLS, buffers. */
#define KIND_MEMORY_LEAST 12e6

#endif
