#include "cli/report/shown.h"
#include "common/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static struct shown PRINTF(1, 2) shown(const char *fmt, ...)
{
	struct shown t;
	va_list args;

	va_start(args, fmt);
	vsnprintf(t.s, sizeof(t.s), fmt, args);
	va_end(args);
	return t;
}

struct shown show_plain(double x)
{
	struct shown t = shown("%.15g", x);

	return strtod(t.s, NULL) == x ? t : shown("%.17g", x);
}

struct shown show_count(double x)
{
	return shown("%.15g", x);
}

struct shown show_score(double x)
{
	return shown("%.4f", x);
}

struct shown show_bytes(double x)
{
	if (x < 1e3)
		return shown("%.0f B", x);
	if (x < 1e6)
		return shown("%.1f kB", x / 1e3);
	if (x < 1e9)
		return shown("%.1f MB", x / 1e6);
	return x < 1e12 ? shown("%.1f GB", x / 1e9) : shown("%.4g TB", x / 1e12);
}

struct shown show_seconds(double x)
{
	if (x <= 0)
		return shown("0 s");
	if (x < 0.01)
		return shown("%.2f ms", x * 1e3);
	if (x < 1)
		return shown("%.0f ms", x * 1e3);
	if (x < 100)
		return shown("%.2f s", x);
	return shown(x < 1e6 ? "%.0f s" : "%.3g s", x);
}
