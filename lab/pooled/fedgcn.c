/* coterie-lab fedgcn: FedGCN with all parties in one process. */
#include "lab/lab.h"
#include "cli/run/graph_scores.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/data/tu.h"
#include "protocols/fedgcn/coordinator.h"
#include "protocols/fedgcn/file.h"
#include "protocols/fedgcn/job.h"
#include "common/job/job.h"

#include <stdlib.h>
#include <string.h>

enum { SETS_MAX = 64, KEY_BASELINES = 256 };

struct arguments {
	const char *job, *out;
	const char *data[SETS_MAX];
	size_t sets;
	struct overrides set;
	unsigned threads;
	bool baselines;
};

struct federation {
	const struct arguments *a;
	struct fedgcn_params p;
	struct tu tu[SETS_MAX];
	struct fedgcn_party party[SETS_MAX];
	double start;
	struct fedgcn_report report;
	struct graph_ways ways[SETS_MAX];
};

static const char *pooled_fedgcn_name_of(const char *dir)
{
	const char *slash = strrchr(dir, '/');

	return slash && slash[1] ? slash + 1 : dir;
}

/* Scores clusterings of a party's graphs: the result, all graphs in one cluster and, if requested,
 * the baselines. */
static enum err pooled_fedgcn_score_party(struct federation *f, size_t l)
{
	struct graph_ways *ways = &f->ways[l];
	uint32_t *truth, *label;
	size_t classes;
	enum err err;

	*ways = (struct graph_ways){ .name = pooled_fedgcn_name_of(f->a->data[l]),
				     .n = f->tu[l].graphs.count };
	if (!f->tu[l].class)
		return ERR_OK;
	ALLOC(truth, ways->n);
	ALLOC(label, ways->n);
	tu_classes(&f->tu[l], truth, &classes);
	err = graph_ways_score(ways, WAY_RESULT, truth, f->party[l].label);
	if (!err)
		err = graph_ways_score(ways, WAY_MAJORITY, truth, label);
	for (unsigned i = 0; i < GRAPH_BASELINES && f->a->baselines && !err; i++) {
		err = graph_baseline(&f->tu[l].graphs, &f->p, (enum graph_baseline)i, label);
		if (!err)
			err = graph_ways_score(ways, WAY_BASELINES + i, truth, label);
	}
	free(label);
	free(truth);
	return err;
}

static enum err pooled_fedgcn_write_party(const struct federation *f, size_t l,
					  const struct json *result)
{
	char *dir = file_join(f->a->out, pooled_fedgcn_name_of(f->a->data[l])),
	     *path = file_join(dir, "model.fedgcn");
	const struct fedgcn_model *m;
	enum err err = fedgcn_party_model(&f->party[l], &m);

	if (!err) {
		err = results_write(dir, NULL, f->party[l].label, NULL, f->tu[l].graphs.count,
				    result);
		if (!err)
			err = fedgcn_file_write(path, m);
	}
	free(path);
	free(dir);
	return err;
}

static void put_report(const struct federation *f, struct json *to)
{
	const struct fedgcn_report *r = &f->report;
	struct json *kl, *rec, *changed, *sizes;

	json_put_number(to, "clusters", f->p.k);
	json_put_number(to, "seed", (double)f->p.seed);
	json_put_number(to, "rounds", r->rounds);
	json_put_seconds(to, "seconds", clock_now_s() - f->start);
	kl = json_put_array(to, "loss_clusters");
	rec = json_put_array(to, "loss_reconstruction");
	changed = json_put_array(to, "changed");
	sizes = json_put_array(to, "sizes");
	for (unsigned t = 0; t < r->rounds; t++) {
		json_append_number(kl, r->kl[t]);
		json_append_number(rec, r->reconstruction[t]);
		json_append_number(changed, r->changed[t]);
	}
	for (size_t c = 0; c < r->C.rows; c++)
		json_append_number(sizes, r->size[c]);
}

/* Sums use the same fixed point as those of the daemons. */
static enum err federate(struct federation *f, struct json *result)
{
	struct memory memory = { .kind = &fedgcn_in_memory,
				 .party = f->party,
				 .count = f->a->sets,
				 .fraction_bits = JOB_WIDE_FRACTION };
	struct parties parties;

	for (size_t l = 0; l < f->a->sets; l++) {
		enum err err;

		TRY(tu_read(f->a->data[l], &f->tu[l]));
		err = fedgcn_party_init(&f->party[l], &f->tu[l].graphs, &f->p);
		if (err)
			return err_prefix(err, "%s", f->a->data[l]);
	}
	f->start = clock_now_s();
	parties_in_memory(&parties, &memory);
	TRY(fedgcn_run(&parties, &f->p, &f->report));
	put_report(f, result);
	for (size_t l = 0; l < f->a->sets; l++)
		TRY(pooled_fedgcn_score_party(f, l));
	graph_ways_put(result, f->ways, f->a->sets);
	for (size_t l = 0; l < f->a->sets && f->a->out; l++)
		TRY(pooled_fedgcn_write_party(f, l, result));
	return ERR_OK;
}

static enum err pooled_fedgcn_local(void *arguments)
{
	const struct arguments *a = arguments;
	struct json *result = json_object();
	struct federation *f;
	struct job job;
	enum err err;

	ALLOC(f, 1);
	f->a = a;
	err = results_check(a->out);
	if (!err)
		err = job_read(&job, a->job, a->set.item);
	if (!err && job.kind != &kind_fedgcn)
		err = err_set(ERR_INPUT, "%s: a job of kind %s; fedgcn is expected", a->job,
			      job.kind->name);
	if (!err)
		err = fedgcn_params_of(fedgcn_job(&job), args_cores(a->threads), &f->p);
	if (!err)
		err = federate(f, result);
	if (!err)
		args_print(result);
	fedgcn_report_release(&f->report);
	for (size_t l = 0; l < SETS_MAX; l++) {
		fedgcn_party_release(&f->party[l]);
		tu_release(&f->tu[l]);
	}
	free(f);
	json_free(result);
	return err;
}

/* -- arguments ------------------------------------------------------------------------------ */

static const struct argp_option options[] = {
	{ "graphs", 'g', "DIR", 0, "a party's graphs in the TU format; once for each party", 0 },
	{ "job", 'j', "FILE", 0, "of kind fedgcn", 0 },
	{ "seed", 's', "S", 0, "the same as --set seed=S", 0 },
	ARGS_SET,
	{ "baselines", KEY_BASELINES, NULL, 0,
	  "score size, log-size, an untrained network and each party alone as well", 0 },
	{ "out", 'o', "DIR", 0,
	  "where labels and model of each party go, by the sets' names: new, or empty", 0 },
	ARGS_THREADS('t'),
	{ 0 },
};

static error_t pooled_fedgcn_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'g':
		if (a->sets == SETS_MAX)
			argp_error(state, "more than %d sets", SETS_MAX);
		a->data[a->sets++] = arg;
		return 0;
	case 'j':
		a->job = arg;
		return 0;
	case KEY_BASELINES:
		a->baselines = true;
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case 't':
		a->threads = args_threads(state, arg);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->job && a->sets, "--job and at least one --graphs are needed");
		return 0;
	default:
		return lab_override(key, arg, &a->set) ? 0 : args_none(key, arg, state);
	}
}

int fedgcn_local_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = pooled_fedgcn_parse,
		.doc = "FedGCN with all parties in this process, each with the set of one "
		       "--graphs. Its sums are in the same fixed point as those of daemons, so its "
		       "models and labels are the same bits.\vScores are each party's, and their "
		       "means over parties, plain (mean) and weighted by graphs (weighted)."
	};
	struct arguments a = { 0 };
	enum err err = args_run("fedgcn", &argp, argc, argv, &a, pooled_fedgcn_local);

	overrides_release(&a.set);
	return (int)err;
}
