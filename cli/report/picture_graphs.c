#include "cli/report/picture_graphs.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/fedgcn/file.h"
#include "common/data/tu.h"
#include "common/learn/gin.h"

#include <stdlib.h>

static enum err embed(const struct graphs *g, const struct fedgcn_model *m, unsigned threads,
		      struct mat *Z)
{
	struct gin net;
	float *F, *W;

	TRY(graphs_features(g, m->features, threads, &F));
	gin_init(&net, m->features);
	ALLOC(W, net.weights);
	for (size_t i = 0; i < net.weights; i++)
		W[i] = (float)m->W[i];
	gin_embed(&net, g, F, W, threads, Z);
	free(W);
	free(F);
	return ERR_OK;
}

enum err picture_graphs(const char *set, const char *run, unsigned threads, struct mat *Z)
{
	char *path = file_join(run, "model.fedgcn");
	struct fedgcn_model m = { 0 };
	struct tu tu = { 0 };
	enum err err = fedgcn_file_read(path, &m);

	if (!err)
		err = tu_read(set, &tu);
	if (!err)
		err = embed(&tu.graphs, &m, threads, Z);
	tu_release(&tu);
	fedgcn_model_release(&m);
	free(path);
	return err;
}
