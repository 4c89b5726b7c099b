/* Fuzzes the reader of a proxy's answer to CONNECT. It ends in the same state after the same number
 * of bytes, whether the answer arrives in one piece or in several. The text that it keeps is
 * printable. */
#include "proto/proxy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proxy_answer whole = { 0 }, pieces = { 0 };
	size_t used, at = 0, piece;

	if (size < 1)
		return 0;
	piece = 1 + data[0] % 30;
	data++;
	size--;
	used = proxy_answer_take(&whole, data, size);
	while (at < size && pieces.state == PROXY_READS)
		at += proxy_answer_take(&pieces, data + at, size - at < piece ? size - at : piece);
	if (at != used || memcmp(&whole, &pieces, sizeof(whole)) != 0)
		abort();
	if (used > PROXY_ANSWER_MAX + 1 || (whole.state == PROXY_READS && used != size))
		abort();
	for (const char *s = whole.shown; *s; s++)
		if (*s < ' ' || *s > '~')
			abort();
	return 0;
}
