/* submit.h -- a job as it is submitted: its text, and which parties it is for.
 *
 * The file is a job as `coordinator --job` reads it, and may besides have
 *
 *     "parties": ["bank-a", "bank-b"]
 *
 * which is taken out before the job is read: parties are told in the offer who takes part. Without it the job is
 * for all parties of the coordinator.
 */
#ifndef SERVER_SERVICE_SUBMIT_H
#define SERVER_SERVICE_SUBMIT_H

#include "common/base/buf.h"
#include "common/job/daemon.h"
#include "common/job/job.h"
#include "server/service/store.h"

/* Fills in text and parties of *j, whose text is then the caller's. where: what sentences call the file. ERR_INPUT:
 * it does not parse, it names no party of the configuration, or too few; with key and line. */
enum err submit_read(struct store_job *j, const struct coordinator_config *config, struct bytes text,
		     const char *where) MUST_CHECK;

/* In JSON text that json_parse() takes: the line, from 1, of the key of this path ("filter.order"); 0: not there. */
unsigned submit_line(struct bytes text, const char *path);

#endif
