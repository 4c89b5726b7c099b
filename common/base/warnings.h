/* warnings.h -- warnings about a job's result, for the log, run.json and the status API.
 *
 * warnings_add() adds to the list of this thread's job, and logs the message at level warn with
 * code and number. Warnings about other things ("dialling again") use log_warn().
 */
#ifndef COMMON_BASE_WARNINGS_H
#define COMMON_BASE_WARNINGS_H

#include "common/base/err.h"

#include <stddef.h>

enum warning {
	WARNING_ONE_CLUSTER,
	WARNING_FEWER_CLUSTERS,
	WARNING_SINGLE_ROWS,
	WARNING_K_AT_END,
	WARNING_K_CLOSE,
	WARNING_K_UNSTABLE,
	WARNING_SILHOUETTE,
	WARNING_MODULARITY,
	WARNING_COLUMNS_CONSTANT,
	WARNING_COLUMNS_UNLINKED,
	WARNING_COLUMN_DOMINATES,
	WARNING_NO_FEATURES,
	WARNING_DEGREES,
	WARNING_UNLIKE_ROWS,
	WARNINGS
};

/* Rows of the table in docs/reference/warnings.md. Each message of a code ends with the remedy. */
extern const struct warning_text {
	const char *code, *cause, *remedy;
} warning_text[WARNINGS];

/* Empty if zero-initialised. Each code appears once, with its first message. */
struct warnings {
	size_t count;
	struct warning_said {
		enum warning what;
		double number;
		char *sentence; /* owned */
	} said[WARNINGS];
};

/* Collects this thread's warnings in *to, in addition to logging them, until the next call. NULL:
 * only logs them. */
void warnings_begin(struct warnings *to);
/* Adds a warning, unless the list already has one of this code. number: the value that the message
 * reports. The message joins the formatted text and the remedy by a colon. */
void warnings_add(enum warning what, double number, const char *fmt, ...) PRINTF(3, 4);
void warnings_release(struct warnings *w);

#endif
