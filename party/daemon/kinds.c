#include "party/daemon/kinds.h"
#include "common/job/kinds.h"
#include "party/fedgcn/kind.h"
#include "party/fedsc/kind.h"
#include "party/fedspectral/kind.h"
#include "party/fedwalk/kind.h"
#include "party/kcagc/kind.h"

#include <stdlib.h>

static const struct party_kind *const halves[] = {
	&party_kind_kcagc,       &party_kind_kcagc_predict, &party_kind_fedsc, &party_kind_kmeans,
	&party_kind_fedspectral, &party_kind_fedwalk,       &party_kind_fedgcn
};
enum { HALVES = sizeof(halves) / sizeof(*halves) };

const struct party_kind *party_kind_of(const struct kind *kind)
{
	for (size_t i = 0; i < HALVES; i++)
		if (halves[i]->kind == kind)
			return halves[i];
	abort(); /* party_kinds_check() has looked */
}

void party_kinds_check(void)
{
	for (size_t i = 0; kinds[i]; i++) {
		const struct party_kind *half = NULL;

		for (size_t h = 0; h < HALVES; h++)
			if (halves[h]->kind == kinds[i])
				half = halves[h];
		KIND_NEEDS(kinds[i]->name, "a half in party/daemon/kinds.c", half);
		KIND_NEEDS(kinds[i]->name, "party: sums", half->sums);
		KIND_NEEDS(kinds[i]->name, "party: allow", half->allow);
		KIND_NEEDS(kinds[i]->name, "party: allow_eps", half->allow_eps);
		KIND_NEEDS(kinds[i]->name, "party: accept", half->accept);
		KIND_NEEDS(kinds[i]->name, "party: check_data", half->check_data);
		KIND_NEEDS(kinds[i]->name, "party: describe", half->describe);
		KIND_NEEDS(kinds[i]->name, "party: begin", half->begin);
		KIND_NEEDS(kinds[i]->name, "party: run", half->run);
		KIND_NEEDS(kinds[i]->name, "party: keep", half->keep);
		KIND_NEEDS(kinds[i]->name, "party: files", half->files);
		KIND_NEEDS(kinds[i]->name, "party: forget", half->forget);
		KIND_NEEDS(kinds[i]->name, "party: release", half->release);
	}
}
