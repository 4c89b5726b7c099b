/* report_read.h -- what a run left behind: run.json of one daemon, or of all below a directory.
 *
 * Files may have been cut off, be of another version, or say anything. What cannot be read, or
 * cannot be so, counts as absent; run_dir_read() says in notes what that was.
 */
#ifndef CLI_RUN_REPORT_READ_H
#define CLI_RUN_REPORT_READ_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- values; objects may be NULL or of another type ---- */

/* Numbers of a run are from 0 to RUN_NUMBER_MAX: seconds, bytes, counts. Others are not shown. */
#define RUN_NUMBER_MAX 1e15

bool run_has(const struct json *object, const char *key);      /* such a number is there */
double run_number(const struct json *object, const char *key); /* else 0 */
const char *run_string(const struct json *object, const char *key); /* else "" */
bool run_true(const struct json *object, const char *key); /* it is there, and true */
/* The member if it is a list or an object, else NULL. */
const struct json *run_object(const struct json *object, const char *key);
const struct json *run_list(const struct json *object, const char *key);
/* The objects in the list of this name, one after the other; NULL: no more. */
const struct json *run_first(const struct json *object, const char *key);
const struct json *run_next(const struct json *member);
/* An element of a list as such a number; -1 if it is none. */
double run_element(const struct json *v);

/* dir/run.json, which must be whole and of the schema of record.h. ERR_INPUT. */
enum err run_read(const char *dir, struct json **run) MUST_CHECK;

/* ---- what is missing ---- */

struct notes {
	struct note {
		char *subject, *text; /* "party-01", "left no run.json" */
	} * item;
	size_t n;
};

void notes_add(struct notes *notes, const char *subject, const char *fmt, ...) PRINTF(3, 4);
bool notes_about(const struct notes *notes, const char *subject);

/* ---- a directory ---- */

struct process {
	char *dir, *name;
	bool leads; /* it is the coordinator, as it says, or else as its directory is called */
	struct json *run; /* an object */
	bool sound;       /* it was whole and of our schema, and may be written again */
};

struct run_dir {
	const char *out; /* borrowed */
	bool alone;      /* out is the own directory of one daemon */
	struct process *process; /* the coordinator, if it is there, is the first; owned */
	size_t n;
	struct json *network; /* what scripts/netlab measured, network.json; NULL: nothing */
	struct notes missing;
};

enum { RUN_PROCESSES_MAX = 1024 }; /* directories below out that are looked at */

/* out: the directory of coterie launch, or of one daemon. ERR_INPUT if nothing in it can be read;
 * *r is then empty. */
enum err run_dir_read(const char *out, struct run_dir *r) MUST_CHECK;
void run_dir_release(struct run_dir *r);

/* The coordinator; the first party. NULL: none. */
const struct process *run_dir_hub(const struct run_dir *r);
const struct process *run_dir_party(const struct run_dir *r);

/* Each of the processes' warnings, with the names of the processes that have it: "coordinator,
 * party-00". */
typedef void run_warning(void *arg, const char *code, const char *sentence, const char *names);
void run_dir_warnings(const struct run_dir *r, run_warning *each, void *arg);

/* Each party had rows of its own, and alone has their labels. */
bool run_rows_apart(const struct json *run);

/* It has embeddings of vertices, at each party its own, and no labels. */
bool run_is_embedding(const struct json *run);
bool run_is_of_graphs(const struct json *run); /* whole ones */

/* The things that its kind clusters or embeds: "rows", "nodes", "graphs" or "vertices"; without s for one. */
const char *run_things(const struct json *run, bool one);

/* Where the labels of this run lie, in the order of the data, as a truth is: labels.csv of the
 * first party, or of the coordinator, whose rows are sorted by id, where there is no party. Of rows
 * apart: of each party that is there. ERR_INPUT where there can be none: rows apart or matched, and
 * the coordinator alone. */
struct run_labels {
	char **path; /* n of them; owned */
	size_t n;
	bool common; /* the job matched rows: these are part of each party's */
};
enum err run_dir_labels(const struct run_dir *r, struct run_labels *labels) MUST_CHECK;
void run_labels_release(struct run_labels *labels);

/* A job in words: "kcagc, method tree, preset default", "fedsc, variant anchor". */
struct run_words {
	char s[160];
};
struct run_words run_job_words(const struct json *job);

/* The beginning of a JSON text that was cut off, up to its last whole member, with its brackets
 * closed. False if there is no such beginning. */
bool run_mend(struct bytes text, struct buf *mended);

#endif
