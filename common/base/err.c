#include "common/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char detail[ERR_DETAIL_MAX];

enum err err_set(enum err code, const char *fmt, ...)
{
	char text[ERR_DETAIL_MAX]; /* an argument may be err_detail() itself */
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(detail, text, sizeof(detail));
	return code;
}

enum err err_prefix(enum err code, const char *fmt, ...)
{
	char prefix[ERR_DETAIL_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(prefix, sizeof(prefix), fmt, ap);
	va_end(ap);
	return err_set(code, "%s: %s", prefix, detail);
}

const char *err_name(enum err code)
{
	switch (code) {
#define X(name, exit_status, text)                                                                 \
	case ERR_##name:                                                                           \
		return #name;
		ERR_MAP(X)
#undef X
	}
	return "?";
}

const char *err_text(enum err code)
{
	switch (code) {
#define X(name, exit_status, text)                                                                 \
	case ERR_##name:                                                                           \
		return text;
		ERR_MAP(X)
#undef X
	}
	return "unknown error";
}

const char *err_detail(void)
{
	return detail;
}
