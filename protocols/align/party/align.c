#include "protocols/align/party/align.h"
#include "common/base/file.h"
#include "common/data/dataset.h"

#include <stdlib.h>
#include <string.h>

/* Only enters phase "result": as in every job with an intersection, the rows have been matched
 * before. */
static enum err party_align_run(struct work *work, uint32_t *label)
{
	(void)label;
	work_phase(work, "result");
	return ERR_OK;
}

/* Writes ids.txt: the common ids in the order of the rows, which is the same at all parties. */
static enum err party_align_keep_ids(struct work *work, const uint32_t *label)
{
	const struct ids *ids = &work->dataset->ids;
	char *path = file_join(work->output, "ids.txt");
	struct buf text = { 0 };
	enum err e = file_make_dirs(work->output);

	(void)label;
	for (size_t i = 0; i < ids->n; i++) {
		buf_add(&text, ids->id[i], strlen(ids->id[i]));
		buf_add(&text, "\n", 1);
	}
	if (e == ERR_OK)
		e = file_write(path, (struct bytes){ text.p, text.n }, FILE_SECRET);
	buf_release(&text);
	free(path);
	return e;
}

const struct party_kind party_kind_align = {
	.accept = "",
	.run = party_align_run,
	.keep = party_align_keep_ids,
};
