/* config_value.h -- one field of a table: read, write, describe. For config.c. */
#ifndef COMMON_BASE_CONFIG_VALUE_H
#define COMMON_BASE_CONFIG_VALUE_H

#include "common/base/config.h"

/* Reads v into the field. Where it does not fit: ERR_INPUT with a sentence that begins with the
 * path; the field may then own part of what was read. name: the table's. */
enum err config_value_read(const struct config_row *r, const char *name, const struct json *v,
			   const char *dir, void *field) MUST_CHECK;

/* Puts the field into an object; nothing for an optional field that is not set. */
void config_value_put(const struct config_row *r, const void *field, struct json *object,
		      const char *key);

void config_value_expected(const struct config_row *r, struct buf *text);
void config_value_release(const struct config_row *r, void *field);

#endif
