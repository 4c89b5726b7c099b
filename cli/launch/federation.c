/* Prepares slices, keys and configurations of a federation on this machine. */
#include "cli/launch/launch.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/dataset.h"
#include "common/data/ids.h"
#include "common/data/labels.h"
#include "common/job/kinds.h"
#include "crypto/pki.h"

#include <dirent.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void launch_party_name(unsigned number, char name[static LAUNCH_NAME])
{
	snprintf(name, LAUNCH_NAME, "party-%02u", number);
}

char *launch_file(const char *dir, const char *name, const char *ending)
{
	char *stem = file_join(dir, name), *path;

	if (asprintf(&path, "%s%s", stem, ending) < 0)
		path = alloc_copy("");
	free(stem);
	return path;
}

void launch_signals(sigset_t *set, int other)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, other);
}

void launch_print(const struct launch *l, const char *fmt, ...)
{
	va_list ap;

	if (l->quiet)
		return;
	va_start(ap, fmt);
	fputs("launch: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

void launch_print_policy(bool refused)
{
	if (refused)
		fputs(
		    "launch: --policy and --allow are the parties' policy here, --set changes the "
		    "job: change one of them\n",
		    stderr);
}

static bool has_ending(const char *dir, const char *end)
{
	DIR *d = opendir(dir);
	bool found = false;

	for (struct dirent *e; d && !found && (e = readdir(d));) {
		size_t n = strlen(e->d_name), m = strlen(end);

		found = n > m && !strcmp(e->d_name + n - m, end);
	}
	if (d)
		closedir(d);
	return found;
}

/* Returns true for a set of graphs in TU format, which has a file NAME_graph_indicator.txt. */
static bool is_graph_set(const char *dir)
{
	return has_ending(dir, "_graph_indicator.txt");
}

/* Chooses the partition of the data, which the kind of job implies. Only a job on columns of the
 * same nodes accepts another partition of one graph. */
static enum err choose_split(struct launch *l)
{
	enum kind_split own = l->kind->split;

	if (!l->split_given)
		l->split.by = own;
	l->sets = own == SPLIT_GRAPHS && !l->split_given && !is_graph_set(l->data);
	l->split.no_features = own == SPLIT_EDGES && !(l->kind->needs & NEEDS_FEATURES);
	if (l->split.keep > 0 && l->split.by != SPLIT_COLUMNS)
		return err_set(ERR_INPUT, "--keep is for --by columns, not for %s",
			       split_by_names[l->split.by]);
	if (l->split.keep > 0 && l->job.align == ALIGN_SAME)
		return err_set(ERR_INPUT, "--keep gives each party other rows, which a job with "
					  "align \"same\" refuses: add --set align=intersect");
	if (own == SPLIT_COLUMNS && l->split.by == SPLIT_GRAPHS)
		return err_set(ERR_INPUT,
			       "--by is graphs, expected columns, rows, edges or vertices with a "
			       "job of kind %s: it is of one graph",
			       l->kind->name);
	if (own != SPLIT_COLUMNS && l->split.by != own)
		return err_set(
		    ERR_INPUT,
		    "--by is %s, expected %s with this job: its parties have %s of their own",
		    split_by_names[l->split.by], split_by_names[own],
		    own == SPLIT_EDGES ? "edges and nodes" : split_by_names[own]);
	return ERR_OK;
}

/* Checks that the parties' policies permit the job. They permit all kinds, and the permissions that
 * --allow names. */
static enum err check_allowed(const struct launch *l)
{
	const char *permission = job_permission(&l->job);

	for (size_t i = 0; kinds[i]; i++)
		if (!strcmp(kinds[i]->name, permission))
			return ERR_OK;
	for (size_t i = 0; i < l->allowed.count; i++)
		if (!strcmp(l->allowed.item[i], permission))
			return ERR_OK;
	return err_set(ERR_INPUT,
		       "the job needs --allow %s: parties disclose more in it than in other jobs "
		       "of kind \"%s\", so that each must allow it by name",
		       permission, l->kind->name);
}

enum err launch_check(struct launch *l)
{
	static const char align[] = "{\"kind\":\"align\"}";
	char *here, *earlier, text[64], when[32];
	time_t now = time(NULL);
	struct stat s;
	struct tm tm;
	bool there;

	if (l->id_files) {
		TRY(job_parse(&l->job, (struct bytes){ (const uint8_t *)align, strlen(align) },
			      "job", l->set.item));
		l->kind = l->job.kind;
	} else {
		if (stat(l->data, &s) || !S_ISDIR(s.st_mode))
			return err_set(ERR_INPUT, "--data %s: no such directory", l->data);
		TRY(job_read(&l->job, l->job_path, l->set.item));
		l->kind = l->job.kind;
		TRY(choose_split(l));
		TRY(check_allowed(l));
	}
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(text, sizeof(text), "out/launch-%s-%d", when, (int)getpid());
	/* The path must be absolute, because the configurations that contain it are in another
	 * directory. */
	here = getcwd(NULL, 0);
	l->out = file_join(here ? here : "/", l->out_given ? l->out_given : text);
	free(here);
	l->work = file_join(l->out, "work");
	earlier = file_join(l->out, "coordinator");
	there = file_exists(earlier);
	free(earlier);
	if (there)
		return err_set(ERR_INPUT,
			       "--out %s holds an earlier run; remove it or choose another",
			       l->out);
	return ERR_OK;
}

static int not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Makes each party's directory a link to its set of graphs. Sets are in the order of their names.
 */
static enum err link_sets(const struct launch *l, const char *to)
{
	char **sets, name[LAUNCH_NAME];
	struct dirent **entry = NULL;
	int n = scandir(l->data, &entry, not_hidden, alphasort);
	size_t count = 0;
	enum err e = file_make_dirs(to);

	ALLOC(sets, n > 0 ? (size_t)n : 1);
	for (int i = 0; i < n; i++) {
		char *path = file_join(l->data, entry[i]->d_name);

		free(entry[i]);
		if (is_graph_set(path))
			sets[count++] = realpath(path, NULL);
		free(path);
	}
	free(entry);
	if (e == ERR_OK && count != l->parties)
		e = err_set(ERR_INPUT, "--data %s has %zu sets of graphs, expected --parties, %u",
			    l->data, count, l->parties);
	for (unsigned i = 0; e == ERR_OK && i < l->parties; i++) {
		char *link;

		launch_party_name(i, name);
		link = file_join(to, name);
		if (symlink(sets[i], link))
			e = err_set(ERR_JOB, "%s cannot be made: %m", link);
		free(link);
	}
	while (count)
		free(sets[--count]);
	free(sets);
	return e;
}

/* Links each party's ids file into its directory. */
static enum err link_ids(const struct launch *l, const char *to)
{
	enum err e = ERR_OK;

	for (unsigned i = 0; e == ERR_OK && i < l->parties; i++) {
		const char *given = l->id_files[i];
		char name[LAUNCH_NAME], *dir, *link, *within = file_join(given, "ids.txt");
		char *path = realpath(file_exists(within) ? within : given, NULL);

		launch_party_name(i, name);
		dir = file_join(to, name);
		link = file_join(dir, "ids.txt");
		if (!path)
			e = err_set(ERR_INPUT, "%s: %m", given);
		else
			e = file_make_dirs(dir);
		if (e == ERR_OK && symlink(path, link))
			e = err_set(ERR_JOB, "%s cannot be made: %m", link);
		free(link);
		free(dir);
		free(path);
		free(within);
	}
	return e;
}

static enum err launch_split_data(struct launch *l)
{
	struct dataset_files files;
	char *to;
	enum err e;

	if (l->id_files) {
		to = file_join(l->work, "data");
		e = link_ids(l, to);
		free(to);
		return e;
	}
	if (l->split.by == SPLIT_COLUMNS && l->kind->needs & NEEDS_EDGES) {
		TRY(dataset_find(l->data, DATASET_BOTH, &files));
		dataset_files_release(&files);
	}
	to = file_join(l->work, "data");
	l->split.data = l->data;
	l->split.out = to;
	l->split.parties = l->parties;
	if (!l->sets)
		launch_print(l, "splitting %s by %s over %u parties", l->data,
			     split_by_names[l->split.by], l->parties);
	e = l->sets ? link_sets(l, to) : split_data(&l->split);
	l->split.out = NULL;
	free(to);
	return e;
}

/* If parties have different items, labels are matched by id. Therefore writes the true labels with
 * ids. Without ids.txt the row numbers serve as ids. */
static enum err truth_by_id(struct launch *l, const char *ids_path, const char *labels_path)
{
	struct labels labels = { 0 };
	struct ids ids = { 0 };
	char **id = NULL;
	enum err e = labels_read(labels_path, &labels);

	if (e == ERR_OK && ids_path)
		e = ids_read(ids_path, &ids);
	if (e == ERR_OK && ids_path && ids.n != labels.n)
		e = err_set(ERR_INPUT, "%s has %zu ids, %s has %zu labels", ids_path, ids.n,
			    labels_path, labels.n);
	if (e == ERR_OK) {
		ALLOC(id, ids.n);
		for (size_t i = 0; i < ids.n; i++) /* ids are sorted, labels are in file order */
			id[ids.row[i]] = ids.id[i];
		l->truth = file_join(l->work, "truth.csv");
		e = labels_write(l->truth, NULL, ids_path ? id : NULL, labels.label, NULL,
				 labels.n);
	}
	free(id);
	ids_release(&ids);
	labels_release(&labels);
	return e;
}

static enum err find_truth(struct launch *l)
{
	static const char *const txt[] = { ".txt", NULL };
	char *labels, *ids;
	enum err e = ERR_OK;

	if (l->kind->embeds || l->id_files)
		return ERR_OK; /* embeddings and ids have no true labels to compare with */
	if (l->kind->split == SPLIT_GRAPHS) {
		char *data = file_join(l->work, "data"), *first = file_join(data, "party-00");

		if (has_ending(first, "_graph_labels.txt"))
			l->truth = alloc_copy(data);
		free(first);
		free(data);
		return ERR_OK;
	}
	labels = launch_find(l->data, "labels", txt);
	ids = launch_find(l->data, "ids", txt);
	if (labels && (l->job.align != ALIGN_SAME || (ids && l->kind->split != SPLIT_COLUMNS)))
		e = truth_by_id(l, ids, labels);
	else if (labels)
		l->truth = alloc_copy(labels);
	free(labels);
	free(ids);
	return e;
}

/* Makes keys and certificates; pin receives the fingerprints of the coordinator, then of each
 * party. */
static enum err make_keys(const struct launch *l, char (*pin)[FINGERPRINT_TEXT_LEN])
{
	char *pki = file_join(l->work, "pki"), name[LAUNCH_NAME] = "coordinator";
	uint8_t print[FINGERPRINT_LEN];
	enum err e = pki_lab(pki, l->parties);

	for (unsigned i = 0; e == ERR_OK && i <= l->parties; i++) {
		char *path;

		if (i)
			launch_party_name(i - 1, name);
		path = launch_file(pki, name, ".crt");
		e = pki_fingerprint(path, print);
		free(path);
		if (e == ERR_OK)
			fingerprint_text(print, pin[i]);
	}
	free(pki);
	return e;
}

/* Writes a numbering key that is not secret, so that runs with one seed number rows alike. In a
 * local run, ids need not be hidden from the coordinator. */
static enum err write_numbering(const struct launch *l, const char *name)
{
	char *path = file_join(l->work, name), text[96];
	enum err e;

	snprintf(text, sizeof(text), "no secret: %s of a local run of seed %" PRIu64 "\n", name,
		 l->job.seed);
	e = file_write(path, (struct bytes){ (uint8_t *)text, strlen(text) }, FILE_SECRET);
	free(path);
	return e;
}

enum err launch_prepare(struct launch *l)
{
	char(*pin)[FINGERPRINT_TEXT_LEN];
	enum err e;

	bool made = !file_exists(l->out);

	/* As in the daemons, only this user may read the files: slices and results have ids, which
	 * may be those of persons. */
	umask(077);
	if (file_make_dirs(l->out))
		return err_set(ERR_INPUT, "--out %s cannot be made", l->out);
	if (mkdir(l->work, 0777)) {
		free(l->work);
		l->work = NULL;
		return err_set(ERR_INPUT,
			       "--out %s has the work/ of another run: choose another, or remove "
			       "it if that run is over",
			       l->out);
	}
	l->guarded = !l->keep_data && launch_guard(l, made);
	TRY(launch_split_data(l));
	TRY(find_truth(l));
	TRY(write_numbering(l, "coordinator.numbering"));
	TRY(write_numbering(l, "parties.numbering"));
	pin = alloc(1 + l->parties, sizeof(*pin));
	e = make_keys(l, pin);
	if (e == ERR_OK)
		e = launch_write_coordinator(l);
	for (unsigned i = 0; e == ERR_OK && i < l->parties; i++)
		e = launch_write_party(l, i, pin);
	free(pin);
	return e;
}

void launch_show(const struct launch *l)
{
	char *argv[6] = { (char *)"show", l->out };
	int argc = 2;

	if (l->quiet)
		return;
	if (l->verbose)
		argv[argc++] = (char *)"--verbose";
	if (l->truth) {
		argv[argc++] = (char *)"--truth";
		argv[argc++] = l->truth;
	}
	(void)show_main(argc, argv);
	fflush(stdout);
	launch_gained(l);
}

void launch_end(struct launch *l)
{
	if (l->guarded)
		launch_unguard();
	else if (l->work && !l->keep_data)
		file_remove_tree(l->work);
	free(l->truth);
	free(l->work);
	free(l->out);
	overrides_release(&l->set);
	overrides_release(&l->allowed);
	overrides_release(&l->policy);
}
