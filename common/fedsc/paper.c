#include "common/fedsc/paper.h"
#include "common/fedsc/dictionary.h"
#include "common/graph/knn.h"
#include "common/linalg/la.h"
#include "common/cluster/spectral.h"

enum err fedsc_paper(const struct mat *Z, const struct mat *C, const struct fedsc_paper *p,
		     uint32_t *label)
{
	struct spectral_params how;
	struct fedsc_basis basis;
	struct mat F = { 0 };
	struct csr S;
	enum err err;

	if (p->k > C->rows)
		return err_set(ERR_INPUT, "%u clusters of %zu rows", p->k, C->rows);
	err = fedsc_basis_init(&basis, Z, p->r, p->lambda, p->threads);
	if (!err)
		err = fedsc_basis_root(&basis, p->threads);
	if (!err)
		la_mul_nn(C, &basis.root, p->threads, &F);
	fedsc_basis_release(&basis);
	if (err)
		return err;
	knn_products(&F, p->neighbours ? p->neighbours : knn_rule(C->rows), p->threads, &S);
	mat_release(&F);
	spectral_defaults(&how, C->rows, p->k, p->seed, p->threads);
	err = spectral_cluster(&S, &how, p->restarts, label, NULL);
	csr_release(&S);
	return err;
}
