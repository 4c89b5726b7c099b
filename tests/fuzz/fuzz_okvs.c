/* Fuzzes tables with any keys: either each key reads its value from the table, or no table is made.
 * A table of any bytes can be read at any key. */
#include "common/base/alloc.h"
#include "crypto/okvs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size / OKVS_KEY_LEN,
	       words = size > 2 * OKVS_KEY_LEN ? 3 * (1 + data[0]) : okvs_words(n);
	uint8_t(*key)[OKVS_KEY_LEN] = alloc(n + 1, sizeof(*key));
	uint64_t *value = alloc(n + 1, sizeof(*value)), *table = alloc(words, sizeof(*table));
	uint32_t *number = alloc(n + 1, sizeof(*number));
	struct okvs *o;

	if (n)
		memcpy(key, data, n * sizeof(*key));
	okvs_sort(key, number, n);
	for (size_t i = 0; i < n; i++) {
		value[i] = i * 0x9E3779B97F4A7C15u;
		if (i && memcmp(key[i - 1], key[i], OKVS_KEY_LEN) > 0)
			abort();
	}
	o = okvs_peel((const uint8_t(*)[OKVS_KEY_LEN])key, n, words);
	if (o && okvs_make(o, value, table) != ERR_OK)
		abort();
	for (size_t i = 0; i < n; i++)
		if (o && okvs_read(table, words, key[i]) != value[i])
			abort();
	for (size_t j = 0; j < words && size > 0; j++)
		table[j] = data[j % size];
	for (size_t i = 0; i < n; i++)
		(void)okvs_read(table, words, key[i]);
	okvs_free(o);
	free(number);
	free(table);
	free(value);
	free(key);
	return 0;
}
