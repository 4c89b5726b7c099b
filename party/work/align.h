/* align.h -- the party side of the agreement on nodes, which server/run/align.h describes. */
#ifndef PARTY_WORK_ALIGN_H
#define PARTY_WORK_ALIGN_H

#include "common/data/dataset.h"
#include "crypto/numbering.h"
#include "party/work/work.h"

/* Agrees with the coordinator on the rows of this party's nodes. d: the own nodes (work->dataset in
 * a job). row: d->n entries; row[i] becomes the joint row of own node i. Sets work->n to the joint
 * number of nodes, at most MSG_ITEMS_MAX.
 *
 * Begins the transcript of the group of all parties (work_group) with n, so later sums must not
 * begin it again.
 *
 * ERR_PEER: a sealed message is incomplete or for another party; rows are repeated or out of range;
 * n is smaller than this party's number of nodes, or too large for this host's memory. ERR_JOB:
 * more than MSG_IDS_MAX own nodes. ERR_INTERNAL: two own ids have one hash.
 */
enum err party_align(struct work *work, const struct dataset *d, uint32_t *row) MUST_CHECK;

/* Agrees with all parties on a common key for the use that `purpose` names. Party 0 makes it
 * (crypto/numbering.h) and seals it to all others. ERR_PEER: this party has a numbering_key, and
 * the key was made from another file. The caller wipes the key. */
enum err party_numbering_key(struct work *work, const char *purpose,
			     uint8_t key[static NUMBERING_KEY_LEN]) MUST_CHECK;

/* Receives the labels that server_own_labels() sends. label[i] belongs to own node i; label has
 * `own` entries, each 0 .. values. row: as for party_align(). */
enum err party_own_labels(struct work *work, const uint32_t *row, size_t own, enum msg_type type,
			  uint32_t group, uint32_t values, uint32_t *label) MUST_CHECK;

#endif
