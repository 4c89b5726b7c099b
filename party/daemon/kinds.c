#include "party/daemon/kinds.h"
#include "common/job/kinds.h"
#include "party/align/align.h"
#include "party/fedgcn/fedgcn.h"
#include "party/fedsc/fedsc.h"
#include "party/fedspectral/fedspectral.h"
#include "party/fedwalk/fedwalk.h"
#include "party/kcagc/kcagc.h"

#include <assert.h>
#include <stddef.h>

static const struct party_kind *const halves[] = {
	&party_kind_kcagc,       &party_kind_kcagc_predict,
	&party_kind_fedsc,       &party_kind_kmeans,
	&party_kind_fedspectral, &party_kind_fedwalk,
	&party_kind_fedgcn,      &party_kind_kmeans_columns,
	&party_kind_align,       &party_kind_kmeans_columns_predict
};
enum { HALVES = sizeof(halves) / sizeof(*halves) };

static const struct party_kind *find(const struct kind *kind)
{
	for (size_t i = 0; i < HALVES; i++)
		if (halves[i]->kind == kind)
			return halves[i];
	return NULL;
}

const struct party_kind *party_kind_of(const struct kind *kind)
{
	const struct party_kind *half = find(kind);

	assert(half); /* party_kinds_check() has looked */
	return half;
}

const char *party_kind_lacks(const struct party_kind *half)
{
	static const struct kind_member members[] = {
		KIND_MEMBER(party_kind, sums),      KIND_MEMBER(party_kind, allow),
		KIND_MEMBER(party_kind, allow_eps), KIND_MEMBER(party_kind, accept),
		KIND_MEMBER(party_kind, off_ranks), KIND_MEMBER(party_kind, check_data),
		KIND_MEMBER(party_kind, describe),  KIND_MEMBER(party_kind, begin),
		KIND_MEMBER(party_kind, run),       KIND_MEMBER(party_kind, keep),
		KIND_MEMBER(party_kind, forget),    KIND_MEMBER(party_kind, release),
	};

	if (!half)
		return "a table in party/daemon/kinds.c";
	return kind_missing(half, members, sizeof(members) / sizeof(*members));
}

void party_kinds_check(void)
{
	kinds_check();
	for (size_t i = 0; kinds[i]; i++)
		kind_must_have(kinds[i]->name, "the party's half",
			       party_kind_lacks(find(kinds[i])));
}
