/* page.h -- the page of a report or comparison: one file, which a browser draws from its JSON.
 *
 * The page contains the files of cli/report/page/, and the data as JSON. Its content security
 * policy permits only this script, by its hash, and forbids to load anything. Without scripts the
 * page shows the picture and the sizes of the clusters.
 */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "cli/report/picture.h"
#include "common/base/buf.h"
#include "common/base/json.h"

/* title: any text. sizes: a list of the clusters' sizes, or NULL. */
struct page {
	const char *title;
	const struct json *data, *sizes;
	const struct picture *picture; /* NULL: no picture */
};

void page_write(const struct page *p, struct buf *html);

#endif
