/* Writes the configurations of a federation on this machine. */
#include "cli/launch/launch.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/machine.h"
#include "common/job/kinds.h"
#include "common/kind/own.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *launch_find(const char *dir, const char *stem, const char *const *ending)
{
	for (; *ending; ending++) {
		char *path = launch_file(dir, stem, *ending);

		if (file_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

/* Begins a configuration. key: "listen" or "coordinator"; address: the value of the key. */
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

/* Raises timeouts. If many processes share a core, one that computes may be silent for longer than
 * the default timeouts. If each core has at least SHARING parties, adds 1 s to the default
 * heartbeat_s and 4 s to the default reconnect_s for each party of a core. */
static void be_patient(const struct launch *l, long cores, struct json *root)
{
	enum {
		SHARING = 16,
		HEARTBEAT_S = 10,
		/* Default of reconnect_s, in seconds. */
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
	/* Without its directory, which is then removed, no process can be started again. So the job
	 * does not wait for a lost party. */
	if (!l->keep_data)
		json_put_number(root, "rejoin_s", 0);
	snprintf(file, sizeof(file), "../%s", name);
	json_put_string(root, "output", file);
	json_write_pretty(root, &text);
	json_free(root);
	snprintf(file, sizeof(file), "%s.json", name);
	return args_write(l->work, file, &text);
}

/* Returns the size of the data in bytes. Returns 0 if they are unreadable, which another check
 * reports. */
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

/* A party joins after it has read its data. Therefore allows the default minute and 1 s per 2 MB of
 * all data. A party that fails is detected separately. */
static double join_timeout_s(const struct launch *l)
{
	const double standard = 60, second = 2e6, most = 86400;
	double s = standard + data_bytes(l) / second;

	return s < most ? floor(s) : most;
}

enum err launch_write_coordinator(const struct launch *l)
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

/* Writes paths relative to l->work, which has the configurations, so that l->work can be moved. */
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
			char *path = launch_find(dir, file[i].stem, file[i].suffix);

			if (path)
				json_put_string(data, file[i].key, path + strlen(l->work) + 1);
			free(path);
		}
	free(dir);
}

enum err launch_write_party(const struct launch *l, unsigned own, char (*pin)[FINGERPRINT_TEXT_LEN])
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
