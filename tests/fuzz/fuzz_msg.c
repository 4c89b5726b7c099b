/* An accepted body is encoded again as the same bytes. In HELLO, WELCOME and OFFER the trailing
 * options of later releases are dropped. */
#include "proto/msg.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct msg m;
	struct buf out = { 0 };

	if (size < 1 || msg_decode(&m, data[0], (struct bytes){ data + 1, size - 1 }) != ERR_OK)
		return 0;
	msg_encode(&out, &m);
	if (m.type == MSG_HELLO || m.type == MSG_WELCOME || m.type == MSG_OFFER)
		size = out.n < size ? out.n + 1 : size;
	if (out.n != size - 1 || (out.n && memcmp(out.p, data + 1, out.n) != 0))
		abort();
	buf_release(&out);
	return 0;
}
