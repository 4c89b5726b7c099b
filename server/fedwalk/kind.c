#include "server/fedwalk/kind.h"
#include "common/base/file.h"
#include "common/data/npy.h"
#include "common/fedwalk/kind.h"
#include "server/fedwalk/fedwalk.h"

#include <stdlib.h>

/* By number: the coordinator has no ids. */
static enum err keep_embeddings(struct run *run, const uint32_t *label, const char *output)
{
	const float *x = run->embedding;
	size_t n = run->n;
	char *npy;
	struct mat m;
	struct buf file = { 0 };
	enum err e;

	(void)label;
	if (!x)
		return ERR_OK;
	npy = file_join(output, "embeddings.npy");
	mat_init(&m, n, FEDWALK_DIMS);
	for (size_t i = 0; i < n * FEDWALK_DIMS; i++)
		m.a[i] = (double)x[i];
	npy_print(&m, &file);
	mat_release(&m);
	e = file_write(npy, (struct bytes){ file.p, file.n }, FILE_PUBLIC);
	buf_release(&file);
	free(npy);
	return e;
}

/* Each party gets the embeddings of its own vertices; there are no labels. */
static enum err embed_all(struct run *run, uint32_t **label)
{
	(void)label;
	return server_fedwalk(run);
}

const struct server_kind server_kind_fedwalk = {
	.kind = &kind_fedwalk,
	.compare = server_compare_nothing,
	.run = embed_all,
	.keep = keep_embeddings,
};
