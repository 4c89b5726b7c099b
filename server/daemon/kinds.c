#include "server/daemon/kinds.h"
#include "common/job/kinds.h"

#include <stddef.h>

#define KIND(name) extern const struct server_kind server_kind_##name;
#include "protocols/kinds.def"
#undef KIND
static const struct server_kind *const halves[] = {
#define KIND(name) &server_kind_##name,
#include "protocols/kinds.def"
#undef KIND
};

const struct server_kind *server_kind_of(const struct kind *kind)
{
	return halves[kind_index(kind)];
}

const char *server_kind_lacks(const struct server_kind *half)
{
	static const struct kind_member members[] = {
		KIND_MEMBER(server_kind, run),
		KIND_MEMBER(server_kind, keep),
	};

	return kind_missing(half, members, sizeof(members) / sizeof(*members));
}

void server_kinds_check(void)
{
	kinds_check();
	for (size_t i = 0; kinds[i]; i++)
		kind_must_have(kinds[i]->name, "the coordinator's half",
			       server_kind_lacks(halves[i]));
}
