#include "server/daemon/kinds.h"
#include "common/job/kinds.h"

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
