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
