/* kind.h -- the coordinator's half of a kind of job, as a table: each protocol's folder has its own
 * (protocols/fedsc/coordinator/kind.c), protocols/kinds.def lists them. server_kinds_check() looks
 * for members that must not be NULL. */
#ifndef SERVER_RUN_KIND_H
#define SERVER_RUN_KIND_H

#include "common/kind/kind.h"
#include "server/run/run.h"

struct msg_accept;

struct server_kind {
	const struct kind *kind;
	/* Compares what the parties say of their data in ACCEPT (one of each party); what
	 * follows from it goes into run (n, columns). Not called where rows are matched
	 * (job.align). ERR_INPUT, ERR_PEER, ERR_JOB. NULL: nothing to compare. */
	enum err (*compare)(struct run *run, const struct msg_accept *accept);
	/* From agreed keys to the result. *label (NULL before): run->n labels, owned by the caller,
	 * or NULL where the coordinator has none to know. */
	enum err (*run)(struct run *run, uint32_t **label);
	/* Writes the result into the directory output, and what it says into run->record. ERR_JOB.
	 */
	enum err (*keep)(struct run *run, const uint32_t *label, const char *output);
};

/* ---- members that several kinds have ---- */

/* All parties have the same nodes and, unless the job lets graphs differ, edges: run->n. */
enum err server_compare_nodes(struct run *run, const struct msg_accept *accept) MUST_CHECK;
/* The same, where rows may be fewer than clusters, which are there before. */
enum err server_compare_rows(struct run *run, const struct msg_accept *accept) MUST_CHECK;
/* Rows of the same columns: run->columns. */
enum err server_compare_columns(struct run *run, const struct msg_accept *accept) MUST_CHECK;
/* The protocol's first step agrees on what there is. */

/* labels.csv, with run->confidence if there is one, and labels.npy, by number: the coordinator has
 * no ids. Nothing where there are no labels. */
enum err server_keep_labels(struct run *run, const uint32_t *label, const char *output) MUST_CHECK;

#endif
