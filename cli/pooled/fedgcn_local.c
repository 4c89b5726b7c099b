#include "cli/pooled/fedgcn_local.h"
#include "cli/run/graph_ways.h"
#include "cli/args/results.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/fedgcn/file.h"
#include "common/data/tu.h"
#include "common/fedgcn/job.h"
#include "common/job/job.h"
#include "common/fedgcn/coordinator.h"

#include <stdlib.h>
#include <string.h>

struct federation {
	const struct fedgcn_local_params *a;
	struct fedgcn_params p;
	size_t parties;
	struct tu tu[FEDGCN_SETS_MAX];
	struct fedgcn_party party[FEDGCN_SETS_MAX];
	struct fedgcn_report report;
	struct graph_ways ways[FEDGCN_SETS_MAX];
};

static const char *name_of(const char *dir)
{
	const char *slash = strrchr(dir, '/');

	return slash && slash[1] ? slash + 1 : dir;
}

static enum err open_parties(struct federation *f)
{
	for (size_t l = 0; l < f->a->sets; l++) {
		enum err err;

		TRY(tu_read(f->a->data[l], &f->tu[l]));
		f->parties++;
		err = fedgcn_party_init(&f->party[l], &f->tu[l].graphs, &f->p);
		if (err)
			return err_prefix(err, "%s", f->a->data[l]);
	}
	return ERR_OK;
}

static enum err compare(struct federation *f, size_t l, const uint32_t *truth)
{
	struct graph_ways *ways = &f->ways[l];
	uint32_t *label;
	enum err err = graph_ways_score(ways, WAY_RESULT, truth, f->party[l].label);

	ALLOC(label, ways->n);
	if (!err)
		err = graph_ways_score(ways, WAY_MAJORITY, truth, label);
	for (unsigned i = 0; i < GRAPH_BASELINES && f->a->baselines && !err; i++) {
		err = graph_baseline(&f->tu[l].graphs, &f->p, (enum graph_baseline)i, label);
		if (!err)
			err = graph_ways_score(ways, WAY_BASELINES + i, truth, label);
	}
	free(label);
	return err;
}

static enum err score_party(struct federation *f, size_t l)
{
	uint32_t *truth;
	size_t classes;
	enum err err;

	f->ways[l].name = name_of(f->a->data[l]);
	f->ways[l].n = f->tu[l].graphs.count;
	if (!f->tu[l].class)
		return ERR_OK;
	ALLOC(truth, f->ways[l].n);
	tu_classes(&f->tu[l], truth, &classes);
	err = compare(f, l, truth);
	free(truth);
	return err;
}

/* Labels and the model of each party, in a directory of its name. */
static enum err write_party(const struct federation *f, size_t l, const struct json *result)
{
	char *dir = file_join(f->a->out, name_of(f->a->data[l])),
	     *path = file_join(dir, "model.fedgcn");
	const struct fedgcn_model *m;
	enum err err = fedgcn_party_model(&f->party[l], &m);

	if (!err)
		err = results_write(dir, NULL, f->party[l].label, f->tu[l].graphs.count, result);
	if (!err)
		err = fedgcn_file_write(path, m);
	free(path);
	free(dir);
	return err;
}

static void put_rounds(const struct fedgcn_report *r, struct json *to)
{
	struct json *kl = json_put_array(to, "loss_clusters"),
		    *rec = json_put_array(to, "loss_reconstruction"),
		    *changed = json_put_array(to, "changed"), *sizes = json_put_array(to, "sizes");

	for (unsigned t = 0; t < r->rounds; t++) {
		json_append_number(kl, r->kl[t]);
		json_append_number(rec, r->reconstruction[t]);
		json_append_number(changed, r->changed[t]);
	}
	for (size_t c = 0; c < r->C.rows; c++)
		json_append_number(sizes, r->size[c]);
}

static enum err federate(struct federation *f, unsigned fraction_bits, struct json *result)
{
	struct memory memory = { .kind = &fedgcn_in_memory,
				 .party = f->party,
				 .count = f->parties,
				 .fraction_bits = fraction_bits };
	double start = clock_now_s();
	struct parties parties;

	parties_in_memory(&parties, &memory);
	TRY(fedgcn_run(&parties, &f->p, &f->report));
	json_put_number(result, "clusters", f->p.k);
	json_put_number(result, "seed", (double)f->p.seed);
	json_put_number(result, "rounds", f->report.rounds);
	json_put_seconds(result, "seconds", clock_now_s() - start);
	put_rounds(&f->report, result);
	for (size_t l = 0; l < f->parties; l++)
		TRY(score_party(f, l));
	graph_ways_put(result, f->ways, f->parties);
	for (size_t l = 0; l < f->parties && f->a->out; l++)
		TRY(write_party(f, l, result));
	return ERR_OK;
}

static void close_parties(struct federation *f)
{
	fedgcn_report_release(&f->report);
	for (size_t l = 0; l < FEDGCN_SETS_MAX; l++) {
		fedgcn_party_release(&f->party[l]);
		tu_release(&f->tu[l]);
	}
}

enum err fedgcn_local(const struct fedgcn_local_params *p, struct json *result)
{
	struct federation *f;
	struct job job;
	enum err err;

	TRY(job_read(&job, p->job, p->set));
	if (job.kind != &kind_fedgcn)
		return err_set(ERR_INPUT, "%s: a job of kind %s; fedgcn is expected", p->job,
			       job.kind->name);
	ALLOC(f, 1);
	f->a = p;
	err = fedgcn_params_of(&job.fedgcn, p->threads, &f->p);
	if (!err)
		err = open_parties(f);
	if (!err)
		err = federate(f, JOB_WIDE_FRACTION, result);
	close_parties(f);
	free(f);
	return err;
}
