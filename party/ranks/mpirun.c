#include "party/ranks/mpirun.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/helper.h"
#include "party/ranks/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int to_helper = -1;
static unsigned serial;
static struct mpirun_plan plan;

/* ---- the plan ---- */

/* Returns the path of an executable that PATH contains. Owned by the caller; NULL: there is
 * none. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;

	for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *path; path = end + (*end != 0)) {
		char dir[4096], *found;

		end = path + strcspn(path, ":");
		snprintf(dir, sizeof(dir), "%.*s", (int)(end - path), path);
		found = file_join(*dir ? dir : ".", name);
		if (access(found, X_OK) == 0)
			return found;
		free(found);
	}
	return NULL;
}

static enum err mpirun_check_data(const struct party_config *c)
{
	const char *features = c->data.features, *edges = c->data.edges;

	if (!(file_ends(features, ".npy") || file_ends(features, ".mtx")) ||
	    !(!edges || file_ends(edges, ".tsv") || file_ends(edges, ".txt") ||
	      file_ends(edges, ".mtx")))
		return err_set(ERR_INPUT,
			       "ranks: data.features is %s and data.edges is %s, expected a file "
			       ".npy or .mtx and a file .tsv, .txt or .mtx: ranks read no others",
			       c->data.features ? c->data.features : "not given",
			       c->data.edges ? c->data.edges : "not given");
	if (c->data.graphs)
		return err_set(ERR_INPUT, "ranks: data.graphs is given, which ranks do not read");
	if (c->data.ids && edges && !file_ends(edges, ".mtx"))
		return err_set(
		    ERR_INPUT,
		    "ranks: data.ids is given and data.edges is %s, which names nodes by ids: "
		    "expected a file .mtx, which has their numbers, as ranks have no ids",
		    edges);
	return ERR_OK;
}

/* Checks that the file has at least one line with a host. */
static enum err check_hostfile(const char *path)
{
	struct buf text = { 0 };
	const char *p;
	enum err e = file_read(path, 1 << 20, &text);
	bool named = false;

	if (e != ERR_OK)
		return err_prefix(e, "ranks.hostfile");
	for (p = (const char *)text.p; *p && !named; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t blank = strspn(p, " \t\r");

		named = p[blank] && p[blank] != '\n' && p[blank] != '#';
	}
	buf_release(&text);
	return named ? ERR_OK
		     : err_set(ERR_INPUT,
			       "ranks.hostfile: %s names no host, expected a line \"HOST slots=N\" "
			       "for each, this one first",
			       path);
}

static void plan_release(struct mpirun_plan *p)
{
	free(p->mpirun);
	free(p->worker);
	free(p->hostfile);
	free(p->dir);
	*p = (struct mpirun_plan){ 0 };
}

/* Makes the plan. p is empty at first; the caller releases it, also after errors. */
static enum err plan_make(const struct party_config *c, struct mpirun_plan *p)
{
	char *dir = file_program_dir();
	enum err e = mpirun_check_data(c);

	p->mpirun = find_program("mpirun");
	p->worker = file_join(dir, "coterie-worker");
	p->hostfile = c->ranks.hostfile ? alloc_copy(c->ranks.hostfile) : NULL;
	p->dir = file_join(c->state, "ranks");
	p->n = c->ranks.n;
	free(dir);
	if (e == ERR_OK && !p->mpirun)
		e = err_set(ERR_INPUT, "ranks: there is no mpirun in PATH, which starts them: "
				       "install Open MPI (Debian: openmpi-bin), or take ranks out");
	if (e == ERR_OK && access(p->worker, X_OK) != 0)
		e = err_set(ERR_INPUT,
			    "ranks: %s cannot be run: %s; it is built where Open MPI's headers are "
			    "(Debian: libopenmpi-dev)",
			    p->worker, strerror(errno));
	if (e == ERR_OK && p->hostfile)
		e = check_hostfile(p->hostfile);
	return e;
}

enum err mpirun_check(const struct party_config *c)
{
	struct mpirun_plan p = { 0 };
	enum err e;

	if (!c->ranks.n && c->ranks.hostfile)
		return err_set(
		    ERR_INPUT,
		    "ranks.hostfile is given without ranks.n, expected how many ranks there are");
	if (!c->ranks.n)
		return ERR_OK;
	e = plan_make(c, &p);
	plan_release(&p);
	return e;
}

/* ---- the daemon ---- */

enum err mpirun_begin(const struct party_config *c)
{
	enum err e;

	if (!c->ranks.n)
		return mpirun_check(c);
	e = plan_make(c, &plan);
	if (e == ERR_OK)
		e = helper_start("ranks", "coterie-ranks", mpirun_help, &plan, &to_helper);
	if (e != ERR_OK)
		plan_release(&plan);
	return e;
}

void mpirun_end(void)
{
	helper_end(&to_helper, PATIENCE_S + TERM_S + 1, NULL);
	plan_release(&plan);
}

static enum err give_command(struct helper_command o)
{
	if (send(to_helper, &o, sizeof(o), MSG_NOSIGNAL) != sizeof(o))
		return err_set(ERR_INTERNAL, "ranks: their helper does not answer: %s",
			       strerror(errno));
	return ERR_OK;
}

/* Receives the outcome of the ranks that were started last; drops the outcomes of earlier ranks.
 * If `wait` is false and no outcome has arrived, returns false at once. */
static bool mpirun_receive_outcome(struct outcome *r, bool wait)
{
	ssize_t n;

	do {
		n = recv(to_helper, r, sizeof(*r), wait ? 0 : MSG_DONTWAIT);
	} while (n < 0 ? errno == EINTR : n == (ssize_t)sizeof(*r) && r->serial != serial);
	return n == (ssize_t)sizeof(*r);
}

static int open_end(const char *name, int flags)
{
	char *path = file_join(plan.dir, name);
	int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);

	free(path);
	return fd;
}

enum err mpirun_start(struct mpirun *l)
{
	struct outcome r;

	serial++;
	TRY(give_command((struct helper_command){ START, serial }));
	if (!mpirun_receive_outcome(&r, true))
		return err_set(ERR_INTERNAL, "ranks: their helper has ended");
	if (r.what != STARTED)
		return err_set(ERR_INTERNAL, "ranks: mpirun cannot be started: %s",
			       strerror(r.error));
	/* Opens the pipes to and from rank 0 for both directions, so that opening does not wait for
	 * the other end. */
	*l = (struct mpirun){ serial, open_end("in", O_RDWR), open_end("out", O_RDWR),
			      open_end("said", O_RDONLY) };
	if (l->to >= 0 && l->from >= 0 && l->output >= 0)
		return ERR_OK;
	mpirun_stop(l);
	return err_set(ERR_INTERNAL, "ranks: the pipes in %s cannot be opened", plan.dir);
}

void mpirun_stop(struct mpirun *l)
{
	close(l->to);
	close(l->from);
	close(l->output);
	if (l->serial == serial)
		(void)!give_command((struct helper_command){ STOP, serial });
}

int mpirun_watched(void)
{
	return to_helper;
}

bool mpirun_ended(const struct mpirun *l, int *status)
{
	struct outcome r;

	if (l->serial != serial || !mpirun_receive_outcome(&r, false) || r.what != ENDED)
		return false;
	*status = r.status;
	return true;
}
