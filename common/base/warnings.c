#include "common/base/warnings.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/log.h"

#include <stdarg.h>
#include <stdlib.h>

const struct warning_text warning_text[WARNINGS] = {
	[WARNING_ONE_CLUSTER] = { "one_cluster", "all rows are in one cluster",
				  "check the features' units, rows far from all others, and the "
				  "other warnings" },
	[WARNING_FEWER_CLUSTERS] = { "fewer_clusters", "some clusters have no rows",
				     "set fewer clusters, look for equal rows, or try another "
				     "seed" },
	[WARNING_SINGLE_ROWS] = { "single_rows", "clusters of one row each",
				  "look at these rows for totals, wrong units, or missing "
				  "values coded as numbers; leave them out, or set fewer "
				  "clusters" },
	[WARNING_K_AT_END] = { "k_at_end", "the chosen k is the first or last of its range",
			       "widen the range at that end" },
	[WARNING_K_CLOSE] = { "k_close",
			      "the silhouette of the chosen k is better by less than "
			      "0.01",
			      "compare the clusters of both k, or set the k that your use needs" },
	[WARNING_K_UNSTABLE] = { "k_unstable",
				 "another k of the range is more stable by 0.2 or more, if "
				 "halves of the rows are clustered",
				 "look at the clusters of that k too, and set one k" },
	[WARNING_SILHOUETTE] = { "silhouette_low",
				 "rows are almost as near to another cluster as to their own",
				 "there may be no clusters: try another k, other columns or "
				 "units" },
	[WARNING_MODULARITY] = { "modularity_low",
				 "clusters fit the edges little better than chance: the "
				 "modularity is below 0.1",
				 "there may be no communities: try another k or method, or look at "
				 "the features' units and the edges" },
	[WARNING_COLUMNS_CONSTANT] = { "columns_constant",
				       "some columns of a party have the same value in all "
				       "rows, so they have no effect",
				       "leave them out, or check how the party read them" },
	[WARNING_COLUMNS_UNLINKED] = { "columns_unlinked",
				       "linked rows are no more alike than others in columns of "
				       "numbers beside words, which count for nothing",
				       "leave them out, or check how the party read them" },
	[WARNING_COLUMN_DOMINATES] = { "column_dominates",
				       "one column has over 80 % of the variance of a party's "
				       "columns",
				       "bring columns to one unit, or set \"standardize\" in the "
				       "job" },
	[WARNING_NO_FEATURES] = { "no_features",
				  "all features of a party are 0, so they have "
				  "no effect",
				  "check the party's features and how they were made" },
	[WARNING_DEGREES] = { "degrees",
			      "the job used degrees instead of features, since the features "
			      "mostly follow from degrees",
			      "to use the features, set \"degrees\" to \"off\" in the job" },
	[WARNING_UNLIKE_ROWS] = { "unlike_rows",
				  "rows that are similar to no landmark have random labels",
				  "set a larger r, or more landmarks" },
};

static _Thread_local struct warnings *here;

void warnings_begin(struct warnings *to)
{
	here = to;
}

static bool is_in(const struct warnings *w, enum warning what)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->said[i].what == what)
			return true;
	return false;
}

void warnings_add(enum warning what, double number, const char *fmt, ...)
{
	const struct log_pair pair[] = { LOG_TEXT("code", warning_text[what].code),
					 LOG_NUMBER("number", number) };
	struct buf text = { 0 };
	va_list ap;
	char *fact;

	if (here && is_in(here, what))
		return;
	va_start(ap, fmt);
	fact = alloc_format(fmt, ap);
	va_end(ap);
	buf_printf(&text, "%s: %s", fact, warning_text[what].remedy);
	buf_add(&text, "", 1);
	free(fact);
	log_event(LOG_WARN, pair, 2, "%s", (const char *)text.p);
	if (here)
		here->said[here->count++] =
		    (struct warning_said){ what, number, alloc_copy((const char *)text.p) };
	buf_release(&text);
}

void warnings_release(struct warnings *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->said[i].sentence);
	*w = (struct warnings){ 0 };
}
