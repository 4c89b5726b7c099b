#include "party/daemon/served.h"
#include "common/base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SERVED_MAX = 32 << 20, /* bytes of the file: some 300000 attempts */
	HEX_ID = 2 * JOB_ID_LEN,
	HEX_HASH = 2 * SECAGG_HASH_LEN,
};

static void put_hex(char *text, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", p[i]);
}

/* One line of the same job; hash is "" in lines of versions that did not write it. */
static enum err compare(struct work *work, const char *line, const char *own_hash)
{
	char rest[HEX_HASH + 16], hash[HEX_HASH + 1] = "";
	uint32_t attempt = 0;

	snprintf(rest, sizeof(rest), "%.*s", (int)strcspn(line + HEX_ID, "\n"), line + HEX_ID);
	sscanf(rest, " %" SCNu32 " %64[0-9a-f]", &attempt, hash);
	if (*hash && strcmp(hash, own_hash) != 0) {
		work->later = false;
		return err_set(ERR_PEER,
			       "attempt %u of job %.*s was served before, with other parties or "
			       "parameters than are offered now",
			       attempt, HEX_ID, line);
	}
	if (attempt < work->attempt)
		return ERR_OK;
	work->later = true;
	return err_set(ERR_PEER,
		       "job %.*s, attempt %u was served before: its masks must not be used twice",
		       HEX_ID, line, attempt);
}

enum err served_note(const char *state, struct work *work)
{
	char id[HEX_ID + 1], hash[HEX_HASH + 1], line[HEX_ID + HEX_HASH + 16];
	char *path = file_join(state, "served");
	struct buf served = { 0 };
	enum err e = file_make_dirs(state);

	put_hex(id, work->job_id, JOB_ID_LEN);
	put_hex(hash, work->params_hash, SECAGG_HASH_LEN);
	snprintf(line, sizeof(line), "%s %" PRIu32 " %s\n", id, work->attempt, hash);
	if (e == ERR_OK && file_exists(path))
		e = file_read(path, SERVED_MAX, &served);
	for (const char *at = (const char *)served.p; e == ERR_OK && at && *at;) {
		const char *end = strchr(at, '\n');

		if (strncmp(at, id, HEX_ID) == 0)
			e = compare(work, at, hash);
		at = end ? end + 1 : NULL;
	}
	if (e == ERR_OK)
		e = file_append(path, line, FILE_SECRET);
	buf_release(&served);
	free(path);
	return e;
}
