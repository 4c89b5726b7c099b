/* intersect.h -- the party side of finding the rows that all parties have: docs/alignment.md. */
#ifndef PARTY_WORK_INTERSECT_H
#define PARTY_WORK_INTERSECT_H

#include "common/data/dataset.h"
#include "party/work/work.h"

/* d: this party's own rows (work->dataset in a job), with ids. *row has *n entries: row[r] is the
 * own row, in d's order, of common row r. The caller owns it; NULL after errors. The order of the
 * common rows is the same at all parties. A keyed hash of the ids decides it, so that nobody
 * chooses it (numbering_key, or a drawn key).
 *
 * Call for a job whose align is not "same", after the agreement on keys. Makes the group key
 * (work_group_key), and begins the transcript of the root's group: the kind begins its own groups
 * (work_group).
 *
 * ERR_PEER, naming the party: pseudonyms that no own id has or that do not ascend, missing
 * canaries, or fewer rows than job.min_common. ERR_JOB: more own ids than job.align_bound, or
 * ALIGN_IDS_MAX. ERR_INPUT: no ids.
 */
enum err party_intersect(struct work *work, const struct dataset *d, uint32_t **row,
			 size_t *n) MUST_CHECK;

#endif
