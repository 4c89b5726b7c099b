/* The dashboard: files of common/http/page, embedded unchanged. */
#include "common/http/dashboard.h"
#include "common/base/embed.h"

EMBED(html, "common/http/page/page.html")
EMBED(icon, "common/http/page/icon.svg")
EMBED(css, "common/http/page/page.css")
EMBED(page, "common/http/page/page.js")
EMBED(dom, "common/http/page/dom.js")
EMBED(files, "common/http/page/files.js")
EMBED(list, "common/http/page/list.js")
EMBED(jobs, "common/http/page/jobs.js")
EMBED(party, "common/http/page/party.js")
EMBED(submit, "common/http/page/submit.js")
EMBED(token, "common/http/page/token.js")

#define SCRIPT "text/javascript; charset=utf-8"

const struct dashboard_file dashboard_files[] = {
	{ "/", "text/html; charset=utf-8", text_of_html },
	{ "/icon.svg", "image/svg+xml", text_of_icon },
	{ "/page.css", "text/css; charset=utf-8", text_of_css },
	{ "/page.js", SCRIPT, text_of_page },
	{ "/dom.js", SCRIPT, text_of_dom },
	{ "/files.js", SCRIPT, text_of_files },
	{ "/list.js", SCRIPT, text_of_list },
	{ "/jobs.js", SCRIPT, text_of_jobs },
	{ "/party.js", SCRIPT, text_of_party },
	{ "/submit.js", SCRIPT, text_of_submit },
	{ "/token.js", SCRIPT, text_of_token },
	{ 0 },
};
