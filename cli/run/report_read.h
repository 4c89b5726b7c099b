/* report_read.h -- reads the files of a run: run.json of one daemon, or of all below a directory.
 *
 * Files may be truncated, of another version, or have any content. Unreadable or implausible values
 * count as absent; run_dir_read() adds notes about them.
 */
#ifndef CLI_RUN_REPORT_READ_H
#define CLI_RUN_REPORT_READ_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- values; objects may be NULL or of another type ---- */

/* Valid numbers of a run are from 0 to RUN_NUMBER_MAX: seconds, bytes, counts. Other numbers are
 * not shown. */
#define RUN_NUMBER_MAX 1e15

bool run_has(const struct json *object, const char *key);      /* true if there is a valid number */
double run_number(const struct json *object, const char *key); /* 0 if absent */
bool run_true(const struct json *object, const char *key);     /* false if absent */
/* Returns the member if it is an object or a list, otherwise NULL. */
const struct json *run_object(const struct json *object, const char *key);
const struct json *run_list(const struct json *object, const char *key);
/* Iterate over the objects in a list; NULL at the end. */
const struct json *run_first(const struct json *object, const char *key);
const struct json *run_next(const struct json *member);
/* Returns a list element that is a valid number; otherwise -1. */
double run_element(const struct json *v);

/* Reads dir/run.json. ERR_INPUT: it is incomplete, or not of the schema in record.h. */
enum err run_read(const char *dir, struct json **run) MUST_CHECK;

/* ---- notes on missing data ---- */

struct notes {
	struct note {
		char *subject, *text; /* such as "party-01" and "left no run.json" */
	} * item;
	size_t n;
};

void notes_add(struct notes *notes, const char *subject, const char *fmt, ...) PRINTF(3, 4);
bool notes_about(const struct notes *notes, const char *subject);

/* ---- a directory ---- */

struct process {
	char *dir, *name;
	/* True: the process is the coordinator, by its role or, without a role, by its directory's
	 * name. */
	bool leads;
	struct json *run; /* the JSON object of run.json */
	bool sound; /* run.json is complete and of this version's schema, so it may be rewritten */
};

struct run_dir {
	const char *out;         /* borrowed */
	bool alone;              /* out is one daemon's own directory */
	struct process *process; /* owned; the coordinator, if present, is first */
	size_t n;
	struct json *network; /* network.json of scripts/netlab, or NULL */
	struct notes missing;
};

enum { RUN_PROCESSES_MAX = 1024 }; /* maximum number of subdirectories */

/* Reads a run. out: directory of coterie launch, or of one daemon, whose newest run is read.
 * ERR_INPUT: nothing in it is readable; *r is then empty. */
enum err run_dir_read(const char *out, struct run_dir *r) MUST_CHECK;
void run_dir_release(struct run_dir *r);

/* Return the coordinator, and the first party. NULL: it is absent. */
const struct process *run_dir_hub(const struct run_dir *r);
const struct process *run_dir_party(const struct run_dir *r);

/* Calls `each` with every distinct warning, and with the names of the processes that have it:
 * "coordinator, party-00". */
typedef void run_warning(void *arg, const char *code, const char *sentence, const char *names);
void run_dir_warnings(const struct run_dir *r, run_warning *each, void *arg);

/* Returns true if each party has rows of its own, and labels of these rows. */
bool run_has_own_rows(const struct json *run);

/* Returns true if each party has embeddings of its own vertices, and no labels. */
bool run_is_embedding(const struct json *run);
bool run_is_of_graphs(const struct json *run); /* returns true if items are whole graphs */

/* Returns the name of the items of the run's kind: "rows", "nodes", "graphs" or "vertices". one:
 * returns the singular. */
const char *run_things(const struct json *run, bool one);

/* Finds the files of labels. The labels are in the order of the data, as in a truth. The file is
 * labels.csv of the first party or, without parties, labels.csv of the coordinator, which is sorted
 * by id. If parties have different rows, finds one file per party. ERR_INPUT: rows differ or were
 * matched, and only the coordinator is present; or the job has embeddings instead of labels. */
struct run_labels {
	char **path; /* n paths; owned */
	size_t n;
	bool common; /* rows were matched, so a party may have more rows than labels */
};
enum err run_dir_labels(const struct run_dir *r, struct run_labels *labels) MUST_CHECK;
void run_labels_release(struct run_labels *labels);

/* Summary of a job, such as "kcagc, method tree, preset default" or "fedsc, variant anchor". */
struct run_words {
	char s[160];
};
struct run_words run_job_words(const struct json *job);

/* Repairs truncated JSON: keeps the text up to its last complete member, and closes the brackets.
 * Returns false if there is no complete member. */
bool run_mend(struct bytes text, struct buf *mended);

#endif
