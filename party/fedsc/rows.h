/* rows.h -- a party's half of what FedSC and federated k-means ask of its rows: it receives what
 * the coordinator says, and only what is due, and sends its term of the sum.
 *
 * The other half is common/fedsc/coordinator.h. Parameters come from this party's own job; the
 * coordinator says nothing but what came of sums. How often and about how many centres it may ask
 * follows from the job and the number of rows (fedsc_limits()).
 */
#ifndef PARTY_FEDSC_ROWS_H
#define PARTY_FEDSC_ROWS_H

#include "common/kind/tree.h"
#include "common/fedsc/coordinator.h"
#include "party/work/work.h"

struct rows {
	struct work *work;
	struct tree tree;
	const struct tree_node *root; /* all parties */
	struct fedsc_params p;
	struct fedsc_party party;
	struct fedsc_limits limits; /* once the number of rows is known */
	double n, r;                /* rows of all parties; the width, once it is known */
	size_t d;                   /* rows of the last dictionary, or landmarks */
	unsigned answers;           /* so far */
};

/* Takes over work's features, as a dense copy if they are sparse; rows get their noise. */
enum err rows_open(struct rows *rows, struct work *work) MUST_CHECK;
void rows_close(struct rows *rows); /* also after an error */
/* Section 3.1, by rows_open(): with job.noise.eps on data, X's rows (raw, as they were read, finite) are
 * shortened to job.noise.clip and get noise; any other job leaves X as it is. Record and log say what
 * the noise is ("privacy"); how many rows were shortened goes to this party's own record alone
 * ("clipped_rows"). ERR_INPUT, ERR_INTERNAL. */
enum err party_noise_rows(struct work *work, struct mat *X) MUST_CHECK;

/* Rows, means and the global deviation; rows are centred and scaled. */
enum err rows_agree(struct rows *rows) MUST_CHECK;
/* Rounds of k-means on rows or, after rows_embed(), on their embedding, as long as the coordinator
 * wants more. */
enum err rows_cluster(struct rows *rows, const char *phase) MUST_CHECK;
/* r. */
enum err rows_width(struct rows *rows) MUST_CHECK;
/* F'F of a dictionary, by which the coordinator chooses d. */
enum err rows_spectrum(struct rows *rows) MUST_CHECK;
/* Round s of Stage I, from 1 on. *more: there was one. */
enum err rows_learn(struct rows *rows, unsigned s, bool *more) MUST_CHECK;
/* Z down, F'1 up; t down, F' diag(1 / F t) F up. */
enum err rows_dense(struct rows *rows) MUST_CHECK;
/* Landmarks down, B'B up. */
enum err rows_anchor(struct rows *rows) MUST_CHECK;
/* R down: rows of the embedding are what is clustered from now on. */
enum err rows_embed(struct rows *rows) MUST_CHECK;
/* Variant paper: Z down; C up, in clear. */
enum err rows_upload(struct rows *rows) MUST_CHECK;

/* The clusters of the last counting, which must be the job's k. */
enum err rows_labels(const struct rows *rows, uint32_t *label) MUST_CHECK;

#endif
