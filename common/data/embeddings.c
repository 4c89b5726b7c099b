#include "common/data/embeddings.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/data/csv.h"
#include "common/data/limits.h"
#include "common/data/npy.h"
#include "common/data/text.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Converts ids.csv to the format of ids.txt, one id per line, which ids_parse reads. */
static enum err unquote(struct bytes file, const char *where, struct buf *lines)
{
	struct text t = text_open(file, where), here = t;
	struct buf field = { 0 };
	bool last = false;
	enum err err = csv_field(&t, &field, &last);

	if (!err && (!last || strcmp((const char *)field.p, "id") != 0))
		err = text_error(&here, "the heading is not \"id\"");
	while (t.p < t.end && !err) {
		here = t;
		err = csv_field(&t, &field, &last);
		if (!err && !last)
			err = text_error(&here, "more than one field where an id is expected");
		if (!err)
			err = id_check(&here, (struct word){ (const char *)field.p, field.n });
		buf_add(lines, field.p, field.n);
		buf_add(lines, "\n", 1);
	}
	buf_release(&field);
	return err;
}

static enum err read_dir(const char *dir, struct embeddings *e)
{
	char *npy = file_join(dir, "embeddings.npy"), *csv = file_join(dir, "ids.csv");
	struct buf file = { 0 }, lines = { 0 };
	enum err err;

	*e = (struct embeddings){ 0 };
	err = npy_read(npy, &e->X);
	if (!err)
		err = file_read_text(csv, DATA_FILE_MAX, &file);
	if (!err)
		err = unquote((struct bytes){ file.p, file.n }, csv, &lines);
	if (!err)
		err = ids_parse((struct bytes){ lines.p, lines.n }, csv, &e->ids);
	buf_release(&file);
	buf_release(&lines);
	if (!err && e->ids.n != e->X.rows)
		err = err_set(ERR_INPUT, "%s has %zu rows and %s %zu ids; they should be as many",
			      npy, e->X.rows, csv, e->ids.n);
	if (err)
		embeddings_release(e);
	free(npy);
	free(csv);
	return err;
}

/* ---- embeddings of several parties ---- */

static bool has_both(const char *dir)
{
	char *npy = file_join(dir, "embeddings.npy"), *csv = file_join(dir, "ids.csv");
	bool both = file_exists(npy) && file_exists(csv);

	free(npy);
	free(csv);
	return both;
}

/* Reads the directories in the order of their names and concatenates their rows. The ids are in the
 * order of the rows. */
static enum err read_below(const char *dir, struct dirent *const *entry, size_t entries,
			   struct embeddings *e)
{
	struct buf lines = { 0 };
	enum err err = ERR_OK;

	for (size_t i = 0; i < entries && !err; i++) {
		char *below = file_join(dir, entry[i]->d_name);
		struct embeddings one = { 0 };
		struct mat *X = &e->X;
		const char **of_row;

		if (entry[i]->d_name[0] != '.' && has_both(below))
			err = read_dir(below, &one);
		if (!err && one.ids.n && X->rows && one.X.cols != X->cols)
			err =
			    err_set(ERR_INPUT, "%s has embeddings of %zu numbers, others have %zu",
				    below, one.X.cols, X->cols);
		if (!err && one.ids.n) {
			size_t before = X->rows * one.X.cols, count = one.X.rows * one.X.cols;

			X->a = alloc_again(X->a, before + count, sizeof(*X->a));
			memcpy(X->a + before, one.X.a, count * sizeof(*X->a));
			X->rows += one.X.rows;
			X->cols = one.X.cols;
			ALLOC(of_row, one.ids.n);
			for (size_t r = 0; r < one.ids.n; r++)
				of_row[one.ids.row[r]] = one.ids.id[r];
			for (size_t r = 0; r < one.ids.n; r++)
				buf_printf(&lines, "%s\n", of_row[r]);
			free(of_row);
		}
		embeddings_release(&one);
		free(below);
	}
	if (!err)
		err = ids_parse((struct bytes){ lines.p, lines.n }, dir, &e->ids);
	buf_release(&lines);
	return err;
}

enum err embeddings_read(const char *dir, struct embeddings *e)
{
	struct dirent **entry = NULL;
	int entries = -1;
	bool below = false;
	enum err err;

	if (!has_both(dir))
		entries = scandir(dir, &entry, NULL, alphasort);
	for (int i = 0; i < entries && !below; i++) {
		char *path = file_join(dir, entry[i]->d_name);

		below = entry[i]->d_name[0] != '.' && has_both(path);
		free(path);
	}
	*e = (struct embeddings){ 0 };
	err = below ? read_below(dir, entry, (size_t)entries, e) : read_dir(dir, e);
	if (err)
		embeddings_release(e);
	for (int i = 0; i < entries; i++)
		free(entry[i]);
	free(entry);
	return err;
}

void embeddings_release(struct embeddings *e)
{
	mat_release(&e->X);
	ids_release(&e->ids);
}

static enum err write_file(const char *dir, const char *name, const struct buf *text)
{
	char *path = file_join(dir, name);
	enum err err = file_write(path, (struct bytes){ text->p, text->n }, FILE_SECRET);

	free(path);
	return err;
}

enum err embeddings_write(const char *dir, char *const *id, const float *X, size_t n, size_t dims)
{
	struct buf text = { 0 };
	struct mat m;
	enum err err = file_make_dirs(dir);

	buf_printf(&text, "id\n");
	for (size_t i = 0; i < n; i++) {
		csv_print_field(id[i], &text);
		buf_add(&text, "\n", 1);
	}
	if (!err)
		err = write_file(dir, "ids.csv", &text);
	buf_release(&text);
	if (err)
		return err;
	mat_init(&m, n, dims);
	for (size_t i = 0; i < n * dims; i++)
		m.a[i] = (double)X[i];
	npy_print(&m, &text);
	mat_release(&m);
	err = write_file(dir, "embeddings.npy", &text);
	buf_release(&text);
	return err;
}
