/* submit.h -- reads a submitted job: its text, and its parties.
 *
 * The file is a job as for `coordinator --job`. It may also have
 *
 *     "parties": ["bank-a", "bank-b"]
 *
 * submit_read() removes this key before it reads the job, because the offer names the parties.
 * Without this key the job is for all parties of the coordinator. */
#ifndef SERVER_SERVICE_SUBMIT_H
#define SERVER_SERVICE_SUBMIT_H

#include "common/base/buf.h"
#include "common/job/daemon.h"
#include "common/job/job.h"
#include "server/service/store.h"

/* Sets text (owned by the caller) and parties of *j. where: name of the file in error texts.
 * ERR_INPUT, with key and line: the file is not valid, names an unknown party, or names too few
 * parties. */
enum err submit_read(struct store_job *j, const struct coordinator_config *config,
		     struct bytes text, const char *where) MUST_CHECK;

/* Returns the line, from 1, of the key at this path ("filter.order") in JSON text that json_parse()
 * accepts; 0: not found. */
unsigned submit_line(struct bytes text, const char *path);

#endif
