/* The dashboard: files of common/http/page, embedded unchanged. */
#include "common/http/window.h"

/* clang-format off */
#define FILE_IN(name, file) \
	__asm__(".section .rodata\n" \
		".global page_" #name "\n.hidden page_" #name "\npage_" #name ":\n" \
		".incbin \"common/http/page/" file "\"\n" \
		".global page_" #name "_end\n.hidden page_" #name "_end\n" \
		"page_" #name "_end:\n.previous\n"); \
	extern const uint8_t page_##name[], page_##name##_end[]; \
	static struct bytes text_of_##name(void) \
	{ \
		return (struct bytes){ page_##name, \
				       (uintptr_t)page_##name##_end - (uintptr_t)page_##name }; \
	}
/* clang-format on */

FILE_IN(html, "page.html")
FILE_IN(css, "page.css")
FILE_IN(page, "page.js")
FILE_IN(dom, "dom.js")
FILE_IN(jobs, "jobs.js")
FILE_IN(party, "party.js")
FILE_IN(submit, "submit.js")
FILE_IN(token, "token.js")

#define SCRIPT "text/javascript; charset=utf-8"

const struct window_file window_files[] = {
	{ "/", "text/html; charset=utf-8", text_of_html },
	{ "/page.css", "text/css; charset=utf-8", text_of_css },
	{ "/page.js", SCRIPT, text_of_page },
	{ "/dom.js", SCRIPT, text_of_dom },
	{ "/jobs.js", SCRIPT, text_of_jobs },
	{ "/party.js", SCRIPT, text_of_party },
	{ "/submit.js", SCRIPT, text_of_submit },
	{ "/token.js", SCRIPT, text_of_token },
	{ 0 },
};
