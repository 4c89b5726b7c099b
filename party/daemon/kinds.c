#include "party/daemon/kinds.h"
#include "common/job/kinds.h"

#include <stddef.h>

#define KIND(name) extern const struct party_kind party_kind_##name;
#include "protocols/kinds.def"
#undef KIND
static const struct party_kind *const halves[] = {
#define KIND(name) &party_kind_##name,
#include "protocols/kinds.def"
#undef KIND
};

const struct party_kind *party_kind_of(const struct kind *kind)
{
	return halves[kind_index(kind)];
}

const char *party_kind_lacks(const struct party_kind *half)
{
	static const struct kind_member members[] = {
		KIND_MEMBER(party_kind, sums),      KIND_MEMBER(party_kind, allow),
		KIND_MEMBER(party_kind, allow_eps), KIND_MEMBER(party_kind, accept),
		KIND_MEMBER(party_kind, off_ranks), KIND_MEMBER(party_kind, run),
		KIND_MEMBER(party_kind, keep),
	};

	return kind_missing(half, members, sizeof(members) / sizeof(*members));
}

void party_kinds_check(void)
{
	kinds_check();
	for (size_t i = 0; kinds[i]; i++)
		kind_must_have(kinds[i]->name, "the party's half", party_kind_lacks(halves[i]));
}
