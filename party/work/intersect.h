/* intersect.h -- the party side of finding the rows that all parties have (docs/alignment.md). */
#ifndef PARTY_WORK_INTERSECT_H
#define PARTY_WORK_INTERSECT_H

#include "common/data/dataset.h"
#include "party/work/work.h"

/* Finds the rows that all parties have. d: this party's own rows (work->dataset in a job), with
 * ids. *row has *n entries: entry r is the own row, in d's order, of common row r. The caller owns
 * *row, which is NULL after errors. The order of the common rows is the same at all parties. A
 * keyed hash of the ids decides it (numbering_key, or a drawn key), so that no process can choose
 * it.
 *
 * Call for a job whose align is not "same", after the agreement on keys. Makes the group key
 * (work_group_key), and begins the transcript of the group of all parties. The kind of job then
 * begins its own groups (work_group).
 *
 * ERR_PEER, naming the coordinator: the common pseudonyms do not ascend or belong to no own id,
 * those that all parties have (canaries) are missing, or there are fewer rows than job.min_common.
 * ERR_JOB: more own ids than job.align_bound or ALIGN_IDS_MAX, or no table fits the parties' ids.
 * ERR_INPUT: no ids.
 */
enum err party_intersect(struct work *work, const struct dataset *d, uint32_t **row,
			 size_t *n) MUST_CHECK;

#endif
