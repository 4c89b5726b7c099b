#include "common/job/results.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/job/kinds.h"
#include "common/job/record.h"
#include "common/job/share.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RECORD_MAX = 64 << 20 }; /* maximum bytes of a run.json that is read */

void results_name(const char *job_id, unsigned attempt, char name[static RESULTS_NAME_MAX])
{
	snprintf(name, RESULTS_NAME_MAX, "job-%.32s-%u", job_id, attempt);
}

/* Calls visit with the path of each file in dir that a job of any kind may leave; several times if
 * several kinds list it. */
static enum err each(const char *dir, enum err (*visit)(void *arg, const char *path), void *arg)
{
	enum err e = ERR_OK;

	for (const struct kind *const *k = kinds; *k; k++)
		for (const char *const *r = (*k)->results; *r && e == ERR_OK; r++) {
			char *pattern = file_join(dir, *r);
			glob_t found;

			if (glob(pattern, 0, NULL, &found) == 0) {
				for (size_t i = 0; i < found.gl_pathc && e == ERR_OK; i++)
					e = visit(arg, found.gl_pathv[i]);
				globfree(&found);
			}
			free(pattern);
		}
	return e;
}

/* ---- files of an earlier job ---- */

/* Returns the path of the directory for an earlier job's files. The name comes from the job's
 * run.json, or from the time if no run.json can be read. */
static char *place_of_earlier(const char *dir)
{
	char *path = file_join(dir, "run.json"), name[RESULTS_NAME_MAX] = "";
	struct buf text = { 0 };
	struct json *run = NULL;

	if (file_read(path, RECORD_MAX, &text) == ERR_OK &&
	    json_parse((struct bytes){ text.p, text.n }, path, &run) == ERR_OK) {
		double attempt = json_number_of(run, "attempt", -1);
		const char *id = json_text(run, "job_id");

		if (attempt >= 0 && attempt <= UINT32_MAX && strspn(id, "0123456789abcdef") == 32)
			results_name(id, (unsigned)attempt, name);
	}
	if (!*name) {
		char when[32];

		clock_utc_of(time(NULL), when, sizeof(when));
		snprintf(name, sizeof(name), "job-before-%s", when);
	}
	json_free(run);
	buf_release(&text);
	free(path);
	return file_join(dir, name);
}

struct move {
	const char *dir;
	char *to; /* NULL: no file has been moved yet */
};

static enum err results_move(void *arg, const char *path)
{
	struct move *m = arg;
	char *target;
	enum err e = ERR_OK;

	if (!m->to) {
		m->to = place_of_earlier(m->dir);
		TRY(file_make_dirs(m->to));
	}
	target = file_join(m->to, basename(path));
	if (rename(path, target) != 0 && errno != ENOENT)
		e = err_set(ERR_JOB, "%s: cannot be moved to %s, to make room for a new job: %s",
			    path, target, strerror(errno));
	free(target);
	return e;
}

enum err results_begin(const char *dir)
{
	char *run = file_join(dir, "run.json");
	struct move m = { .dir = dir };
	enum err e = file_make_dirs(dir);

	if (e == ERR_OK)
		e = each(dir, results_move, &m);
	if (e == ERR_OK && file_exists(run))
		e = results_move(&m, run);
	if (e == ERR_OK && m.to) {
		share_results(m.to);
		log_info("results of an earlier job are now in %s", m.to);
	}
	free(m.to);
	free(run);
	return e;
}

/* ---- list of files ---- */

static enum err results_add_name(void *arg, const char *path)
{
	const char *name = basename(path);
	struct buf *list = arg; /* such as "labels.csv, labels.npy, ", each name once */
	size_t n = strlen(name);

	for (size_t at = 0; at < list->n; at += strcspn((char *)list->p + at, " ") + 1)
		if (!strncmp((char *)list->p + at, name, n) && list->p[at + n] == ',')
			return ERR_OK;
	buf_printf(list, "%s, ", name);
	return ERR_OK;
}

char *results_list(const char *dir)
{
	struct buf list = { 0 };
	char *text;

	(void)!each(dir, results_add_name, &list); /* results_add_name() does not fail */
	text = alloc(list.n + 1, 1);
	if (list.n)
		memcpy(text, list.p, list.n - 2);
	buf_release(&list);
	return text;
}

static enum err results_take_back_one(void *arg, const char *path)
{
	(void)arg;
	if (unlink(path) == 0)
		log_warn("removed %s: the job has no result", path);
	return ERR_OK;
}

void results_take_back(const char *dir)
{
	(void)!each(dir, results_take_back_one, NULL); /* results_take_back_one() does not fail */
}

void results_sweep(const char *dir)
{
	char *pattern = file_join(dir, "job-*");
	glob_t found;

	file_sweep(dir);
	record_bury(dir);
	share_results(dir);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			file_sweep(found.gl_pathv[i]);
			record_bury(found.gl_pathv[i]);
			share_results(found.gl_pathv[i]);
		}
		globfree(&found);
	}
	free(pattern);
}

/* ---- one process ---- */

enum err results_lock(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st = { 0 };
	unsigned long inode;
	char line[256];
	long pid = 0, p;
	FILE *f;

	if (fd < 0)
		return err_set(ERR_INPUT, "%s: %s", dir, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return ERR_OK;      /* fd stays open, and with it the lock */
	if (errno != EWOULDBLOCK) { /* the file system has no locks */
		log_debug("%s: %s", dir, strerror(errno));
		close(fd);
		return ERR_OK;
	}
	/* Looks up the process that holds the lock in the kernel's list of locks; pid stays 0 if it
	 * is not listed. */
	f = fstat(fd, &st) == 0 ? fopen("/proc/locks", "re") : NULL;
	close(fd);
	while (f && !pid && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*d: FLOCK %*s %*s %ld %*x:%*x:%lu", &p, &inode) == 2 &&
		    inode == st.st_ino)
			pid = p;
	if (f)
		fclose(f);
	return err_set(ERR_INPUT,
		       "%s is in use by process %ld: each coordinator and each party needs an "
		       "output directory of its own",
		       dir, pid);
}
