#include "common/data/value.h"
#include "common/base/utf8.h"

#include <stdio.h>

enum { MOST = 40 }; /* maximum bytes of a text that is shown */

static bool shown;

void values_show(void)
{
	shown = true;
}

bool values_are_shown(void)
{
	return shown;
}

struct value value_text(const char *p, size_t n)
{
	struct value v = { "(not shown)" };

	if (shown)
		snprintf(v.s, sizeof(v.s), "\"%.*s%s\"", (int)(n < MOST ? n : MOST), n ? p : "",
			 n > MOST ? ".." : "");
	utf8_make_harmless(v.s);
	return v;
}

struct value value_number(double x)
{
	struct value v = { "(not shown)" };

	if (shown)
		snprintf(v.s, sizeof(v.s), "%.15g", x);
	return v;
}
