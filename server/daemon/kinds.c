#include "server/daemon/kinds.h"
#include "common/job/kinds.h"
#include "server/fedgcn/kind.h"
#include "server/fedsc/kind.h"
#include "server/fedspectral/kind.h"
#include "server/fedwalk/kind.h"
#include "server/kcagc/kind.h"

#include <stdlib.h>

static const struct server_kind *const halves[] = {
	&server_kind_kcagc,  &server_kind_kcagc_predict, &server_kind_fedsc,
	&server_kind_kmeans, &server_kind_fedspectral,   &server_kind_fedwalk,
	&server_kind_fedgcn
};
enum { HALVES = sizeof(halves) / sizeof(*halves) };

const struct server_kind *server_kind_of(const struct kind *kind)
{
	for (size_t i = 0; i < HALVES; i++)
		if (halves[i]->kind == kind)
			return halves[i];
	abort(); /* server_kinds_check() has looked */
}

void server_kinds_check(void)
{
	for (size_t i = 0; kinds[i]; i++) {
		const struct server_kind *half = NULL;

		for (size_t h = 0; h < HALVES; h++)
			if (halves[h]->kind == kinds[i])
				half = halves[h];
		KIND_NEEDS(kinds[i]->name, "a half in server/daemon/kinds.c", half);
		KIND_NEEDS(kinds[i]->name, "server: compare", half->compare);
		KIND_NEEDS(kinds[i]->name, "server: run", half->run);
		KIND_NEEDS(kinds[i]->name, "server: keep", half->keep);
	}
}
