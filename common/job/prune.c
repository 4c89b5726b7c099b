#include "common/job/prune.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/log.h"

#include <errno.h>
#include <fnmatch.h>
#include <dirent.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GIB 1073741824.0
enum { DEPTH_MAX = 16, BLOCK = 512 /* unit of st_blocks */, DAY_S = 86400, RECORD_MAX = 64 << 20 };

/* ---- finding ---- */

static _Thread_local struct prune_item *measured;

static int prune_measure(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path;
	(void)type;
	(void)at;
	measured->bytes += (double)st->st_blocks * BLOCK;
	if (!S_ISDIR(st->st_mode) && st->st_mtime > measured->when)
		measured->when = st->st_mtime;
	return 0;
}

/* True if the item's run.json has the status "running" and is less than a day old. If the process
 * was killed, the status stays "running" for ever. */
static bool is_running(const struct prune_item *i)
{
	char *path = file_join(i->path, "run.json");
	struct json *run = NULL;
	bool is = false;

	if (file_exists(path) && time(NULL) - i->when < DAY_S &&
	    json_read(path, RECORD_MAX, &run) == ERR_OK)
		is = !strcmp(json_text(run, "status"), "running");
	json_free(run);
	free(path);
	return is;
}

static void prune_add(struct prune *p, const char *dir, const char *name)
{
	struct prune_item *i;
	struct stat st;

	p->item = alloc_again(p->item, p->n + 1, sizeof(*p->item));
	i = &p->item[p->n++];
	*i = (struct prune_item){ .path = file_join(dir, name) };
	measured = i;
	if (nftw(i->path, prune_measure, DEPTH_MAX, FTW_PHYS) != 0 || !i->when)
		i->when = lstat(i->path, &st) == 0 ? st.st_mtime : 0; /* there are no files in it */
	if (is_running(i))
		free(p->item[--p->n].path);
}

/* Adds the entries of dir that match one of the patterns. A missing directory has none. */
static enum err prune_add_all(struct prune *p, const char *dir, const char *const *patterns)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return errno == ENOENT ? ERR_OK
				       : err_set(ERR_INPUT, "%s: %s", dir, strerror(errno));
	while ((entry = readdir(d)))
		for (const char *const *pattern = patterns; *pattern; pattern++)
			if (fnmatch(*pattern, entry->d_name, FNM_PERIOD) == 0)
				prune_add(p, dir, entry->d_name);
	closedir(d);
	return ERR_OK;
}

static int by_age(const void *a, const void *b)
{
	const struct prune_item *x = a, *y = b;

	return x->when != y->when ? (x->when > y->when) - (x->when < y->when)
				  : strcmp(x->path, y->path);
}

enum err prune_find(struct prune *p, const char *output, const char *state)
{
	static const char *const results[] = { "job-*", NULL },
				 *const models[] = { "model-*.bin", NULL },
				 *const offers[] = { "*.answer", "*.json", "*.txt", NULL };
	enum err e = file_exists(output)
			 ? prune_add_all(p, output, results)
			 : err_set(ERR_INPUT, "%s: there is no such directory", output);

	if (e == ERR_OK && state) {
		char *offered = file_join(state, "offers");

		e = prune_add_all(p, state, models);
		if (e == ERR_OK)
			e = prune_add_all(p, offered, offers);
		free(offered);
	}
	if (e != ERR_OK)
		prune_release(p);
	else if (p->n)
		qsort(p->item, p->n, sizeof(*p->item), by_age);
	return e;
}

/* ---- choosing ---- */

size_t prune_choose(struct prune *p, time_t now, unsigned days, double bytes)
{
	double stays = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		p->item[i].goes = days && now - p->item[i].when > (time_t)days * DAY_S;
		stays += p->item[i].goes ? 0 : p->item[i].bytes;
	}
	for (size_t i = 0; i < p->n; i++) {
		if (!p->item[i].goes && bytes > 0 && stays > bytes) {
			p->item[i].goes = true;
			stays -= p->item[i].bytes;
		}
		n += p->item[i].goes;
	}
	return n;
}

/* ---- removing ---- */

enum err prune_remove(const struct prune *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->item[i].goes && file_remove_tree(p->item[i].path) != 0 && errno != ENOENT)
			return err_set(ERR_JOB, "%s: cannot be removed: %s", p->item[i].path,
				       strerror(errno));
	return ERR_OK;
}

void prune_release(struct prune *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->item[i].path);
	free(p->item);
	*p = (struct prune){ 0 };
}

/* ---- a daemon's limits ---- */

bool prune_never(const struct daemon_common *c)
{
	return !c->keep_days && !(c->keep_gib > 0);
}

void prune_old(const struct daemon_common *c, const char *state,
	       bool (*keeps)(void *arg, const char *name), void *arg)
{
	struct prune found = { 0 };
	enum err e = prune_never(c) ? ERR_OK : prune_find(&found, c->output, state);

	if (e == ERR_OK)
		prune_choose(&found, time(NULL), c->keep_days, c->keep_gib * GIB);
	for (size_t i = 0; i < found.n; i++) {
		struct prune_item *item = &found.item[i];

		item->goes &= !keeps || !keeps(arg, strrchr(item->path, '/') + 1);
		if (item->goes)
			log_info("%s removed, by keep_days or keep_gib", item->path);
	}
	if (e == ERR_OK)
		e = prune_remove(&found);
	if (e != ERR_OK)
		log_warn("old results cannot be removed: %s", err_detail());
	prune_release(&found);
}
