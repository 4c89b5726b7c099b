#include "lab/lab.h"

bool lab_override(int key, const char *text, struct overrides *set)
{
	if (key == 's')
		overrides_add(set, "seed=%s", text);
	else if (key == 'k')
		overrides_add(set, "clusters=%s", text);
	else if (key == 'S')
		overrides_add(set, "%s", text);
	return key == 's' || key == 'k' || key == 'S';
}
