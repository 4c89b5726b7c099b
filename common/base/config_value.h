/* config_value.h -- reads, writes and describes one field of a table. For config.c. */
#ifndef COMMON_BASE_CONFIG_VALUE_H
#define COMMON_BASE_CONFIG_VALUE_H

#include "common/base/config.h"

/* Reads v into the field. ERR_INPUT, with the path first in the error, if v does not fit; the field
 * may then own a part of the value. name: name of the table. */
enum err config_value_read(const struct config_row *r, const char *name, const struct json *v,
			   const char *dir, void *field) MUST_CHECK;

/* Adds the field to an object, unless the field is optional and absent. */
void config_value_put(const struct config_row *r, const void *field, struct json *object,
		      const char *key);

void config_value_expected(const struct config_row *r, struct buf *text);
void config_value_release(const struct config_row *r, void *field);

#endif
