#include "common/kind/kind.h"

#include <stdio.h>
#include <stdlib.h>

void kind_lacks(const char *name, const char *what)
{
	fprintf(stderr, "kind %s lacks %s\n", name, what);
	abort();
}
