#include "protocols/fedsc/party/keep.h"
#include "common/base/buf.h"
#include "common/base/file.h"
#include "common/data/csv.h"
#include "party/work/kind.h"

#include <stdlib.h>

/* Writes centres.csv, with a line for each cluster. The header has the columns' names or
 * numbers. */
static enum err party_write_centres(const struct work *work, const struct mat *c)
{
	const struct columns *names = work_columns(work);
	struct buf out = { 0 };
	char *path;
	enum err e;

	if (!c->rows)
		return ERR_OK;
	buf_printf(&out, "cluster");
	for (size_t j = 0; j < c->cols; j++) {
		buf_add(&out, ",", 1);
		if (names && j < names->n)
			csv_print_field(names->column[j].name, &out);
		else
			buf_decimal(&out, j);
	}
	for (size_t i = 0; i < c->rows; i++) {
		buf_printf(&out, "\n%zu", i);
		for (size_t j = 0; j < c->cols; j++)
			buf_printf(&out, ",%.17g", MAT(c, i, j));
	}
	buf_add(&out, "\n", 1);
	path = file_join(work->output, "centres.csv");
	e = file_make_dirs(work->output);
	if (e == ERR_OK)
		e = file_write(path, (struct bytes){ out.p, out.n }, 0644);
	free(path);
	buf_release(&out);
	return e;
}

/* Writes profile-joint.csv. Its numbers are the same at all parties; the names of columns are this
 * party's. */
static enum err party_write_joint(const struct work *work, const struct profile *joint)
{
	char *path;
	enum err e;

	if (!joint->line)
		return ERR_OK;
	path = file_join(work->output, "profile-joint.csv");
	e = file_make_dirs(work->output);
	if (e == ERR_OK)
		e = profile_write(path, joint, work_columns(work));
	free(path);
	return e;
}

enum err party_keep_rows(struct work *work, const uint32_t *label)
{
	const struct fedsc_kept *kept = work->protocol;
	char *path;
	enum err e;

	TRY(party_write_centres(work, &kept->centres));
	TRY(party_write_joint(work, &kept->joint));
	TRY(party_keep_labels(work, label));
	if (!kept->model.m)
		return ERR_OK;
	path = file_join(work->output, FEDSC_MODEL_FILE);
	e = fedsc_model_write(path, &kept->model);
	free(path);
	return e;
}

void party_release_rows(struct work *work)
{
	struct fedsc_kept *kept = work->protocol;

	if (!kept)
		return;
	mat_release(&kept->centres);
	profile_release(&kept->joint);
	fedsc_model_release(&kept->model);
	free(kept);
	work->protocol = NULL;
}
