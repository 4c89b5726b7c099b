#include "cli/args/args.h"
#include "cli/import/import.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/labels.h"
#include "common/data/mtx.h"
#include "common/data/npy.h"
#include "crypto/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the files ---- */

static enum err write_features(const char *dir, const struct imported *in)
{
	struct buf text = { 0 };

	if (!features_cols(&in->X))
		return ERR_OK;
	if (in->X.is_sparse)
		mtx_print(&in->X.sparse, &text);
	else
		npy_print(&in->X.dense, &text);
	TRY(args_write(dir, in->X.is_sparse ? "features.mtx" : "features.npy", &text));
	if (!in->names.n)
		return ERR_OK;
	columns_print(&in->names, &text);
	return args_write(dir, "columns.json", &text);
}

static enum err write_ids(const char *dir, const struct ids *ids)
{
	struct buf text = { 0 };

	if (!ids->n)
		return ERR_OK;
	import_print_ids(ids, &text);
	return args_write(dir, "ids.txt", &text);
}

static enum err write_labels(const char *dir, const struct sheet *t)
{
	char *path;
	enum err err;

	if (!t->has_labels)
		return ERR_OK;
	path = file_join(dir, "labels.txt");
	err = labels_write_txt(path, t->label, t->rows);
	free(path);
	return err;
}

static enum err write_edges(const char *dir, const struct imported *in)
{
	struct buf text = { 0 };

	if (!in->has_edges)
		return ERR_OK;
	edges_print_tsv(&in->edges, in->ids.n ? in->ids.id : NULL, &text);
	return args_write(dir, "edges.tsv", &text);
}

/* ---- import.json ---- */

static enum err put_source(struct json *root, const char *key, const char *path)
{
	uint8_t hash[SHA256_LEN];
	char hex[2 * SHA256_LEN + 1];
	struct json *o;
	struct stat st;

	if (!path)
		return ERR_OK;
	TRY(sha256_of_file(path, hash));
	hex_write(hash, SHA256_LEN, hex);
	o = json_put_object(root, key);
	json_put_string(o, "path", path);
	if (stat(path, &st) == 0)
		json_put_number(o, "bytes", (double)st.st_size);
	json_put_string(o, "sha256", hex);
	return ERR_OK;
}

static void put_values(struct json *o, const struct sheet_column *c, bool numbered)
{
	struct json *list = json_put_array(o, "values");

	for (size_t i = 0; i < c->sorted.n; i++)
		json_append_string(list, c->sorted.id[i]);
	if (numbered)
		json_put_string(o, "numbers",
				"labels.txt has the places of values in this list, from 0");
}

static void put_column(struct json *list, const struct sheet *t, const struct sheet_column *c)
{
	struct json *o = json_append_object(list);
	bool words = false;
	uint64_t x;

	json_put_string(o, "name", c->name);
	json_put_string(o, "type", role_names[c->role]);
	if (c->role == ROLE_IGNORE || c->role == ROLE_ID)
		return;
	json_put_number(o, "missing", (double)c->gaps);
	if (c->role == ROLE_NUMBER || c->role == ROLE_DATE) {
		json_put_number(o, "min", c->min);
		json_put_number(o, "max", c->max);
		if (c->gaps) {
			json_put_string(o, "filled", missing_names[c->missing]);
			json_put_number(o, "with", c->fill);
		}
		return;
	}
	for (size_t i = 0; i < c->sorted.n; i++)
		words |= !word_whole((struct word){ c->sorted.id[i], strlen(c->sorted.id[i]) }, &x);
	put_values(o, c, c->role == ROLE_LABEL && words);
	(void)t;
}

static void put_sheet(struct json *root, const struct imported *in, const struct reading *how)
{
	const struct sheet *t = &in->sheet;
	struct json *o = json_put_object(root, "heading");
	struct json *list;

	json_put_bool(o, "taken", in->said.heading);
	json_put_string(o, "why", in->said.why);
	o = json_put_object(root, "rows");
	json_put_number(o, "read", (double)t->rows);
	json_put_number(o, "dropped", 0);
	o = json_put_object(root, "lines_left_out");
	json_put_number(o, "blank_at_the_end", (double)in->said.blank);
	json_put_number(o, "comments", (double)in->said.comments);
	json_put(root, "read", config_write(&reading_table, how));
	list = json_put_array(root, "columns");
	for (size_t i = 0; i < t->columns; i++)
		put_column(list, t, &t->column[i]);
}

static enum err write_record(const char *dir, const struct imported *in,
			     const struct import_request *r)
{
	struct json *root = json_object(), *o;
	struct buf text = { 0 };
	enum err err;

	json_put_string(root, "coterie", COTERIE_VERSION);
	err = put_source(root, "file", r->file);
	if (!err)
		err = put_source(root, "edges_file", r->edges);
	if (r->part)
		json_put_string(root, "part", r->part);
	if (in->is_table)
		put_sheet(root, in, &r->how);
	o = json_put_object(root, "made");
	json_put_number(o, "rows", (double)in->n);
	json_put_number(o, "features", (double)features_cols(&in->X));
	json_put_bool(o, "ids", in->ids.n > 0);
	json_put_bool(o, "labels", in->sheet.has_labels);
	if (in->has_edges) {
		o = json_put_object(root, "edges");
		json_put_number(o, "kept", (double)(in->edges.start[in->edges.rows] / 2));
		json_put_number(o, "self_loops_dropped", (double)in->dropped.loops);
		json_put_number(o, "repeated_dropped", (double)in->dropped.repeated);
	}
	if (!err)
		json_write_pretty(root, &text);
	json_free(root);
	return err ? err : args_write(dir, "import.json", &text);
}

/* ---- the directory ---- */

static enum err write_all(const char *dir, const struct imported *in,
			  const struct import_request *r)
{
	TRY(write_features(dir, in));
	TRY(write_ids(dir, &in->ids));
	TRY(write_labels(dir, &in->sheet));
	TRY(write_edges(dir, in));
	return write_record(dir, in, r);
}

static void remove_all(const char *dir)
{
	static const char *const made[] = { "features.npy", "features.mtx", "columns.json",
					    "ids.txt",      "labels.txt",   "edges.tsv",
					    "import.json" };

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		char *path = file_join(dir, made[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

/* Without slashes at the end, and with its parent made. */
static enum err begin(const char *out, char **whole, char **part)
{
	size_t n = strlen(out);
	char *parent;
	struct buf b = { 0 };
	enum err err;

	while (n > 1 && out[n - 1] == '/')
		n--;
	ALLOC(*whole, n + 1);
	memcpy(*whole, out, n);
	buf_printf(&b, "%s.part", *whole);
	buf_add(&b, "", 1);
	*part = (char *)b.p;
	parent = file_dir(*whole);
	err = file_make_dirs(parent);
	free(parent);
	TRY(err);
	if (mkdir(*part, 0777) == 0)
		return ERR_OK;
	if (errno == EEXIST)
		return err_set(ERR_INPUT,
			       "%s is there: another import to %s is under way, or was killed; if "
			       "none is, remove it",
			       *part, *whole);
	return err_set(ERR_JOB, "%s: %s", *part, strerror(errno));
}

/* What is there already is refused before anything is written, and once more, in one step, by the
 * rename. */
static enum err check_empty(const char *whole)
{
	if (rmdir(whole) == 0 || errno == ENOENT)
		return ERR_OK;
	return err_set(ERR_INPUT, "%s: %s, expected a directory that is empty or not there", whole,
		       errno == ENOTEMPTY || errno == EEXIST ? "there is something in it"
							     : strerror(errno));
}

enum err import_write(const struct imported *in, const struct import_request *r)
{
	char *whole = NULL, *part = NULL;
	struct err_saved end;
	enum err err = begin(r->out, &whole, &part);

	if (!err) {
		err = check_empty(whole);
		if (!err)
			err = write_all(part, in, r);
		if (!err && rename(part, whole) != 0)
			err = err_set(ERR_JOB, "%s: %s", whole, strerror(errno));
		end = err_save(err);
		if (err)
			remove_all(part);
		err = err_restore(&end);
	}
	free(whole);
	free(part);
	return err;
}
