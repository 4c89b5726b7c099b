#include "cli/import/isolate.h"
#include "cli/import/sources.h"
#include "cli/import/unpack.h"
#include "common/base/log.h"
#include "common/base/sanitized.h"
#include "common/data/limits.h"
#include "common/job/confine.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What comes first; then so many bytes of each, in this order: the error's sentence, features
 * (doubles, or triples), columns.json, ids as lines, labels. */
struct head {
	uint64_t code, sparse, rows, cols, count;
	uint64_t sentence, names, ids, labels;
};

/* ---- the process that reads ---- */

/* Memory that a file of few bytes may only claim, and computing that does not end. */
static void set_limits(const char *path)
{
	enum { SECONDS = 10, BYTES_A_SECOND = 1 << 20, OF_ITS_OWN = 1 << 28 };
	struct rlimit none = { 0, 0 }, memory = { unpack_most() + OF_ITS_OWN, RLIM_INFINITY };
	struct rlimit time = { SECONDS, RLIM_INFINITY };
	struct stat st;

	if (stat(path, &st) == 0)
		time.rlim_cur += (rlim_t)(st.st_size / BYTES_A_SECOND);
	signal(SIGXCPU, SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &time);
	if (!SANITIZED)
		setrlimit(RLIMIT_DATA, &memory);
}

static void say(int to, const void *p, size_t n)
{
	while (n > 0) {
		ssize_t now = write(to, p, n);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			_exit(ERR_INTERNAL); /* nobody listens any more */
		p = (const char *)p + now;
		n -= (size_t)now;
	}
}

static void say_features(int to, const struct features *X)
{
	const struct csr *s = &X->sparse;

	if (!X->is_sparse) {
		say(to, X->dense.a, X->dense.rows * X->dense.cols * sizeof(double));
		return;
	}
	for (uint32_t i = 0; i < s->rows; i++)
		for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
			struct triple t = { i, s->index[e], s->value ? s->value[e] : 1 };

			say(to, &t, sizeof(t));
		}
}

static void say_all(int to, enum err err, const struct imported *in)
{
	const char *sentence = err == ERR_OK ? "" : err_detail();
	struct buf names = { 0 }, ids = { 0 };
	struct head h = { .code = err, .sentence = strlen(sentence) };

	if (err == ERR_OK) {
		h.sparse = in->X.is_sparse;
		h.rows = features_rows(&in->X);
		h.cols = features_cols(&in->X);
		h.count = h.sparse ? in->X.sparse.start[h.rows] : h.rows * h.cols;
		if (in->names.n)
			columns_print(&in->names, &names);
		import_print_ids(&in->ids, &ids);
		h.names = names.n;
		h.ids = ids.n;
		h.labels = in->sheet.has_labels ? in->sheet.rows : 0;
	}
	say(to, &h, sizeof(h));
	say(to, sentence, h.sentence);
	if (h.count)
		say_features(to, &in->X);
	say(to, names.p, names.n);
	say(to, ids.p, ids.n);
	say(to, in->sheet.label, h.labels * sizeof(*in->sheet.label));
	buf_release(&names);
	buf_release(&ids);
}

static _Noreturn void read_here(int to, import_reader *read, const char *path,
				const struct import_request *r)
{
	struct imported in = { 0 };
	enum err err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	set_limits(path);
	err = confine_reader();
	if (err != ERR_OK) {
		log_warn("%s: what reads it is not confined: %s", path, err_detail());
		err = ERR_OK;
	}
	err = read(&in, path, r);
	say_all(to, err, &in);
	_exit(0);
}

/* ---- what it says ---- */

static bool hear(int from, void *p, size_t n)
{
	while (n > 0) {
		ssize_t now = read(from, p, n);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return false;
		p = (char *)p + now;
		n -= (size_t)now;
	}
	return true;
}

static bool possible(const struct head *h)
{
	size_t value = h->sparse ? sizeof(struct triple) : sizeof(double);

	return h->code < 256 && h->sentence < ERR_DETAIL_MAX && h->sparse <= 1 &&
	       h->rows <= ROWS_MAX && h->cols <= COLS_MAX && h->count <= unpack_most() / value &&
	       (h->sparse || h->count == h->rows * h->cols) && h->names <= JSON_TEXT_MAX &&
	       h->ids <= h->rows * (ID_MAX + 1) && (h->labels == 0 || h->labels == h->rows);
}

static bool hear_dense(int from, const struct head *h, struct mat *m)
{
	mat_init(m, h->rows, h->cols);
	if (!hear(from, m->a, h->count * sizeof(double)))
		return false;
	for (size_t e = 0; e < h->count; e++)
		if (!isfinite(m->a[e]))
			return false;
	return true;
}

static bool hear_sparse(int from, const struct head *h, const char *path, struct features *X)
{
	struct triple *t;
	bool fine;

	ALLOC(t, h->count);
	fine = hear(from, t, h->count * sizeof(*t));
	for (size_t e = 0; e < h->count && fine; e++)
		fine = t[e].row < h->rows && t[e].col < h->cols && isfinite(t[e].value);
	fine = fine && import_triples(t, h->count, h->rows, h->cols, path, X) == ERR_OK;
	free(t);
	return fine;
}

static bool hear_texts(int from, const struct head *h, const char *path, struct imported *in)
{
	struct buf names = { 0 }, ids = { 0 };
	bool fine = hear(from, buf_extend(&names, h->names), h->names) &&
		    hear(from, buf_extend(&ids, h->ids), h->ids);

	if (fine && h->names)
		fine =
		    columns_parse((struct bytes){ names.p, names.n }, path, &in->names) == ERR_OK &&
		    in->names.n == h->cols;
	if (fine && h->ids)
		fine = ids_parse((struct bytes){ ids.p, ids.n }, path, &in->ids) == ERR_OK &&
		       in->ids.n == h->rows;
	buf_release(&names);
	buf_release(&ids);
	return fine;
}

static bool hear_labels(int from, const struct head *h, struct sheet *t)
{
	if (!h->labels)
		return true;
	ALLOC(t->label, h->labels);
	if (!hear(from, t->label, h->labels * sizeof(*t->label)))
		return false;
	for (size_t i = 0; i < h->labels; i++)
		if (t->label[i] >= LABELS_MAX)
			return false;
	t->rows = h->labels;
	t->has_labels = true;
	return true;
}

/* False: what came is not what a reader says. *err is the reader's. */
static bool hear_all(int from, const char *path, struct imported *in, enum err *err)
{
	char sentence[ERR_DETAIL_MAX] = "";
	struct head h;

	if (!hear(from, &h, sizeof(h)) || !possible(&h) || !hear(from, sentence, h.sentence))
		return false;
	*err = h.code ? err_set(ERR_INPUT, "%s", sentence) : ERR_OK;
	if (h.code)
		return true;
	return (h.sparse ? hear_sparse(from, &h, path, &in->X)
			 : hear_dense(from, &h, &in->X.dense)) &&
	       hear_texts(from, &h, path, in) && hear_labels(from, &h, &in->sheet);
}

static enum err judge(int status, bool heard, enum err err, const char *path)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return err_set(ERR_INPUT,
			       "%s: the library that reads it does not come to an end: the file "
			       "is damaged",
			       path);
	if (WIFSIGNALED(status))
		return err_set(ERR_INPUT,
			       "%s: the library that reads it broke (%s): the file is damaged",
			       path, strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return err_set(ERR_INPUT,
			       "%s: the process that reads it ended with exit status %d: the file "
			       "is damaged, or larger than this host has room for",
			       path, WEXITSTATUS(status));
	return heard ? err
		     : err_set(ERR_INPUT, "%s: what was read of it cannot be: the file is damaged",
			       path);
}

enum err import_isolated(import_reader *read, struct imported *in, const char *path,
			 const struct import_request *r)
{
	enum err err = ERR_OK;
	int ends[2], status;
	bool heard;
	pid_t child;

	if (pipe(ends) != 0)
		return err_set(ERR_INTERNAL, "%s: no pipe: %s", path, strerror(errno));
	child = fork();
	if (child == 0) {
		close(ends[0]);
		read_here(ends[1], read, path, r);
	}
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return err_set(ERR_INTERNAL, "%s: no process to read it: %s", path,
			       strerror(errno));
	}
	heard = hear_all(ends[0], path, in, &err);
	close(ends[0]);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(ERR_INTERNAL, "%s: what reads it got lost: %s", path,
				       strerror(errno));
	return judge(status, heard, err, path);
}
