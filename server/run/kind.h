/* kind.h -- the coordinator side of a kind of job, as a table. The folder of each protocol defines
 * its table (for example protocols/fedsc/coordinator/fedsc.c), and protocols/kinds.def lists all
 * tables. Only members whose comment says so may be NULL. */
#ifndef SERVER_RUN_KIND_H
#define SERVER_RUN_KIND_H

#include "common/kind/kind.h"
#include "server/run/run.h"

struct msg_accept;

struct server_kind {
	/* Compares the parties' ACCEPT (one per party), and sets n and columns of run. Not called
	 * if the job matches rows (job.align). ERR_INPUT, ERR_PEER, ERR_JOB. NULL: there is nothing
	 * to compare. */
	enum err (*compare)(struct run *run, const struct msg_accept *accept);
	/* Runs the protocol, after keys are agreed. *label (initially NULL): run->n labels,
	 * owned by the caller, or NULL if the coordinator does not learn labels. */
	enum err (*run)(struct run *run, uint32_t **label);
	/* Writes the result into the directory output, and its summary into run->record.
	 * ERR_JOB. */
	enum err (*keep)(struct run *run, const uint32_t *label, const char *output);
};

/* -- members that several kinds share ------------------------------------------------------- */

/* Checks that all parties have the same nodes, at least one per cluster, and, unless the job
 * permits different graphs, the same edges. Sets run->n. */
enum err server_compare_nodes(struct run *run, const struct msg_accept *accept) MUST_CHECK;
/* Checks the same as server_compare_nodes(), but permits fewer nodes than clusters. */
enum err server_compare_rows(struct run *run, const struct msg_accept *accept) MUST_CHECK;
/* Checks that all parties have the same number of columns. Sets run->columns. */
enum err server_compare_columns(struct run *run, const struct msg_accept *accept) MUST_CHECK;

/* Writes labels.csv, with run->confidence if it exists, and labels.npy. The files give row numbers,
 * since the coordinator has no ids. Without labels, writes nothing. */
enum err server_keep_labels(struct run *run, const uint32_t *label, const char *output) MUST_CHECK;

#endif
