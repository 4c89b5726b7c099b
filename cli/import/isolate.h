/* isolate.h -- a file whose library breaks on damaged ones, or goes round for ever, is read by a
 * process of its own.
 *
 * That process has a limit of computing and of memory, and is confined (common/job/confine.h). What
 * it has read comes through a pipe, and is judged here as a file would be.
 */
#ifndef CLI_IMPORT_ISOLATE_H
#define CLI_IMPORT_ISOLATE_H

#include "cli/import/import.h"

typedef enum err import_reader(struct imported *in, const char *path,
			       const struct import_request *r);

/* read's error, or ERR_INPUT by the file's name: the process was ended by a signal, computed for
 * longer than a file of this size can need, or sent what cannot be. Of *in features, names of
 * columns, ids and labels come. */
enum err import_isolated(import_reader *read, struct imported *in, const char *path,
			 const struct import_request *r) MUST_CHECK;

#endif
