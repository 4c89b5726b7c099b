/* Shows what federation gains: runs the same job on each party's data alone, and on all data
 * together. */
#include "cli/args/table.h"
#include "cli/launch/launch.h"
#include "cli/run/report_read.h"
#include "cli/run/score.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/kind/own.h"

#include <math.h>
#include <stdlib.h>

/* launch_gained() runs its jobs only if their estimated duration is at most this many seconds. The
 * estimate is based on the duration of the run itself. */
enum { GAINED_S = 20 };

struct gained {
	const struct launch *l;
	char *out, *labels; /* output directory of the current job, and its labels.csv */
	struct table *table;
	char why[ERR_DETAIL_MAX]; /* error of a job that failed; otherwise "" */
	/* Number of clusters of the run, which may have chosen it; 0: none. */
	unsigned clusters;
	bool known; /* at least one job has succeeded */
	bool stopped;
};

/* Runs the job on `data` with one party. */
static enum err gained_run(const struct gained *g, const char *data)
{
	const struct launch *l = g->l;
	struct launch alone = { .data = data,
				.job_path = l->job_path,
				.out_given = g->out,
				.split = { .seed = l->split.seed },
				.parties = 1,
				.allow_single = true,
				.quiet = true };

	for (size_t i = 0; i < l->set.count; i++)
		overrides_add(&alone.set, "%s", l->set.item[i]);
	overrides_add(&alone.set, "allow_single=true");
	if (g->clusters)
		overrides_add(&alone.set, "clusters=%u", g->clusters);
	if (l->job.align != ALIGN_SAME) { /* with one party, all rows are common */
		overrides_add(&alone.set, "align=same");
		overrides_add(&alone.set, "align_bound=0");
		overrides_add(&alone.set, "min_common=%d", KIND_MIN_COMMON);
	}
	for (size_t i = 0; i < l->allowed.count; i++)
		overrides_add(&alone.allowed, "%s", l->allowed.item[i]);
	file_remove_tree(g->out);
	return launch_together(&alone);
}

/* Adds a cell with the accuracy of labels. */
static enum err gained_cell(struct gained *g, const char *truth, struct label_files files)
{
	struct json *score = json_object();
	enum err e;

	files.common = g->l->job.align != ALIGN_SAME;
	e = score_files(truth, files, NULL, false, score);
	if (e == ERR_OK)
		table_cell(g->table, "%.4f", run_number(score, "acc"));
	json_free(score);
	return e;
}

/* Adds a row: accuracies of the job on `data` alone, and of the run (`together`). Without known
 * classes, adds one number instead: how far the two clusterings agree. */
static void gained_row(struct gained *g, const char *name, const char *data, const char *truth,
		       struct label_files together)
{
	enum err e = gained_run(g, data);

	g->stopped = e == ERR_CANCELLED;
	table_cell(g->table, "%s", name);
	if (e == ERR_OK && truth) {
		e = gained_cell(g, truth, (struct label_files){ .path = &g->labels, .n = 1 });
		if (e == ERR_OK)
			e = gained_cell(g, truth, together);
	} else if (e == ERR_OK) {
		e = gained_cell(g, g->labels, together);
	}
	g->known |= e == ERR_OK;
	if (e == ERR_OK)
		return;
	snprintf(g->why, sizeof(g->why), "%s: %s", name, err_detail());
	table_cell(g->table, "-");
	if (g->l->truth)
		table_cell(g->table, "-");
}

static void gained_party(struct gained *g, unsigned number)
{
	const struct launch *l = g->l;
	char name[LAUNCH_NAME], *data, *truth, *labels, *dir, *slices = file_join(l->work, "data");

	launch_party_name(number, name);
	data = file_join(slices, name);
	dir = file_join(l->out, name);
	labels = file_join(dir, "labels.csv");
	truth = file_join(data, "labels.txt");
	gained_row(g, name, data, l->truth && file_exists(truth) ? truth : l->truth,
		   (struct label_files){ .path = &labels, .n = 1 });
	free(truth);
	free(labels);
	free(dir);
	free(data);
	free(slices);
}

static void gained_print(struct gained *g, const struct run_dir *runs)
{
	static const char *const heads[] = { "data of", ">alone", ">together" };
	struct run_labels all;

	g->table = table_new(heads, g->l->truth ? 3 : 2);
	for (unsigned i = 0; i < g->l->parties && !g->stopped; i++)
		gained_party(g, i);
	if (!g->stopped && run_dir_labels(runs, &all) == ERR_OK) {
		gained_row(g, "pooled", g->l->data, g->l->truth,
			   (struct label_files){ .path = all.path, .n = all.n });
		run_labels_release(&all);
	}
	printf("\n");
	if (g->known) {
		table_line(2,
			   "what federation gains, %s the same job on one party's data, and on "
			   "pooled data:",
			   g->l->truth ? "ACC of" : "rows grouped as by all parties, of");
		table_print(g->table, stdout, table_room());
	}
	if (*g->why)
		table_line(2, "%s%s",
			   g->known ? "" : "what federation gains is not known: ", g->why);
	table_free(g->table);
}

void launch_gained(const struct launch *l)
{
	struct gained g = { .l = l };
	double seconds;
	struct run_dir runs;

	if (l->quiet || l->id_files || l->kind->embeds || l->kind->places || l->parties < 2 ||
	    l->kind->split == SPLIT_GRAPHS || run_dir_read(l->out, &runs) != ERR_OK)
		return;
	seconds = run_number(runs.process[0].run, "elapsed_s") * (l->parties + 1);
	g.clusters = (unsigned)run_number(run_object(runs.process[0].run, "result"), "clusters");
	g.out = file_join(l->work, "alone");
	g.labels = file_join(g.out, "party-00/labels.csv");
	/* names the jobs of this file in log lines and in the progress line, and hides lines of
	 * LOG_INFO */
	log_init("what federation gains", LOG_WARN);
	if (seconds <= GAINED_S)
		gained_print(&g, &runs);
	else
		launch_print(l,
			     "what federation gains is not shown: it would take about %.0f s; "
			     "--parties 1 --allow-single runs the job on one party's data",
			     seconds);
	free(g.labels);
	free(g.out);
	run_dir_release(&runs);
}
