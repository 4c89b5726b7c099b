/* split_parties.h -- what the ways of splitting have in common: OUT/party-NN and OUT/split.json. */
#ifndef CLI_SPLIT_SPLIT_PARTIES_H
#define CLI_SPLIT_SPLIT_PARTIES_H

#include "cli/split/split.h"
#include "common/base/json.h"

char *split_party_dir(const struct split_params *p, uint32_t l); /* owned by the caller */

/* Writes what party l gets of the source into `dir`, which is there. */
typedef enum err split_writer(const void *source, const char *dir, uint32_t l);

/* For each party in turn, until one fails. ERR_JOB: cannot be written. */
enum err split_each(const struct split_params *p, split_writer *write,
		    const void *source) MUST_CHECK;

/* split.json: what all ways say first; the rest is the caller's to add. Takes root. */
struct json *split_json(const struct split_params *p);
enum err split_json_write(const struct split_params *p, struct json *root) MUST_CHECK;

/* Which parties hold an edge; the same in split.json. */
struct split_hold_params split_hold_of(const struct split_params *p);
void split_put_holders(struct json *root, const struct split_params *p, size_t copies);

#endif
