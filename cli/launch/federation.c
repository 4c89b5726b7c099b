/* Prepares slices, keys and configurations of a federation on this machine. */
#include "cli/launch/launch.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/machine.h"
#include "common/data/dataset.h"
#include "common/data/ids.h"
#include "common/data/labels.h"
#include "common/job/kinds.h"
#include "common/kind/own.h"
#include "crypto/pki.h"

#include <dirent.h>
#include <stdarg.h>
#include <inttypes.h>
#include <math.h>
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

/* A set of graphs in TU format contains NAME_graph_indicator.txt. */
static bool is_graph_set(const char *dir)
{
	return has_ending(dir, "_graph_indicator.txt");
}

/* Each kind implies one partition of the data. Only a job on columns of the same nodes accepts any
 * partition of one graph. */
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

/* Checks that the parties' policies permit the job: all kinds, and the permissions of --allow. */
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
	/* Absolute, because the configurations that contain it lie elsewhere. */
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

/* Links each party's directory to its set of graphs, in the order of their names. */
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

static char *find_file(const char *dir, const char *stem, const char *const *suffix)
{
	for (; *suffix; suffix++) {
		char *path = launch_file(dir, stem, *suffix);

		if (file_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

/* If parties have different items, labels are matched by id: writes the true labels with ids.
 * Without ids.txt the row numbers serve as ids. */
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
		return ERR_OK; /* embeddings and ids have no true labels */
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
	if (labels && (l->job.align != ALIGN_SAME || (ids && l->kind->split != SPLIT_COLUMNS)))
		e = truth_by_id(l, ids, labels);
	else if (labels)
		l->truth = alloc_copy(labels);
	free(labels);
	free(ids);
	return e;
}

/* key, address: "listen" or "coordinator", and its value. */
static struct json *begin_config(const char *name, const char *key, const char *address)
{
	struct json *root = json_object(), *identity;
	char text[64];

	json_put_string(root, "name", name);
	json_put_string(root, key, address);
	identity = json_put_object(root, "identity");
	snprintf(text, sizeof(text), "pki/%s.crt", name);
	json_put_string(identity, "certificate", text);
	snprintf(text, sizeof(text), "pki/%s.key", name);
	json_put_string(identity, "key", text);
	json_put_string(identity, "ca", "pki/ca.crt");
	return root;
}

/* If many processes share a core, a working one may be silent for longer than the default timeouts.
 * Adds 1 s per process sharing a core to the heartbeat, and 4 s to the reconnection. */
static void be_patient(const struct launch *l, long cores, struct json *root)
{
	enum {
		SHARING = 16,
		HEARTBEAT_S = 10,
		/* Parties per core from which this applies; the defaults. */
		RECONNECT_S = 60
	};
	double sharing = (double)l->parties / (double)(cores > 0 ? cores : 1);

	if (sharing < SHARING)
		return;
	json_put_number(root, "heartbeat_s", floor(HEARTBEAT_S + sharing));
	json_put_number(root, "reconnect_s", floor(RECONNECT_S + 4 * sharing));
}

/* Completes and writes a configuration. Limits threads to the cores, since more would only
 * compete. */
static enum err write_config(const struct launch *l, const char *name, struct json *root,
			     const char *numbering)
{
	long cores = (long)machine_cores();
	struct buf text = { 0 };
	char file[48];

	json_put_number(root, "threads",
			cores > (long)l->parties ? (double)(cores / l->parties) : 1);
	json_put_string(root, "numbering_key", numbering);
	be_patient(l, cores, root);
	if (!l->keep_data) /* no one restarts a process of this run */
		json_put_number(root, "rejoin_s", 0);
	snprintf(file, sizeof(file), "../%s", name);
	json_put_string(root, "output", file);
	json_write_pretty(root, &text);
	json_free(root);
	snprintf(file, sizeof(file), "%s.json", name);
	return args_write(l->work, file, &text);
}

/* 0 if unreadable; another check reports that. */
static double data_bytes(const struct launch *l)
{
	DIR *dir = l->data ? opendir(l->data) : NULL;
	const struct dirent *d;
	double bytes = 0;

	while (dir && (d = readdir(dir))) {
		struct stat st;

		if (fstatat(dirfd(dir), d->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
			bytes += (double)st.st_size;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

/* A party joins after reading its data: allows 1 s per 2 MB of all data beyond the default minute.
 * A party that fails is detected separately. */
static double join_timeout_s(const struct launch *l)
{
	const double standard = 60, second = 2e6, most = 86400;
	double s = standard + data_bytes(l) / second;

	return s < most ? floor(s) : most;
}

static enum err write_coordinator(const struct launch *l)
{
	char name[LAUNCH_NAME], address[300];
	struct json *root, *names;

	snprintf(address, sizeof(address), "%s:0", l->listen ? l->listen : "127.0.0.1");
	root = begin_config("coordinator", "listen", address);
	json_put_number(root, "join_timeout_s", join_timeout_s(l));
	names = json_put_array(root, "parties");
	for (unsigned i = 0; i < l->parties; i++) {
		launch_party_name(i, name);
		json_append_string(names, name);
	}
	return write_config(l, "coordinator", root, "coordinator.numbering");
}

/* Paths are relative to l->work, where the configurations lie, so that it can be moved. */
static void launch_put_data(const struct launch *l, struct json *root, const char *name)
{
	static const char *const features[] = { ".npy", ".mtx", ".csv", NULL },
				 *const edges[] = { ".tsv", ".mtx", NULL },
				 *const ids[] = { ".txt", NULL };
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

/* pin: fingerprints of the coordinator, then of each party. */
static enum err launch_write_party(const struct launch *l, unsigned own,
				   char (*pin)[FINGERPRINT_TEXT_LEN])
{
	char name[LAUNCH_NAME], other[LAUNCH_NAME];
	struct json *root, *peers, *policy, *jobs;

	launch_party_name(own, name);
	root = begin_config(name, "coordinator", "127.0.0.1:7431");
	peers = json_put_object(root, "peers");
	json_put_string(peers, "coordinator", pin[0]);
	for (unsigned i = 0; i < l->parties; i++) {
		launch_party_name(i, other);
		if (i != own)
			json_put_string(peers, other, pin[1 + i]);
	}
	launch_put_data(l, root, name);
	policy = json_put_object(root, "policy");
	jobs = json_put_array(policy, "jobs");
	for (size_t i = 0; kinds[i]; i++)
		json_append_string(jobs, kinds[i]->name);
	for (size_t i = 0; i < l->allowed.count; i++)
		json_append_string(jobs, l->allowed.item[i]);
	jobs = json_put_array(policy, "align");
	for (size_t i = 0; kind_align_names[i]; i++)
		json_append_string(jobs, kind_align_names[i]);
	json_put_number(policy, "min_parties", l->parties > 1 ? 2 : 1);
	json_put_bool(policy, "allow_single", l->allow_single);
	for (size_t i = 0; i < l->policy.count; i++) {
		char key[32];
		const char *equals = strchr(l->policy.item[i], '=');

		snprintf(key, sizeof(key), "%.*s", (int)(equals - l->policy.item[i]),
			 l->policy.item[i]);
		if (!strcmp(key, "profile")) /* 1: true, 0: false */
			json_put_bool(policy, key, strtod(equals + 1, NULL) != 0);
		else
			json_put_number(policy, key, strtod(equals + 1, NULL));
	}
	return write_config(l, name, root, "parties.numbering");
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

/* Writes public numbering keys, so that runs with one seed agree: in a local run there is no one
 * from whom to hide ids. */
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

	umask(077); /* as daemons do: slices and results have ids, possibly of persons */
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
		e = write_coordinator(l);
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
