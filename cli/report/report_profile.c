/* Cluster profiles of this party and over all parties: a table each for profile.csv and
 * profile-joint.csv (common/data/profile.h). */
#include "cli/report/report_page.h"
#include "common/base/file.h"
#include "common/data/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 8, LINES_MOST = 640, PROFILE_BYTES_MAX = 64 << 20 };

static const char heading[] = "cluster,rows,column,mean,mean_of_all,share,lift,z";
enum { CLUSTER, ROWS, COLUMN, MEAN, MEAN_OF_ALL, SHARE, LIFT, Z };

struct line {
	double number[FIELDS];
	char name[HTML_TEXT_MAX];
};

static enum err read_line(struct text *t, struct buf *field, const char *path, struct line *l)
{
	bool last = false;

	for (int i = 0; i < FIELDS; i++) {
		char *end;

		TRY(csv_field(t, field, &last));
		if (last != (i == FIELDS - 1))
			return err_set(ERR_INPUT, "%s: expected %d fields, %s", path, FIELDS,
				       heading);
		if (i == COLUMN) {
			snprintf(l->name, sizeof(l->name), "%s", (const char *)field->p);
			continue;
		}
		l->number[i] = strtod((const char *)field->p, &end);
		if (end == (const char *)field->p || *end || !isfinite(l->number[i]))
			return err_set(ERR_INPUT, "%s: \"%.40s\" is no number", path,
				       (const char *)field->p);
	}
	return ERR_OK;
}

static void row(struct buf *b, const struct line *l, bool first, struct json *recorded)
{
	const double *x = l->number;

	for (int i = 0; i < FIELDS; i++)
		if (i != COLUMN)
			json_append_number(recorded, x[i]);
	if (first)
		buf_printf(b, "<tr><th colspan=\"4\">cluster %s, %s rows</th></tr>\n",
			   html_data(x[CLUSTER], show_count).s, html_data(x[ROWS], show_count).s);
	buf_printf(b,
		   "<tr><td style=\"white-space:normal;overflow-wrap:anywhere\">%s<br><small>share "
		   "%s, lift %s</small></td>",
		   html_brief(l->name, 60).s, html_data(x[SHARE], show_number).s,
		   html_data(x[LIFT], show_number).s);
	buf_printf(b, "<td>%s</td><td>%s</td><td>%s</td></tr>\n", html_data(x[MEAN], show_number).s,
		   html_data(x[MEAN_OF_ALL], show_number).s, html_data(x[Z], show_number).s);
}

static enum err report_profile_table(struct bytes file, const char *path, struct buf *b,
				     struct json *recorded)
{
	struct text t = text_open(file, path);
	struct buf field = { 0 };
	double cluster = -1;
	struct line l;
	size_t n = 0;
	enum err e = ERR_OK;

	if (file.n <= strlen(heading) || memcmp(file.p, heading, strlen(heading)) != 0 ||
	    file.p[strlen(heading)] != '\n')
		return err_set(ERR_INPUT, "%s: expected the heading %s", path, heading);
	t.p += strlen(heading) + 1;
	t.line = 2;
	for (; t.p < t.end && n < LINES_MOST && !e; n++) {
		e = read_line(&t, &field, path, &l);
		if (!e)
			row(b, &l, l.number[CLUSTER] != cluster, recorded);
		cluster = l.number[CLUSTER];
	}
	buf_release(&field);
	if (!e && t.p < t.end)
		buf_printf(b, "<tr><td colspan=\"4\">and more, in the file</td></tr>\n");
	return e;
}

static void report_profile_read_one(struct report *r, const struct process *p, const char *name,
				    const char *what, struct buf *rows, const char *member)
{
	char *path = file_join(p->dir, name);
	struct json *recorded = json_array();
	struct buf text = { 0 };
	enum err e;

	if (access(path, F_OK) == 0) {
		e = file_read_text(path, PROFILE_BYTES_MAX, &text);
		if (!e)
			e = report_profile_table((struct bytes){ text.p, text.n }, path, rows,
						 recorded);
		if (e) {
			rows->n = 0;
			notes_add(&r->runs.missing, what, "%s", err_detail());
		} else {
			json_put(r->main->run, member, recorded);
			recorded = NULL;
		}
	}
	json_free(recorded);
	buf_release(&text);
	free(path);
}

void profile_read(struct report *r)
{
	const struct process *p = run_dir_party(&r->runs);

	if (!p)
		return;
	report_profile_read_one(r, p, "profile-joint.csv", "cluster profile over all parties",
				&r->joint, "profile_joint");
	if (r->runs.alone)
		report_profile_read_one(r, p, "profile.csv", "cluster profile", &r->profile,
					"profile");
}

static void section(struct buf *b, const char *id, const char *title, const char *of,
		    const struct buf *rows)
{
	html_section(b, id, title);
	buf_printf(b,
		   "<p class=\"note\">%s z: how many deviations the cluster's mean is above or "
		   "below the median; share: the part of its rows in which the column is not 0; "
		   "lift: that over the share of all rows.</p>\n<div class=\"scroll\"><table "
		   "id=\"%s-table\"><thead><tr><th>column</th><th>mean</th><th>of "
		   "all</th><th>z</th></tr></thead>\n<tbody>\n",
		   of, id);
	buf_add(b, rows->p, rows->n);
	buf_printf(b, "</tbody></table></div>\n</section>\n");
}

void part_profile(struct report *r, struct buf *b)
{
	if (r->profile.n)
		section(b, "profile", "Cluster profile",
			"By this party's own columns and rows alone.", &r->profile);
	if (r->joint.n)
		section(b, "profile-joint", "Cluster profile over all parties",
			"By the rows of all parties, from sums of clusters that have "
			"job.min_cluster rows or more, with noise of what one usual row adds.",
			&r->joint);
}
