/* align.h -- numbers the union of the parties' ids.
 *
 * - hashed: party 0 makes a key and seals it to each other party (SEALED, relayed here); each party
 *   sends HMAC-SHA256(key, id), cut to 16 bytes and sorted (IDS)
 * - plain: each party sends its ids, sorted (IDS)
 * - in both cases the coordinator sends each party n and the rows of its own ids (ROWS)
 *
 * Rows are numbered at random, differently in each job unless a numbering_key is configured
 * (crypto/numbering.h). All attempts at a job use the same numbers (run->numbers) and the same key,
 * so that a repeated attempt repeats the same sums and gets the same noise. If rows were in the
 * order of hashes, the gaps between a party's own rows would reveal where other parties' ids lie.
 * Anyone with the key could compare these positions with guesses. So nothing may depend on the
 * order of rows. */
#ifndef SERVER_RUN_ALIGN_H
#define SERVER_RUN_ALIGN_H

#include "server/run/run.h"

/* Party l has nodes[l] nodes: the joint rows row[l][0 .. nodes[l]), ascending. Owned. */
struct align {
	size_t L;
	size_t *nodes;
	uint32_t **row;
};

/* Numbers the nodes, and fills *a. Sets run->n, which may be 0. ERR_PEER: as relay_key() and
 * server_gather_ids(). ERR_JOB: more than MSG_ITEMS_MAX nodes. ERR_INPUT: as run_check_memory(). On
 * errors *a is empty. O(total ids log L); memory: the parties' ids, plus 8 bytes each. */
enum err server_align(struct run *run, struct align *a) MUST_CHECK;
void align_release(struct align *a);

/* The ids of a party as received: packed as in IDS, ascending, none cut. */
struct id_list {
	struct buf packed;  /* owned by the caller, also after errors */
	size_t count, done; /* number of ids announced, and received so far */
	size_t last;
	bool begun;
};

/* Receives IDS from each party l with wanted[l] into list[l], which is empty on entry. ERR_PEER,
 * with the party's name: ids that do not ascend, duplicates, incomplete ids, another number of ids
 * than announced, or more than 2 GiB of ids. Clears wanted. */
enum err server_gather_ids(struct run *run, bool *wanted, struct id_list *list) MUST_CHECK;

/* Relays the batches with which parties compare their rows (party/work/agree.h). */
enum err server_agree_rows(struct run *run) MUST_CHECK;

/* Sends each party the labels of its own rows, by ascending row, as a message of this type. label:
 * run->n entries, 0 .. values. Each party receives other labels, so the transcripts of the parties
 * differ, and no sum may follow. */
enum err server_own_labels(struct run *run, const struct align *a, enum msg_type type,
			   uint32_t group, uint32_t values, const uint32_t *label) MUST_CHECK;

#endif
