#include "common/base/err.h"
#include "common/base/log.h"
#include "common/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char detail[ERR_DETAIL_MAX];

enum err err_set_at(const char *file, int line, enum err code, const char *fmt, ...)
{
	/* The new text has its own buffer, because an argument may be err_detail() itself. */
	char text[ERR_DETAIL_MAX], at[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	utf8_make_harmless(text); /* the text may hold words from files and peers */
	memcpy(detail, text, sizeof(detail));
	snprintf(at, sizeof(at), "%s:%d", file, line);
	log_event(LOG_DEBUG, &LOG_TEXT("at", at), 1, "%s", detail);
	return code;
}

enum err err_prefix(enum err code, const char *fmt, ...)
{
	char text[2 * ERR_DETAIL_MAX + 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, ERR_DETAIL_MAX, fmt, ap);
	va_end(ap);
	utf8_make_harmless(text);
	strcat(strcat(text, ": "), detail);
	memcpy(detail, text, sizeof(detail) - 1); /* the last byte of detail stays 0 */
	return code;
}

struct err_saved err_save(enum err code)
{
	struct err_saved saved = { .code = code };

	if (code != ERR_OK)
		memcpy(saved.why, detail, sizeof(detail));
	return saved;
}

enum err err_restore(const struct err_saved *saved)
{
	if (saved->code != ERR_OK)
		memcpy(detail, saved->why, sizeof(detail));
	return saved->code;
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
