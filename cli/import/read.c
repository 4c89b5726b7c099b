#include "cli/import/isolate.h"
#include "cli/import/sources.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/limits.h"
#include "common/data/mtx.h"
#include "common/data/npy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- kinds of files ---- */

static enum err read_sheet(struct imported *in, const char *path, const struct import_request *r)
{
	in->is_table = true;
	return sheet_parse(&in->sheet, (struct bytes){ in->file.p, in->file.n }, path, &r->how,
			   &in->said);
}

static enum err read_npy(struct imported *in, const char *path, const struct import_request *r)
{
	(void)r;
	return npy_parse((struct bytes){ in->file.p, in->file.n }, path, &in->X.dense);
}

static enum err read_mtx(struct imported *in, const char *path, const struct import_request *r)
{
	struct mtx m;

	(void)r;
	TRY(mtx_parse((struct bytes){ in->file.p, in->file.n }, path, &m));
	mtx_features(&m, &in->X);
	return ERR_OK;
}

static const struct kind_of_file {
	const char *ending;
	import_reader *read;
	bool has_parts;
	bool by_library; /* which opens the path itself; otherwise the bytes, which may be packed,
			    are in in->file */
	bool isolated;   /* a library that damaged files break */
} kinds[] = {
	{ "csv", read_sheet, false, false, false },
	{ "tsv", read_sheet, false, false, false },
	{ "txt", read_sheet, false, false, false },
	{ "npy", read_npy, false, false, false },
	{ "mtx", read_mtx, false, false, false },
	{ "graphml", import_graphml, false, false, false },
	{ "npz", import_npz, true, true, false },
	{ "sqlite", import_sqlite, true, true, false },
	{ "sqlite3", import_sqlite, true, true, false },
	{ "db", import_sqlite, true, true, false },
	{ "h5ad", import_h5ad, true, true, true },
	{ "mat", import_mat, true, true, true },
};

static enum err find_kind(const char *path, const char *name, const struct kind_of_file **kind)
{
	static const char *const python[] = { "parquet", "feather", "arrow" };
	const char *end = strrchr(name, '.');
	struct buf known = { 0 };
	enum err err;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		*kind = &kinds[i];
		if (end && !strcasecmp(end + 1, kinds[i].ending))
			return ERR_OK;
	}
	for (size_t i = 0; i < sizeof(python) / sizeof(*python); i++)
		if (end && !strcasecmp(end + 1, python[i]))
			return err_set(
			    ERR_INPUT,
			    "%s: a .%s comes in through Python (coterie.prepare, where pyarrow "
			    "is), or save it as CSV",
			    path, python[i]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		buf_printf(&known, " .%s", kinds[i].ending);
	buf_add(&known, "", 1);
	err = err_set(
	    ERR_INPUT,
	    "%s: the name says nothing that is known of what is in it, expected one that ends in%s",
	    path, (char *)known.p);
	buf_release(&known);
	return err;
}

/* A matrix has no columns with names to say something of. */
static enum err check_said(const struct import_request *r, const char *path, bool labelled)
{
	struct reading rest = r->how;
	bool nothing;

	if (labelled)
		rest.label = NULL;
	if (r->edges) { /* what may be said of these */
		rest.from = rest.to = rest.weight = rest.comment = rest.separator = NULL;
		rest.header = HEADER_AUTO;
	}
	nothing = reading_is_default(&rest);
	return nothing
		   ? ERR_OK
		   : err_set(
			 ERR_INPUT,
			 "%s: options that say how a table is read are given, but this is no table",
			 path);
}

/* What the sheet made is taken over. */
static void take_sheet(struct imported *in)
{
	in->X.dense = in->sheet.X;
	in->sheet.X = (struct mat){ 0 };
	in->names = in->sheet.out;
	in->sheet.out = (struct columns){ 0 };
	in->ids = in->sheet.ids;
	in->sheet.ids = (struct ids){ 0 };
	in->n = in->sheet.rows;
}

static enum err read_file(struct imported *in, const struct import_request *r)
{
	const struct kind_of_file *kind;
	char *name = NULL;
	enum err err;

	name = import_name(r->file);
	err = find_kind(r->file, name, &kind);
	if (!err && kind->by_library && strcmp(name, r->file) != 0)
		err = err_set(ERR_INPUT, "%s: a packed .%s, expected it unpacked", r->file,
			      kind->ending);
	if (!err && !kind->by_library)
		err = import_bytes(r->file, &in->file);
	if (!err && r->part && !kind->has_parts)
		err = err_set(ERR_INPUT, "%s: --part is \"%s\", but a .%s has no parts", r->file,
			      r->part, kind->ending);
	if (!err)
		err = kind->isolated ? import_isolated(kind->read, in, r->file, r)
				     : kind->read(in, r->file, r);
	if (!err && !in->is_table)
		err = check_said(r, r->file, kind->has_parts);
	free(name);
	if (!err && in->is_table)
		take_sheet(in);
	else if (!err)
		in->n = features_rows(&in->X);
	return err;
}

/* ---- edges ---- */

static enum err read_edges(struct imported *in, const struct import_request *r)
{
	struct buf file = { 0 }, text = { 0 };
	char *name = NULL;
	const char *end;
	enum err err;

	TRY(import_bytes(r->edges, &file));
	name = import_name(r->edges);
	end = strrchr(name, '.');
	if (end && !strcmp(end, ".csv"))
		err = edges_from_csv((struct bytes){ file.p, file.n }, r->edges, &r->how, &text);
	else if (end && (!strcmp(end, ".tsv") || !strcmp(end, ".txt")))
		buf_add(&text, file.p, file.n), err = ERR_OK;
	else
		err =
		    err_set(ERR_INPUT, "%s: expected edges in a file .csv, .tsv or .txt", r->edges);
	if (!err && (in->ids.n || in->n))
		err = edges_parse_tsv((struct bytes){ text.p, text.n }, r->edges, in->n,
				      in->ids.n ? &in->ids : NULL, &in->edges, &in->dropped);
	else if (!err)
		err = edges_parse_named((struct bytes){ text.p, text.n }, r->edges, &in->ids,
					&in->edges, &in->dropped);
	buf_release(&file);
	buf_release(&text);
	free(name);
	TRY(err);
	in->has_edges = true;
	in->n = in->edges.rows;
	if (in->dropped.loops || in->dropped.repeated)
		log_warn("%s: dropped %zu self-loops and %zu lines that repeat an edge", r->edges,
			 in->dropped.loops, in->dropped.repeated);
	return ERR_OK;
}

static enum err check_there(const char *path)
{
	if (!path || access(path, R_OK) == 0)
		return ERR_OK;
	return err_set(ERR_INPUT, "%s: %s, expected a file that this user may read", path,
		       strerror(errno));
}

enum err import_read(struct imported *in, const struct import_request *r)
{
	TRY(check_there(r->file));
	TRY(check_there(r->edges));
	if (r->file)
		TRY(read_file(in, r));
	if (r->edges && in->has_edges)
		return err_set(ERR_INPUT, "%s: has edges itself, expected no --edges", r->file);
	return r->edges ? read_edges(in, r) : ERR_OK;
}

void import_print_ids(const struct ids *ids, struct buf *out)
{
	char **id;

	ALLOC(id, ids->n);
	for (size_t i = 0; i < ids->n; i++)
		id[ids->row[i]] = ids->id[i];
	for (size_t i = 0; i < ids->n; i++)
		buf_printf(out, "%s\n", id[i]);
	free(id);
}

void import_release(struct imported *in)
{
	sheet_release(&in->sheet);
	buf_release(&in->file);
	features_release(&in->X);
	columns_release(&in->names);
	ids_release(&in->ids);
	csr_release(&in->edges);
	json_free(in->notes);
	*in = (struct imported){ 0 };
}
