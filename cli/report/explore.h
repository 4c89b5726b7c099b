/* explore.h -- adds data on clusters to a party's own page, besides the picture: columns that
 * separate them, a column for a cross table, silhouettes. */
#ifndef CLI_REPORT_EXPLORE_H
#define CLI_REPORT_EXPLORE_H

#include "common/base/json.h"
#include "common/data/columns.h"
#include "common/linalg/csr.h"
#include "common/linalg/mat.h"

#include <stdint.h>

/* All members are borrowed. X stays unchanged. */
struct explored {
	struct features *X;
	const struct columns *names; /* NULL: columns are named by their numbers, from 0 */
	const uint32_t *label;       /* below `clusters`, for each row of X */
	size_t clusters;
	const size_t *shown; /* n rows of X whose values the page gets */
	size_t n;
};

enum { EXPLORE_COLUMNS = 6, EXPLORE_SAMPLE = 1000 };

/* Puts "columns": [{"name", "unit", "between", "values": [...]}], for the columns with the largest
 * share of their variance between the clusters. between: that share, eta squared. O(entries +
 * columns x clusters). */
void explore_columns(const struct explored *e, struct json *to);

/* Puts "by": {"column", "values": [...]}: numbers, or the texts of a category. ERR_INPUT: no such
 * column. */
enum err explore_by(const struct explored *e, const char *column, struct json *to) MUST_CHECK;

/* Puts "silhouette": {"point": [...], "value": [...]} (Rousseeuw 1987), of at most EXPLORE_SAMPLE
 * of the n points, evenly sampled, relative to each other. row: of point i in X; label: below
 * clusters. */
void explore_silhouette(const struct mat *X, const uint32_t *row, const uint32_t *label, size_t n,
			size_t clusters, struct json *to);

#endif
