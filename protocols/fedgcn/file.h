/* file.h -- the file in which a party keeps the model of a FedGCN run:
 *
 *     "COTGRAPH" | version, features, clusters, axes: u32 | number of weights u64 |
 *                weights f32 | prototypes f64 | final clustering f64, if axes > 0 | CRC-64
 *
 * All numbers are little-endian. The checksum detects damage, not tampering: anyone with write
 * access to the file can replace the model. */
#ifndef PROTOCOLS_FEDGCN_FILE_H
#define PROTOCOLS_FEDGCN_FILE_H

#include "common/base/buf.h"
#include "protocols/fedgcn/party.h"

enum { FEDGCN_FILE_VERSION = 1 };

/* Appends the encoded model to out. */
void fedgcn_file_print(const struct fedgcn_model *m, struct buf *out);
/* Reads a model. ERR_INPUT, naming `where`: the bytes are not a model, or the model has another
 * version, is damaged, truncated or inconsistent. Checks every size against the available bytes
 * before any allocation. */
enum err fedgcn_file_parse(struct bytes file, const char *where, struct fedgcn_model *m) MUST_CHECK;

/* writes the file with mode 0600 */
enum err fedgcn_file_write(const char *path, const struct fedgcn_model *m) MUST_CHECK;
enum err fedgcn_file_read(const char *path, struct fedgcn_model *m) MUST_CHECK;

#endif
