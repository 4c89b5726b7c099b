#include "server/daemon/kinds.h"
#include "common/job/kinds.h"

#include <assert.h>
#include <stddef.h>

#define KIND(name) extern const struct server_kind server_kind_##name;
#include "protocols/kinds.def"
#undef KIND
static const struct server_kind *const halves[] = {
#define KIND(name) &server_kind_##name,
#include "protocols/kinds.def"
#undef KIND
};
enum { HALVES = sizeof(halves) / sizeof(*halves) };

static const struct server_kind *server_kinds_find(const struct kind *kind)
{
	for (size_t i = 0; i < HALVES; i++)
		if (halves[i]->kind == kind)
			return halves[i];
	return NULL;
}

const struct server_kind *server_kind_of(const struct kind *kind)
{
	const struct server_kind *half = server_kinds_find(kind);

	assert(half); /* guaranteed by server_kinds_check() */
	return half;
}

const char *server_kind_lacks(const struct server_kind *half)
{
	static const struct kind_member members[] = {
		KIND_MEMBER(server_kind, run),
		KIND_MEMBER(server_kind, keep),
	};

	if (!half)
		return "a table of its own";
	return kind_missing(half, members, sizeof(members) / sizeof(*members));
}

void server_kinds_check(void)
{
	kinds_check();
	for (size_t i = 0; kinds[i]; i++)
		kind_must_have(kinds[i]->name, "the coordinator's half",
			       server_kind_lacks(server_kinds_find(kinds[i])));
}
