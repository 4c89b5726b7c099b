#include "party/norm.h"
#include "common/base/alloc.h"
#include "party/secure.h"

#include <math.h>
#include <stdlib.h>

/* r: n, the squares that were told become lengths. */
static enum err read_norms(struct work *work, const struct tree_node *node, double *r, size_t n,
			   double *sum)
{
	TRY(channel_recv_reals(work->channel, MSG_MATRIX, node->id, r, n));
	for (size_t i = 0; i < n; i++) {
		if (r[i] < 0)
			return err_set(ERR_PEER,
				       "%s sent MATRIX with %g as square %zu of a length (during "
				       "%s)",
				       channel_peer(work->channel), r[i], i,
				       record_now(work->record)->name);
		r[i] = sqrt(r[i]);
		*sum += r[i];
	}
	return ERR_OK;
}

enum err party_joint_norm(struct work *work, const struct tree_node *node, double power,
			  struct mat *Z, double *mean)
{
	double *r = alloc(Z->rows, sizeof(*r)), sum = 0;
	enum err e;

	embed_norms(Z, r);
	for (size_t i = 0; i < Z->rows; i++)
		r[i] *= r[i];
	e = secure_send(work, node, r, Z->rows);
	if (e == ERR_OK)
		e = read_norms(work, node, r, Z->rows, &sum);
	if (e == ERR_OK) {
		if (*mean == 0)
			*mean = sum / (double)Z->rows;
		embed_scale(Z, r, *mean, power);
	}
	free(r);
	return e;
}
