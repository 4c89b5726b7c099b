/* file.h -- the model that a party keeps of a FedGCN run, as a file:
 *
 *     "COTGRAPH" | version u32 | facts | weights f32 | prototypes | final clustering | CRC-64
 *
 * little-endian. The checksum finds damage, not malice: whoever may write the file may write any
 * model.
 */
#ifndef COMMON_FEDGCN_FILE_H
#define COMMON_FEDGCN_FILE_H

#include "common/base/buf.h"
#include "common/fedgcn/party.h"

enum { FEDGCN_FILE_VERSION = 1 };

/* out is appended to. */
void fedgcn_file_print(const struct fedgcn_model *m, struct buf *out);
/* ERR_INPUT, naming `where`: none of ours, another version, damaged, cut off, or does not hold
 * together. Every size is compared with the bytes that are there before anything is allocated. */
enum err fedgcn_file_parse(struct bytes file, const char *where, struct fedgcn_model *m) MUST_CHECK;

enum err fedgcn_file_write(const char *path, const struct fedgcn_model *m) MUST_CHECK; /* 0600 */
enum err fedgcn_file_read(const char *path, struct fedgcn_model *m) MUST_CHECK;

#endif
