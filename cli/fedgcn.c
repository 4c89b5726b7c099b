/* coterie fedgcn: new graphs by a party's model; and the whole of FedGCN in one process, what a run
 * of daemons is compared with. */
#include "cli/args.h"
#include "cli/results.h"
#include "cli/score.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/data/fedgcn_file.h"
#include "common/data/tu.h"
#include "common/job/fedgcn.h"
#include "common/job/startup.h"
#include "common/math/fedgcn_pool.h"
#include "common/math/graph_baselines.h"
#include "common/math/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETS_MAX = 64, KEY_BASELINES = 256, SCORES = 4 };

struct arguments {
	const char *job, *model, *out;
	const char *data[SETS_MAX];
	size_t sets;
	struct overrides set;
	unsigned threads;
	bool baselines;
};

/* ---- scores ---- */

/* Sums of a way's scores over parties, plain and weighted by graphs. */
struct mean {
	const char *way;
	double plain[SCORES], weighted[SCORES], graphs;
	size_t parties;
};

static void put_scores(struct json *to, const char *way, const double *score, double divisor)
{
	static const char *const name[SCORES] = { "acc", "nmi", "ari", "f1" };
	struct json *o = json_put_object(to, way);

	for (int i = 0; i < SCORES; i++)
		json_put_number(o, name[i], score[i] / divisor);
}

static enum err score(const uint32_t *truth, const uint32_t *label, size_t n, struct mean *mean,
		      struct json *to)
{
	struct metrics m;
	double s[SCORES];

	TRY(metrics_of(truth, label, n, &m));
	s[0] = m.acc;
	s[1] = m.nmi;
	s[2] = m.ari;
	s[3] = m.f1;
	for (int i = 0; i < SCORES; i++) {
		mean->plain[i] += s[i];
		mean->weighted[i] += (double)n * s[i];
	}
	mean->graphs += (double)n;
	mean->parties++;
	put_scores(to, mean->way, s, 1);
	return ERR_OK;
}

/* ---- assign ---- */

static enum err score_assigned(const struct tu *tu, const uint32_t *label, struct json *result)
{
	uint32_t *truth;
	size_t classes;
	enum err err;

	if (!tu->class)
		return ERR_OK;
	ALLOC(truth, tu->graphs.count);
	tu_classes(tu, truth, &classes);
	err = score_rows(truth, label, tu->graphs.count, result);
	free(truth);
	return err;
}

static enum err assign_set(const struct arguments *a, const struct fedgcn_model *m,
			   const struct tu *tu)
{
	struct json *result = json_object(), *sizes;
	size_t n = tu->graphs.count;
	uint32_t *label;
	size_t *size;
	enum err err;

	ALLOC(label, n);
	ALLOC(size, m->k);
	err = fedgcn_assign(m, &tu->graphs, a->threads, label);
	if (!err) {
		json_put_number(result, "graphs", (double)n);
		json_put_number(result, "clusters", m->k);
		for (size_t i = 0; i < n; i++)
			size[label[i]]++;
		sizes = json_put_array(result, "sizes");
		for (size_t r = 0; r < m->k; r++)
			json_append_number(sizes, (double)size[r]);
		err = score_assigned(tu, label, result);
	}
	if (!err && a->out)
		err = results_write(a->out, NULL, label, n, result);
	if (!err)
		args_print(result);
	free(label);
	free(size);
	json_free(result);
	return err;
}

static enum err assign(void *arguments)
{
	struct arguments *a = arguments;
	struct fedgcn_model m = { 0 };
	struct tu tu = { 0 };
	enum err err = fedgcn_file_read(a->model, &m);

	if (!err)
		err = tu_read(a->data[0], &tu);
	if (!err)
		err = assign_set(a, &m, &tu);
	tu_release(&tu);
	fedgcn_model_release(&m);
	return err;
}

/* ---- all parties in this process ---- */

struct federation {
	const struct arguments *a;
	struct fedgcn_params p;
	size_t parties;
	struct tu tu[SETS_MAX];
	struct fedgcn_party party[SETS_MAX];
	struct fedgcn_report report;
	struct mean result, majority, baseline[GRAPH_BASELINES];
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

static enum err compare(struct federation *f, size_t l, const uint32_t *truth, struct json *ways)
{
	size_t n = f->tu[l].graphs.count;
	uint32_t *label;
	enum err err = score(truth, f->party[l].label, n, &f->result, ways);

	ALLOC(label, n);
	if (!err)
		err = score(truth, label, n, &f->majority, ways);
	for (int i = 0; i < GRAPH_BASELINES && f->a->baselines && !err; i++) {
		err = graph_baseline(&f->tu[l].graphs, &f->p, (enum graph_baseline)i, label);
		if (!err)
			err = score(truth, label, n, &f->baseline[i], ways);
	}
	free(label);
	return err;
}

static enum err score_party(struct federation *f, size_t l, struct json *to)
{
	uint32_t *truth;
	size_t classes;
	enum err err;

	json_put_string(to, "party", name_of(f->a->data[l]));
	json_put_number(to, "graphs", (double)f->tu[l].graphs.count);
	if (!f->tu[l].class)
		return ERR_OK;
	ALLOC(truth, f->tu[l].graphs.count);
	tu_classes(&f->tu[l], truth, &classes);
	err = compare(f, l, truth, json_put_object(to, "ways"));
	free(truth);
	return err;
}

static void put_mean(struct json *plain, struct json *weighted, const struct mean *m)
{
	if (!m->parties)
		return;
	put_scores(plain, m->way, m->plain, (double)m->parties);
	put_scores(weighted, m->way, m->weighted, m->graphs);
}

static enum err score_all(struct federation *f, struct json *result)
{
	struct json *parties = json_put_array(result, "parties"), *plain, *weighted;

	f->result.way = "result";
	f->majority.way = "majority";
	for (int i = 0; i < GRAPH_BASELINES; i++)
		f->baseline[i].way = graph_baseline_names[i];
	for (size_t l = 0; l < f->parties; l++)
		TRY(score_party(f, l, json_append_object(parties)));
	plain = json_put_object(result, "mean");
	weighted = json_put_object(result, "weighted");
	put_mean(plain, weighted, &f->result);
	put_mean(plain, weighted, &f->majority);
	for (int i = 0; i < GRAPH_BASELINES; i++)
		put_mean(plain, weighted, &f->baseline[i]);
	return ERR_OK;
}

/* Labels and the model of each party, in a directory of its name. */
static enum err write_party(const struct federation *f, size_t l, const struct json *result)
{
	char *dir = file_join(f->a->out, name_of(f->a->data[l])),
	     *path = file_join(dir, "model.fedgcn");
	struct fedgcn_model m;
	enum err err = fedgcn_party_model(&f->party[l], &m);

	if (!err) {
		err = results_write(dir, NULL, f->party[l].label, f->tu[l].graphs.count, result);
		if (!err)
			err = fedgcn_file_write(path, &m);
		fedgcn_model_release(&m);
	}
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
	struct fedgcn_memory memory = { f->party, f->parties, fraction_bits };
	double start = clock_now_s();
	struct fedgcn_pool pool;

	fedgcn_in_memory(&pool, &memory);
	TRY(fedgcn_run(&pool, &f->p, &f->report));
	json_put_number(result, "clusters", f->p.k);
	json_put_number(result, "seed", (double)f->p.seed);
	json_put_number(result, "rounds", f->report.rounds);
	json_put_seconds(result, "seconds", clock_now_s() - start);
	put_rounds(&f->report, result);
	TRY(score_all(f, result));
	for (size_t l = 0; l < f->parties && f->a->out; l++)
		TRY(write_party(f, l, result));
	return ERR_OK;
}

static void close_parties(struct federation *f)
{
	fedgcn_report_release(&f->report);
	for (size_t l = 0; l < SETS_MAX; l++) {
		fedgcn_party_release(&f->party[l]);
		tu_release(&f->tu[l]);
	}
}

static enum err local(void *arguments)
{
	struct arguments *a = arguments;
	struct json *result = json_object();
	struct federation *f;
	struct job job;
	enum err err;

	ALLOC(f, 1);
	f->a = a;
	err = job_read(&job, a->job, a->set.item);
	if (!err && job.kind != JOB_FEDGCN)
		err = err_set(ERR_INPUT, "%s: a job of kind %s; fedgcn is expected", a->job,
			      job_kind_name(&job));
	if (!a->threads)
		a->threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	if (!err)
		err = job_fedgcn_params(&job, a->threads, &f->p);
	if (!err)
		err = open_parties(f);
	if (!err)
		err = federate(f, JOB_WIDE_FRACTION, result);
	if (!err)
		args_print(result);
	close_parties(f);
	free(f);
	json_free(result);
	return err;
}

/* ---- arguments ---- */

static const struct argp_option assign_options[] = {
	{ "model", 'm', "FILE", 0, "model.fedgcn of a party's run", 0 },
	{ "graphs", 'g', "DIR", 0, "graphs in the TU format", 0 },
	{ "out", 'o', "DIR", 0, "where labels.csv, labels.npy and result.json go", 0 },
	{ "threads", 't', "T", 0, "default: as many as there are cores", 0 },
	{ 0 },
};

static const struct argp_option local_options[] = {
	{ "graphs", 'g', "DIR", 0, "a party's graphs in the TU format; once for each party", 0 },
	{ "job", 'j', "FILE", 0, "of kind fedgcn", 0 },
	{ "seed", 's', "S", 0, "the same as --set seed=S", 0 },
	{ "set", 'S', "PATH=VALUE", 0, "override a parameter of the job; may be repeated", 0 },
	{ "baselines", KEY_BASELINES, NULL, 0,
	  "score size, log-size, an untrained network and each party alone as well", 0 },
	{ "out", 'o', "DIR", 0, "where labels and model of each party go, by the sets' names", 0 },
	{ "threads", 't', "T", 0, "default: as many as there are cores", 0 },
	{ 0 },
};

static error_t parse_common(struct arguments *a, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'g':
		if (a->sets == SETS_MAX)
			argp_error(state, "more than %d sets", SETS_MAX);
		a->data[a->sets++] = arg;
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case 't':
		a->threads = (unsigned)args_whole(state, "threads", arg, 1, 1024);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument: %s", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_assign(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'm':
		a->model = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->model || a->sets != 1)
			argp_error(state, "--model and one --graphs are needed");
		return 0;
	default:
		return parse_common(a, key, arg, state);
	}
}

static error_t parse_local(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'j':
		a->job = arg;
		return 0;
	case 's':
		overrides_add(&a->set, "seed=%s", arg);
		return 0;
	case 'S':
		overrides_add(&a->set, "%s", arg);
		return 0;
	case KEY_BASELINES:
		a->baselines = true;
		return 0;
	case ARGP_KEY_END:
		if (!a->job || !a->sets)
			argp_error(state, "--job and at least one --graphs are needed");
		return 0;
	default:
		return parse_common(a, key, arg, state);
	}
}

int fedgcn_main(int argc, char **argv)
{
	static const struct argp assigning = { assign_options,
					       parse_assign,
					       NULL,
					       "Puts graphs into the clusters of a run of kind "
					       "fedgcn, by the model that a party keeps "
					       "of it. The graphs need not have been in the run. "
					       "With graph labels in the set it says "
					       "how well they were found.",
					       NULL,
					       NULL,
					       NULL };
	static const struct argp all_here = { local_options,
					      parse_local,
					      NULL,
					      "FedGCN with all parties in this process, each with "
					      "the set of one --graphs. Its sums "
					      "are in the same fixed point as those of daemons, so "
					      "its models and labels are the same "
					      "bits.\v"
					      "Scores are each party's, and their means over "
					      "parties, plain (mean) and weighted by "
					      "graphs (weighted).",
					      NULL,
					      NULL,
					      NULL };
	const char *what = argc > 1 ? argv[1] : "";
	struct arguments a = { 0 };
	enum err err = ERR_INPUT;

	if (!strcmp(what, "assign"))
		err = args_run("fedgcn assign", &assigning, argc - 1, argv + 1, &a, assign);
	else if (!strcmp(what, "local"))
		err = args_run("fedgcn local", &all_here, argc - 1, argv + 1, &a, local);
	else
		fprintf(stderr, "Usage: coterie fedgcn assign|local [OPTION...]\n"
				"coterie fedgcn assign --help says more.\n");
	overrides_release(&a.set);
	return (int)err;
}
