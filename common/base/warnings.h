/* warnings.h -- a result that is less than was asked for: a list of a job's warnings, for log,
 * run.json and whoever shows it.
 *
 * warnings_add() adds to the list of this thread's job, as err_set() keeps a thread's error, and
 * logs the sentence at level warn with its code and number. Warnings of other things ("dialling
 * again") are log_warn()'s.
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
	WARNING_COLUMN_DOMINATES,
	WARNING_NO_FEATURES,
	WARNING_DEGREES,
	WARNING_UNLIKE_ROWS,
	WARNINGS /* how many there are */
};

/* The rows of the table in docs/OPERATIONS.md. The remedy ends each sentence of the code. */
extern const struct warning_text {
	const char *code, *cause, *remedy;
} warning_text[WARNINGS];

/* Zero-initialised is empty. A code is there once, with the first that was said. */
struct warnings {
	size_t count;
	struct warning_said {
		enum warning what;
		double number;
		char *sentence; /* owned */
	} said[WARNINGS];
};

/* Warnings of this thread go to this list, too, until the next call; NULL: to the log alone. */
void warnings_begin(struct warnings *to);
/* number: what the sentence is about. The sentence is the formatted text, ": " and the code's
 * remedy. */
void warnings_add(enum warning what, double number, const char *fmt, ...) PRINTF(3, 4);
void warnings_release(struct warnings *w);

#endif
