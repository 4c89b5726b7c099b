/* explore.h -- adds data about clusters to a party's own page: the columns that separate them, a
 * column for a cross table, and silhouettes. */
#ifndef CLI_REPORT_EXPLORE_H
#define CLI_REPORT_EXPLORE_H

#include "common/base/json.h"
#include "common/data/columns.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdint.h>

/* Data to explore. All members are borrowed. X stays unchanged. */
struct explored {
	struct features *X;
	const struct columns *names; /* with n 0: columns are named by their numbers, from 0 */
	const uint32_t *label;       /* one label per row of X, below `clusters` */
	size_t clusters;
	const size_t *shown; /* numbers of n rows of X whose values the page gets */
	size_t n;
};

enum { EXPLORE_COLUMNS = 6, EXPLORE_SAMPLE = 1000 };

/* Adds "columns": [{"name", "unit", "between", "values": [...]}] for the columns that separate the
 * clusters best. between: eta squared, the share of a column's variance that is between the
 * clusters. O(entries + columns x clusters). */
void explore_columns(const struct explored *e, struct json *to);

/* Adds "by": {"column", "values": [...]}. Values are numbers, or the texts of a category.
 * ERR_INPUT: there is no such column. */
enum err explore_by(const struct explored *e, const char *column, struct json *to) MUST_CHECK;

/* Adds "silhouette": {"point": [...], "value": [...]} (Rousseeuw 1987), for at most EXPLORE_SAMPLE
 * of the n points. The sampled points are evenly spaced, and only distances between them count.
 * row[i]: row of X that has point i. label[i]: its cluster, below `clusters`. */
void explore_silhouette(const struct mat *X, const uint32_t *row, const uint32_t *label, size_t n,
			size_t clusters, struct json *to);

#endif
