#include "common/ranks/pipe.h"
#include "common/base/progress.h"

#include <poll.h>
#include <unistd.h>

static enum err pipe_read(struct ranks_pipe *p, void *to, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t more = read(p->in, (char *)to + got, n - got);

		if (more > 0)
			got += (size_t)more;
		else
			TRY(p->await(p->arg, p->in, POLLIN, more == 0));
	}
	return ERR_OK;
}

static enum err pipe_write(struct ranks_pipe *p, const void *from, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t more = write(p->out, (const char *)from + done, n - done);

		if (more > 0)
			done += (size_t)more;
		else
			TRY(p->await(p->arg, p->out, POLLOUT, false));
	}
	return ERR_OK;
}

enum err ranks_pipe_send_frame(struct ranks_pipe *p, enum ranks_what what, const void *from,
			       size_t n)
{
	struct ranks_frame f = { .what = what, .bytes = (uint32_t)n };

	TRY(pipe_write(p, &f, sizeof(f)));
	return pipe_write(p, from, n);
}

enum err ranks_pipe_send(struct ranks_pipe *p, const void *from, size_t n, size_t unit)
{
	size_t most = unit < RANKS_FRAME_MAX ? RANKS_FRAME_MAX / unit * unit : RANKS_FRAME_MAX;

	for (size_t at = 0; at < n; at += most)
		TRY(ranks_pipe_send_frame(p, RANKS_PIECE, (const char *)from + at,
					  n - at < most ? n - at : most));
	return ERR_OK;
}

/* Receives the head of the next frame. ERR_INTERNAL unless its type is `what` and it has 1 to
 * `most` bytes. */
static enum err pipe_head(struct ranks_pipe *p, enum ranks_what what, size_t most, size_t *bytes)
{
	struct ranks_frame f;

	do {
		TRY(pipe_read(p, &f, sizeof(f)));
		progress_tick();
	} while (f.what == RANKS_TICK && f.bytes == 0);
	if (f.what != what || f.bytes == 0 || f.bytes > most || p->left)
		return err_set(ERR_INTERNAL,
			       "ranks: frame %u of %u bytes, expected %d of at most %zu; are party "
			       "and coterie-worker of one release?",
			       f.what, f.bytes, what, most);
	*bytes = f.bytes;
	return ERR_OK;
}

enum err ranks_pipe_receive_frame(struct ranks_pipe *p, enum ranks_what what, void *to, size_t most,
				  size_t *got)
{
	TRY(pipe_head(p, what, most, got));
	return pipe_read(p, to, *got);
}

enum err ranks_pipe_receive(struct ranks_pipe *p, void *to, size_t n)
{
	for (size_t at = 0, next; at < n; at += next, p->left -= next) {
		if (!p->left)
			TRY(pipe_head(p, RANKS_PIECE, RANKS_FRAME_MAX, &p->left));
		next = n - at < p->left ? n - at : p->left;
		TRY(pipe_read(p, (char *)to + at, next));
	}
	return ERR_OK;
}
