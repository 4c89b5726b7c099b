#include "party/daemon/kinds.h"
#include "common/job/kinds.h"

#include <assert.h>
#include <stddef.h>

#define KIND(name) extern const struct party_kind party_kind_##name;
#include "protocols/kinds.def"
#undef KIND
static const struct party_kind *const halves[] = {
#define KIND(name) &party_kind_##name,
#include "protocols/kinds.def"
#undef KIND
};
enum { HALVES = sizeof(halves) / sizeof(*halves) };

static const struct party_kind *party_kinds_find(const struct kind *kind)
{
	for (size_t i = 0; i < HALVES; i++)
		if (halves[i]->kind == kind)
			return halves[i];
	return NULL;
}

const struct party_kind *party_kind_of(const struct kind *kind)
{
	const struct party_kind *half = party_kinds_find(kind);

	assert(half); /* guaranteed by party_kinds_check() */
	return half;
}

const char *party_kind_lacks(const struct party_kind *half)
{
	static const struct kind_member members[] = {
		KIND_MEMBER(party_kind, sums),      KIND_MEMBER(party_kind, allow),
		KIND_MEMBER(party_kind, allow_eps), KIND_MEMBER(party_kind, accept),
		KIND_MEMBER(party_kind, off_ranks), KIND_MEMBER(party_kind, run),
		KIND_MEMBER(party_kind, keep),
	};

	if (!half)
		return "a table of its own";
	return kind_missing(half, members, sizeof(members) / sizeof(*members));
}

void party_kinds_check(void)
{
	kinds_check();
	for (size_t i = 0; kinds[i]; i++)
		kind_must_have(kinds[i]->name, "the party's half",
			       party_kind_lacks(party_kinds_find(kinds[i])));
}
