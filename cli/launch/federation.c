/* Slices, keys and configurations of a federation on this machine. */
#include "cli/launch/launch.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/ids.h"
#include "common/data/labels.h"
#include "common/job/kinds.h"
#include "crypto/pki.h"

#include <dirent.h>
#include <ftw.h>
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

void launch_say(const struct launch *l, const char *fmt, ...)
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

/* ---- what the arguments come to ---- */

static bool is_directory(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
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

/* A set of graphs in TU format has NAME_graph_indicator.txt. */
static bool is_graph_set(const char *dir)
{
	return has_ending(dir, "_graph_indicator.txt");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* The directories below l->data that are sets of graphs; the caller frees both levels. */
static size_t graph_sets(const struct launch *l, char ***sets)
{
	struct dirent **entry = NULL;
	int n = scandir(l->data, &entry, not_hidden, by_name);
	size_t count = 0;

	ALLOC(*sets, n > 0 ? (size_t)n : 1);
	for (int i = 0; i < n; i++) {
		char *path = file_join(l->data, entry[i]->d_name);

		free(entry[i]);
		if (is_graph_set(path))
			(*sets)[count++] = realpath(path, NULL);
		free(path);
	}
	free(entry);
	return count;
}

static void free_sets(char **sets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(sets[i]);
	free(sets);
}

/* Each kind of job has one way in which its parties' data lie apart; columns of the same nodes may
 * be split in any way that is of one graph. */
static enum err choose_split(struct launch *l)
{
	enum kind_split own = l->kind->split;

	if (!l->split_given)
		l->split.by = own;
	l->sets = own == SPLIT_GRAPHS && !l->split_given && !is_graph_set(l->data);
	l->split.no_features = own == SPLIT_EDGES && !(l->kind->needs & NEEDS_FEATURES);
	if (own == SPLIT_COLUMNS && l->split.by == SPLIT_GRAPHS)
		return err_set(ERR_INPUT,
			       "--by is graphs, expected columns, rows, edges or vertices with a "
			       "job of kind %s: it is of one graph",
			       l->kind->name);
	if (own != SPLIT_COLUMNS && l->split.by != own)
		return err_set(ERR_INPUT,
			       "--by is %s, expected %s with this job: its parties have %s of "
			       "their own",
			       split_by_names[l->split.by], split_by_names[own],
			       own == SPLIT_EDGES ? "edges and nodes" : split_by_names[own]);
	return ERR_OK;
}

/* Absolute, because the configurations that name it lie elsewhere. */
static char *absolute(const char *path)
{
	char *here = getcwd(NULL, 0), *whole = file_join(here ? here : "/", path);

	free(here);
	return whole;
}

static char *default_out(void)
{
	char text[64], when[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(text, sizeof(text), "out/launch-%s-%d", when, (int)getpid());
	return absolute(text);
}

enum err launch_check(struct launch *l)
{
	char *earlier;
	bool there;

	if (!is_directory(l->data))
		return err_set(ERR_INPUT, "--data %s: no such directory", l->data);
	TRY(job_read(&l->job, l->job_path, l->set.item));
	l->kind = l->job.kind;
	TRY(choose_split(l));
	l->out = l->out_given ? absolute(l->out_given) : default_out();
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

/* ---- data ---- */

/* Each party's directory is a link to its set. */
static enum err link_sets(const struct launch *l, const char *to)
{
	char **sets, name[LAUNCH_NAME];
	size_t count = graph_sets(l, &sets);
	enum err e = file_make_dirs(to);

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
	free_sets(sets, count);
	return e;
}

static enum err split(struct launch *l)
{
	char *to = file_join(l->work, "data");
	enum err e;

	l->split.data = l->data;
	l->split.out = to;
	l->split.parties = l->parties;
	if (!l->sets)
		launch_say(l, "splitting %s by %s over %u parties", l->data,
			   split_by_names[l->split.by], l->parties);
	e = l->sets ? link_sets(l, to) : split_data(&l->split);
	l->split.out = NULL;
	free(to);
	return e;
}

/* "dir/stem.suffix" for the first of the suffixes that is there; NULL: none. */
static char *find_file(const char *dir, const char *stem, const char *const *suffix)
{
	for (; *suffix; suffix++) {
		char name[64], *path;

		snprintf(name, sizeof(name), "%s.%s", stem, *suffix);
		path = file_join(dir, name);
		if (file_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

/* Where parties have items of their own, each one's labels come with its own ids: so must the true
 * ones. */
static enum err truth_by_id(struct launch *l, const char *ids_path, const char *labels_path)
{
	struct labels labels = { 0 };
	struct ids ids = { 0 };
	char **id = NULL;
	enum err e = labels_read(labels_path, &labels);

	if (e == ERR_OK)
		e = ids_read(ids_path, &ids);
	if (e == ERR_OK && ids.n != labels.n)
		e = err_set(ERR_INPUT, "%s has %zu ids, %s has %zu labels", ids_path, ids.n,
			    labels_path, labels.n);
	if (e == ERR_OK) {
		ALLOC(id, ids.n);
		for (size_t i = 0; i < ids.n; i++) /* ids are sorted, labels are as in the file */
			id[ids.row[i]] = ids.id[i];
		l->truth = file_join(l->work, "truth.csv");
		e = labels_write_csv(l->truth, id, labels.label, labels.n);
	}
	free(id);
	ids_release(&ids);
	labels_release(&labels);
	return e;
}

static enum err find_truth(struct launch *l)
{
	static const char *const txt[] = { "txt", NULL };
	char *labels, *ids;
	enum err e = ERR_OK;

	if (l->kind->embeds)
		return ERR_OK; /* embeddings are not clusters */
	if (l->kind->split == SPLIT_GRAPHS) {
		char *data = file_join(l->work, "data"), *first = file_join(data, "party-00");

		if (has_ending(first, "_graph_labels.txt"))
			l->truth = alloc_copy(data);
		free(first);
		free(data);
		return ERR_OK;
	}
	labels = find_file(l->data, "labels", txt);
	ids = find_file(l->data, "ids", txt);
	if (labels && ids && l->kind->split != SPLIT_COLUMNS)
		e = truth_by_id(l, ids, labels);
	else if (labels)
		l->truth = alloc_copy(labels);
	free(labels);
	free(ids);
	return e;
}

/* ---- configurations ---- */

static struct json *put_identity(struct json *root, const char *name)
{
	struct json *identity = json_put_object(root, "identity");
	char text[64];

	snprintf(text, sizeof(text), "pki/%s.crt", name);
	json_put_string(identity, "certificate", text);
	snprintf(text, sizeof(text), "pki/%s.key", name);
	json_put_string(identity, "key", text);
	return json_put_string(identity, "ca", "pki/ca.crt");
}

/* More threads than cores only get into each other's way. */
static double threads_of(unsigned parties)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores > (long)parties ? (double)(cores / parties) : 1;
}

static enum err write_config(const struct launch *l, const char *name, struct json *root)
{
	struct buf text = { 0 };
	char file[48];

	json_write_pretty(root, &text);
	json_free(root);
	snprintf(file, sizeof(file), "%s.json", name);
	return args_write(l->work, file, &text);
}

/* Runs of one seed end alike: here nobody has to be kept from guessing. */
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

static enum err write_coordinator(const struct launch *l)
{
	struct json *root = json_object(), *names;
	char name[LAUNCH_NAME], address[300];

	json_put_string(root, "name", "coordinator");
	snprintf(address, sizeof(address), "%s:0", l->listen ? l->listen : "127.0.0.1");
	json_put_string(root, "listen", address);
	put_identity(root, "coordinator");
	names = json_put_array(root, "parties");
	for (unsigned i = 0; i < l->parties; i++) {
		launch_party_name(i, name);
		json_append_string(names, name);
	}
	json_put_number(root, "threads", threads_of(l->parties));
	json_put_string(root, "numbering_key", "coordinator.numbering");
	json_put_string(root, "output", "../coordinator");
	return write_config(l, "coordinator", root);
}

/* Paths start from l->work, where the configurations lie, so that it can be moved. */
static void put_data(const struct launch *l, struct json *root, const char *name)
{
	static const char *const features[] = { "npy", "mtx", "csv", NULL },
				 *const edges[] = { "tsv", "mtx", NULL },
				 *const ids[] = { "txt", NULL };
	const struct {
		const char *key, *stem;
		const char *const *suffix;
	} file[] = { { "features", "features", features },
		     { "edges", "edges", edges },
		     { l->split.by == SPLIT_VERTICES ? "vertices" : "ids", "ids", ids } };
	struct json *data = json_put_object(root, "data");
	char slice[8 + LAUNCH_NAME], *dir;

	snprintf(slice, sizeof(slice), "data/%s", name);
	dir = file_join(l->work, slice);
	if (l->kind->needs & NEEDS_GRAPHS)
		json_put_string(data, "graphs", slice);
	else
		for (size_t i = l->split.by == SPLIT_VERTICES; i < 3; i++) {
			char *path = find_file(dir, file[i].stem, file[i].suffix);

			if (path)
				json_put_string(data, file[i].key, path + strlen(l->work) + 1);
			free(path);
		}
	free(dir);
}

static void put_policy(const struct launch *l, struct json *root)
{
	struct json *policy = json_put_object(root, "policy"),
		    *jobs = json_put_array(policy, "jobs");

	for (size_t i = 0; kinds[i]; i++)
		json_append_string(jobs, kinds[i]->name);
	for (size_t i = 0; i < l->allowed.count; i++)
		json_append_string(jobs, l->allowed.item[i]);
	json_put_number(policy, "min_parties", l->parties > 1 ? 2 : 1);
	json_put_bool(policy, "allow_single", l->allow_single);
	for (size_t i = 0; i < l->policy.count; i++) {
		char key[32];
		const char *equals = strchr(l->policy.item[i], '=');

		snprintf(key, sizeof(key), "%.*s", (int)(equals - l->policy.item[i]),
			 l->policy.item[i]);
		json_put_number(policy, key, strtod(equals + 1, NULL));
	}
}

/* pin: of the coordinator, then of each party. */
static enum err write_party(const struct launch *l, unsigned own, char (*pin)[FINGERPRINT_TEXT_LEN])
{
	struct json *root = json_object(), *peers;
	char name[LAUNCH_NAME], other[LAUNCH_NAME], output[48];

	launch_party_name(own, name);
	json_put_string(root, "name", name);
	json_put_string(root, "coordinator", "127.0.0.1:7431");
	put_identity(root, name);
	peers = json_put_object(root, "peers");
	json_put_string(peers, "coordinator", pin[0]);
	for (unsigned i = 0; i < l->parties; i++) {
		launch_party_name(i, other);
		if (i != own)
			json_put_string(peers, other, pin[1 + i]);
	}
	put_data(l, root, name);
	put_policy(l, root);
	json_put_number(root, "threads", threads_of(l->parties));
	json_put_string(root, "numbering_key", "parties.numbering");
	snprintf(output, sizeof(output), "../%s", name);
	json_put_string(root, "output", output);
	return write_config(l, name, root);
}

static enum err fingerprint(const char *pki, const char *name, char text[FINGERPRINT_TEXT_LEN])
{
	char file[48], *path;
	uint8_t fp[FINGERPRINT_LEN];
	enum err e;

	snprintf(file, sizeof(file), "%s.crt", name);
	path = file_join(pki, file);
	e = pki_fingerprint(path, fp);
	free(path);
	if (e == ERR_OK)
		fingerprint_text(fp, text);
	return e;
}

static enum err make_keys(const struct launch *l, char (*pin)[FINGERPRINT_TEXT_LEN])
{
	char *pki = file_join(l->work, "pki"), name[LAUNCH_NAME];
	enum err e = pki_lab(pki, l->parties);

	if (e == ERR_OK)
		e = fingerprint(pki, "coordinator", pin[0]);
	for (unsigned i = 0; e == ERR_OK && i < l->parties; i++) {
		launch_party_name(i, name);
		e = fingerprint(pki, name, pin[1 + i]);
	}
	free(pki);
	return e;
}

enum err launch_prepare(struct launch *l)
{
	char(*pin)[FINGERPRINT_TEXT_LEN];
	enum err e;

	if (file_make_dirs(l->out))
		return err_set(ERR_INPUT, "--out %s cannot be made", l->out);
	if (mkdir(l->work, 0777)) {
		free(l->work); /* another run's, which is not to be removed */
		l->work = NULL;
		return err_set(ERR_INPUT, "--out %s is in use by another run (it has a work/)",
			       l->out);
	}
	TRY(split(l));
	TRY(find_truth(l));
	pin = alloc(1 + l->parties, sizeof(*pin));
	e = make_keys(l, pin);
	if (e == ERR_OK)
		e = write_numbering(l, "coordinator.numbering");
	if (e == ERR_OK)
		e = write_numbering(l, "parties.numbering");
	if (e == ERR_OK)
		e = write_coordinator(l);
	for (unsigned i = 0; e == ERR_OK && i < l->parties; i++)
		e = write_party(l, i, pin);
	free(pin);
	return e;
}

/* ---- the end ---- */

void launch_show(const struct launch *l)
{
	char *argv[] = { (char *)"show", l->out, (char *)"--truth", l->truth, NULL };

	if (!l->quiet)
		(void)show_main(l->truth ? 4 : 2, argv);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *where)
{
	(void)s;
	(void)type;
	(void)where;
	return remove(path);
}

void launch_end(struct launch *l)
{
	if (l->work && !l->keep_data)
		nftw(l->work, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(l->truth);
	free(l->work);
	free(l->out);
	overrides_release(&l->set);
	overrides_release(&l->allowed);
	overrides_release(&l->policy);
}
