/* Fuzzes the reader of frames. It reads the same frames whether the stream arrives in one piece or
 * in several, and never allocates more than twice the bytes received plus FRAME_GROW. */
#include "proto/frame.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the stream in pieces of at most `piece` bytes, and writes its frames to out. */
static enum err read_all(const uint8_t *p, size_t n, size_t piece, struct buf *out)
{
	struct frame_reader r = { .max = FRAME_MAX };
	enum err e = ERR_OK;

	while (n && e == ERR_OK) {
		size_t room;
		uint8_t *to = frame_reader_space(&r, &room);
		size_t now = room < piece ? room : piece;
		bool whole;

		if (room == 0 || r.body.cap > 2 * r.got + FRAME_GROW)
			abort();
		now = now < n ? now : n;
		memcpy(to, p, now);
		p += now;
		n -= now;
		e = frame_reader_filled(&r, now, &whole);
		if (e != ERR_OK || !whole)
			continue;
		frame_header(buf_extend(out, FRAME_HEADER_LEN), &r.frame, r.body.n);
		buf_add(out, r.body.p, r.body.n);
		frame_reader_next(&r);
	}
	frame_reader_release(&r);
	return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = { 0 }, pieces = { 0 };
	enum err e;

	if (size < 1)
		return 0;
	e = read_all(data + 1, size - 1, SIZE_MAX, &whole);
	if (read_all(data + 1, size - 1, 1 + data[0] % 30, &pieces) != e)
		abort();
	if (whole.n != pieces.n || whole.n > size - 1 ||
	    (whole.n &&
	     (memcmp(whole.p, pieces.p, whole.n) != 0 || memcmp(whole.p, data + 1, whole.n) != 0)))
		abort();
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
