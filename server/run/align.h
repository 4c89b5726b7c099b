/* align.h -- which nodes there are: the union of the parties' ids, numbered.
 *
 *   hashed   party 0 draws a key and seals it to each other party (SEALED, relayed here);
 *            each party sends HMAC-SHA256(key, id), cut to 16 bytes and sorted (IDS)
 *   plain    each party sends its ids, sorted (IDS)
 *   both     each party is told n and the rows of its own ids (ROWS)
 *
 * Rows are numbered at random, anew in each job unless a numbering_key says otherwise (crypto/numbering.h); attempts
 * at one job keep the numbers (run->numbers) and the key, so that noise is that of the same questions. Numbered by sorted hash, the gaps between a party's own rows would say where
 * others' ids lie, which whoever has the key could compare with guesses. So nothing may hang on the
 * order of rows.
 */
#ifndef SERVER_RUN_ALIGN_H
#define SERVER_RUN_ALIGN_H

#include "server/run/run.h"

/* Party l has nodes[l] nodes: the joint rows row[l][0 .. nodes[l]), rising. Owned. */
struct align {
	size_t L;
	size_t *nodes;
	uint32_t **row;
};

/* Sets run->n, which may be 0. ERR_PEER, naming the party: ids that do not rise, come twice or are
 * cut. ERR_JOB: more than MSG_ITEMS_MAX nodes. On errors *a is empty. O(total ids log L); the
 * memory is what the parties' ids take, and 8 bytes more for each. */
enum err server_align(struct run *run, struct align *a) MUST_CHECK;
void align_release(struct align *a);

/* A party's ids as they came: packed as in IDS, rising, whole. */
struct id_list {
	struct buf packed;  /* owned, also after errors */
	size_t count, done; /* ids announced, and here */
	size_t last;	    /* where in packed the last one begins */
	bool begun;
};

/* IDS of each party that is wanted, into list[its number], which is empty. ERR_PEER, naming the party: ids that
 * do not rise, come twice or are cut, or not as many as announced. wanted: cleared on the way. */
enum err server_gather_ids(struct run *run, bool *wanted, struct id_list *list) MUST_CHECK;

/* Parties compare rows: relays the batches that they send each other (party/work/agree.h). */
enum err server_agree_rows(struct run *run) MUST_CHECK;

/* To each party the labels of its own rows, by rising row, of label (run->n entries, 0 .. values):
 * a message of labels of this type. They differ from party to party, and with them the transcripts:
 * no sum may follow. */
enum err server_own_labels(struct run *run, const struct align *a, enum msg_type type,
			   uint32_t group, uint32_t values, const uint32_t *label) MUST_CHECK;

#endif
