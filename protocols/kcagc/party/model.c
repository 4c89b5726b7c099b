#include "protocols/kcagc/party/model.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/limits.h"
#include "protocols/kcagc/job.h"
#include "protocols/kcagc/words.h"
#include "crypto/hash.h"
#include "party/work/work.h"
#include "proto/codec.h"

#include <dirent.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAGIC_LEN = 8, HEAD_LEN = MAGIC_LEN + 4, ID_TEXT_LEN = 2 * JOB_ID_LEN, LISTED_MAX = 20 };
static const char MAGIC[MAGIC_LEN + 1] = "COTMODEL";

struct model *model_new(const struct work *work)
{
	struct model *m = alloc(1, sizeof(*m));

	memcpy(m->job_id, work->job_id, sizeof(m->job_id));
	m->L = work->L;
	m->own = work->own;
	memcpy(m->name, work->name, sizeof(m->name));
	m->method = kcagc_job(&work->job)->method;
	m->min_cell = kcagc_job(&work->job)->min_cell;
	m->clusters = work->job.clusters;
	m->fraction_bits = work->job.fraction_bits == JOB_AUTO ? 1 : work->job.fraction_bits;
	m->joint_norm = kcagc_job(&work->job)->joint_norm;
	m->nodes = work->n;
	return m;
}

void model_fill(struct model *m, struct embedding *how, struct mat *centre, const uint32_t *label,
		size_t n)
{
	m->kept = true;
	m->how = *how;
	m->centre = *centre;
	*how = (struct embedding){ 0 };
	*centre = (struct mat){ 0 };
	ALLOC(m->size, m->clusters);
	for (size_t i = 0; i < n; i++)
		m->size[label[i]]++;
}

void model_fill_placing(struct model *m, struct placing *place, const uint32_t *label, size_t n)
{
	struct embedding none = { 0 };
	struct mat centre = { 0 };

	model_fill(m, &none, &centre, label, n);
	m->joint_norm = true;
	m->place = *place;
	*place = (struct placing){ 0 };
}

void model_fill_columns(struct model *m, struct standard_by *by, size_t columns, struct mat *centre,
			const uint32_t *label, size_t n)
{
	struct embedding none = { 0 };

	model_fill(m, &none, centre, label, n);
	m->columns = columns;
	m->by = *by;
	*by = (struct standard_by){ 0 };
}

bool model_is_of_columns(const struct model *m)
{
	return m->by.unit;
}

size_t model_columns(const struct model *m)
{
	if (model_is_of_columns(m))
		return m->columns;
	return m->place.map.a ? m->place.map.rows : m->how.map.rows;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	placing_release(&m->place);
	standard_by_release(&m->by);
	embedding_release(&m->how);
	mat_release(&m->centre);
	free(m->size);
	free(m);
}

/* ---- the codec: one walk for both directions ---- */

static void walk_text(struct codec *c, char *text, size_t max)
{
	struct bytes b = { (const uint8_t *)text, c->out ? strlen(text) : 0 };

	codec_bytes(c, &b, 1, max);
	if (c->out)
		return;
	if (b.n)
		memcpy(text, b.p, b.n);
	text[b.n] = 0;
	codec_check(c, strlen(text) == b.n);
}

static void walk_size(struct codec *c, size_t *v, size_t min, size_t max)
{
	uint64_t wide = *v;

	codec_u64(c, &wide);
	codec_check(c, wide >= min && wide <= max);
	*v = (size_t)wide;
}

static void walk_unsigned(struct codec *c, unsigned *v, unsigned min, unsigned max)
{
	uint32_t wide = *v;

	codec_u32(c, &wide);
	codec_check(c, wide >= min && wide <= max);
	*v = wide;
}

static void walk_bool(struct codec *c, bool *v)
{
	unsigned wide = *v;

	walk_unsigned(c, &wide, 0, 1);
	*v = wide == 1;
}

static void walk_double(struct codec *c, double *v, double min, double max)
{
	uint64_t bits;

	memcpy(&bits, v, sizeof(bits));
	codec_u64(c, &bits);
	memcpy(v, &bits, sizeof(bits));
	codec_check(c, *v >= min && *v <= max); /* is false for NaN */
}

static void model_walk_doubles(struct codec *c, double **a, size_t count)
{
	if (!codec_room(c, count, sizeof(uint64_t)))
		return;
	if (!c->out)
		ALLOC(*a, count);
	for (size_t i = 0; i < count && !c->bad; i++)
		walk_double(c, &(*a)[i], -DBL_MAX, DBL_MAX);
}

static void walk_sizes(struct codec *c, struct model *m)
{
	size_t nodes = 0;

	if (!codec_room(c, m->clusters, sizeof(uint64_t)))
		return;
	if (!c->out)
		ALLOC(m->size, m->clusters);
	for (size_t r = 0; r < m->clusters; r++) {
		codec_u64(c, &m->size[r]);
		codec_check(c, m->size[r] <= m->nodes);
		nodes += (size_t)m->size[r];
	}
	codec_check(c, nodes == m->nodes);
}

static void walk_words(struct codec *c, uint8_t **word, size_t count)
{
	if (!codec_room(c, count, 1))
		return;
	if (!c->out)
		ALLOC(*word, count);
	codec_fixed(c, *word, count);
	for (size_t j = 0; j < count && !c->bad; j++)
		codec_check(c, (*word)[j] <= WORD_PRESENT);
}

static void walk_placing(struct codec *c, struct model *m)
{
	struct placing *p = &m->place;
	size_t columns = p->map.rows, k = m->clusters;

	walk_bool(c, &m->joint_norm);
	codec_check(c, m->joint_norm);
	walk_unsigned(c, &p->order, 1, SLICE_ORDER_MAX);
	walk_size(c, &columns, 1, COLS_MAX);
	if (c->bad)
		return;
	p->map.rows = columns;
	p->map.cols = k;
	model_walk_doubles(c, &p->shift, columns);
	model_walk_doubles(c, &p->weight, columns);
	model_walk_doubles(c, &p->map.a, columns * k);
	model_walk_doubles(c, &p->offset, k);
	walk_words(c, &p->word, columns);
	walk_sizes(c, m);
}

static void walk_kept(struct codec *c, struct model *m)
{
	struct embedding *e = &m->how;
	size_t columns = e->map.rows, dims = e->map.cols, k = m->clusters;
	unsigned filter = e->filter;
	unsigned scaled = !e->unit_rows ? 0 : e->share > 0 && e->share < 1 ? 2 : 1;
	bool idf = e->idf;

	walk_bool(c, &m->joint_norm);
	walk_unsigned(c, &filter, FILTER_HALF, FILTER_SPECTRAL);
	e->filter = (enum filter_kind)filter;
	walk_unsigned(c, &e->order, 0, KCAGC_ORDER_MAX);
	/* Only models of thin slices have a share, so that other models are as in release 0.2.0. */
	walk_unsigned(c, &scaled, 0, 2);
	e->unit_rows = scaled > 0;
	walk_double(c, &e->row_power, 0, 1e3);
	walk_double(c, &e->mean_norm, 0, DBL_MAX);
	if (scaled == 2) {
		walk_double(c, &e->share, DBL_MIN, 1);
		codec_check(c, e->share < 1);
	}
	walk_double(c, &e->word, -DBL_MAX, WORD_OF_ROWS);
	walk_size(c, &columns, 1, COLS_MAX);
	walk_size(c, &dims, 1, JOB_CLUSTERS_MAX);
	walk_bool(c, &idf);
	codec_check(c, idf == (e->word != 0));
	if (c->bad)
		return;
	e->map.rows = columns;
	e->map.cols = m->centre.cols = dims;
	m->centre.rows = k;
	if (idf)
		model_walk_doubles(c, &e->idf, columns);
	model_walk_doubles(c, &e->map.a, columns * dims);
	model_walk_doubles(c, &m->centre.a, k * dims);
	walk_sizes(c, m);
}

/* A column without a unit has no coordinate in the centres. */
static void walk_columns(struct codec *c, struct model *m)
{
	size_t columns = m->columns, dims = m->centre.cols, k = m->clusters, units = 0;

	walk_size(c, &columns, 1, COLS_MAX);
	walk_size(c, &dims, 1, COLS_MAX);
	codec_check(c, dims <= columns);
	if (c->bad)
		return;
	m->columns = columns;
	m->centre.rows = k;
	m->centre.cols = dims;
	model_walk_doubles(c, &m->by.shift, columns);
	model_walk_doubles(c, &m->by.unit, columns);
	for (size_t j = 0; j < columns && !c->bad; j++) {
		codec_check(c, m->by.unit[j] >= 0);
		units += m->by.unit[j] != 0;
	}
	codec_check(c, units == dims);
	model_walk_doubles(c, &m->centre.a, k * dims);
	walk_sizes(c, m);
}

/* Contents after the facts about the run: none, data of the method, or columns. */
enum { KEPT_NONE, KEPT_BY_METHOD, KEPT_COLUMNS };

static void walk_what(struct codec *c, struct model *m)
{
	unsigned what = !m->kept                 ? KEPT_NONE
			: model_is_of_columns(m) ? KEPT_COLUMNS
						 : KEPT_BY_METHOD;

	walk_unsigned(c, &what, KEPT_NONE, KEPT_COLUMNS);
	m->kept = what != KEPT_NONE;
	if (c->bad || !m->kept)
		return;
	if (what == KEPT_COLUMNS)
		walk_columns(c, m);
	else if (m->method == METHOD_LANDMARK)
		walk_placing(c, m);
	else
		walk_kept(c, m);
}

static void model_walk(struct codec *c, struct model *m)
{
	size_t nodes = (size_t)m->nodes;
	char method[MSG_NAME_MAX + 1] = "";
	unsigned i = 0;

	codec_fixed(c, m->job_id, sizeof(m->job_id));
	walk_size(c, &m->L, 1, PARTIES_MAX);
	for (size_t l = 0; l < m->L && !c->bad; l++) {
		walk_text(c, m->name[l], MSG_NAME_MAX);
		codec_check(c, !config_check_name(m->name[l]) &&
				   (l == 0 || strcmp(m->name[l - 1], m->name[l]) < 0));
	}
	walk_size(c, &m->own, 0, PARTIES_MAX - 1);
	codec_check(c, m->own < m->L);
	/* Stores the name of the method, so that the file does not depend on the order of the
	 * enum. */
	if (c->out)
		snprintf(method, sizeof(method), "%s", kcagc_method_names[m->method]);
	walk_text(c, method, MSG_NAME_MAX);
	while (kcagc_method_names[i] && strcmp(kcagc_method_names[i], method) != 0)
		i++;
	codec_check(c, kcagc_method_names[i]);
	m->method = (enum kcagc_method)i;
	walk_unsigned(c, &m->min_cell, 1, UINT32_MAX);
	walk_unsigned(c, &m->clusters, 2, JOB_CLUSTERS_MAX);
	walk_unsigned(c, &m->fraction_bits, 1, 64);
	walk_size(c, &nodes, 1, ROWS_MAX);
	m->nodes = nodes;
	walk_what(c, m);
}

void model_print(const struct model *m, struct buf *out)
{
	struct codec c = { .out = out };
	struct model shallow = *m; /* encoding only reads the model */
	uint32_t version = MODEL_VERSION;
	uint8_t sum[SHA256_LEN];

	buf_add(out, MAGIC, MAGIC_LEN);
	codec_u32(&c, &version);
	model_walk(&c, &shallow);
	sha256_of(out->p, out->n, sum);
	buf_add(out, sum, sizeof(sum));
}

enum err model_parse(struct bytes file, const char *where, struct model **out)
{
	struct codec c = { 0 };
	uint8_t sum[SHA256_LEN];
	struct model *m;

	if (file.n < HEAD_LEN || memcmp(file.p, MAGIC, MAGIC_LEN) != 0)
		return err_set(ERR_INPUT, "%s: does not begin like a model", where);
	if (get_u32(file.p + MAGIC_LEN) != MODEL_VERSION)
		return err_set(ERR_INPUT,
			       "%s: a model in version %u of its format, this program reads %d; "
			       "run the kcagc job again, or predict with the program that made it",
			       where, get_u32(file.p + MAGIC_LEN), MODEL_VERSION);
	sha256_of(file.p, file.n < SHA256_LEN ? 0 : file.n - SHA256_LEN, sum);
	if (file.n < HEAD_LEN + SHA256_LEN ||
	    memcmp(sum, file.p + file.n - SHA256_LEN, SHA256_LEN) != 0)
		return err_set(ERR_INPUT,
			       "%s: damaged, its checksum is not that of its %zu bytes; bring it "
			       "back from a backup, or run the kcagc job again",
			       where, file.n);
	c.pos = file.p + HEAD_LEN;
	c.end = file.p + file.n - SHA256_LEN;
	m = alloc(1, sizeof(*m));
	model_walk(&c, m);
	if (c.bad || c.pos != c.end) {
		model_free(m);
		return err_set(
		    ERR_INPUT,
		    "%s: its contents are inconsistent, so this program did not write it", where);
	}
	*out = m;
	return ERR_OK;
}

static char *model_path_of(const char *state, const uint8_t *id)
{
	char text[2 * JOB_ID_LEN + 1], name[sizeof(text) + 16];

	hex_write(id, JOB_ID_LEN, text);
	snprintf(name, sizeof(name), "model-%s.bin", text);
	return file_join(state, name);
}

enum err model_keep(const struct model *m, const char *state)
{
	char *path = model_path_of(state, m->job_id);
	struct buf bytes = { 0 };
	enum err e = file_make_dirs(state);

	model_print(m, &bytes);
	file_sweep(state);
	if (e == ERR_OK)
		e = file_write(path, (struct bytes){ bytes.p, bytes.n }, FILE_SECRET);
	if (e == ERR_OK && m->kept)
		log_info("the model is kept: %s", path);
	else if (e == ERR_OK)
		log_info("no centres are kept of this run, so %s cannot predict", path);
	buf_release(&bytes);
	free(path);
	return e;
}

void model_forget(const char *state, const uint8_t id[static JOB_ID_LEN])
{
	char *path = model_path_of(state, id);

	unlink(path);
	free(path);
}

/* Logs the models. Only this party's log contains the ids of other jobs. The error text, which
 * others receive, does not. */
static void log_models(const char *state)
{
	struct buf list = { 0 };
	DIR *d = opendir(state);
	struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d))) {
		char id[ID_TEXT_LEN + 1];
		int end = 0;

		if (sscanf(entry->d_name, "model-%32[0-9a-f].bin%n", id, &end) != 1 || !end ||
		    entry->d_name[end] || strlen(id) != ID_TEXT_LEN)
			continue;
		if (n++ < LISTED_MAX)
			buf_printf(&list, " %s", id);
	}
	if (d)
		closedir(d);
	buf_add(&list, "", 1);
	log_error("models in %s: %zu%s%s%s", state, n, n ? ":" : "", list.p,
		  n > LISTED_MAX ? " and more" : "");
	buf_release(&list);
}

enum err model_find(const char *state, const uint8_t id[static JOB_ID_LEN], struct model **m)
{
	char *path = model_path_of(state, id), *name = strrchr(path, '/');
	struct buf bytes = { 0 };
	enum err e;

	/* The error text must not disclose the directory to other parties. */
	name = name ? name + 1 : path;
	if (!file_exists(path)) {
		log_models(state);
		e = err_set(ERR_INPUT,
			    "there is no model of run %.*s here (this party's log lists its "
			    "models); job.model is the job_id in run.json of a kcagc run",
			    ID_TEXT_LEN, name + strlen("model-"));
	} else {
		e = file_read(path, DATA_FILE_MAX, &bytes);
		if (e == ERR_OK)
			e = model_parse((struct bytes){ bytes.p, bytes.n }, name, m);
		if (e == ERR_OK && memcmp((*m)->job_id, id, JOB_ID_LEN) != 0) {
			model_free(*m);
			*m = NULL;
			e = err_set(ERR_INPUT, "%s: is the model of another run, renamed", name);
		}
	}
	buf_release(&bytes);
	free(path);
	return e;
}
