/* coterie-lab classify: scores how well embeddings predict the classes of vertices. */
#include "lab/lab.h"
#include "lab/score/multilabel.h"
#include "common/base/alloc.h"
#include "common/data/embeddings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_MAX = 1000, RATIOS_MAX = 32 };

struct arguments {
	const char *embeddings, *labels;
	double ratio[RATIOS_MAX];
	size_t ratios;
	unsigned repeats;
	struct multilabel_params p;
};

static const struct argp_option options[] = {
	{ "embeddings", 'e', "DIR", 0, "embeddings.npy and ids.csv", 0 },
	{ "labels", 'l', "FILE", 0, "the classes: .txt, or .csv with ids", 0 },
	{ "train-ratio", 't', "R[,R...]", 0, "of the vertices, that train; default 0.6", 0 },
	{ "repeats", 'r', "N", 0, "splits for each; default 5", 0 },
	{ "penalty", 'C', "C", 0, "liblinear's C; default 1", 0 },
	ARGS_SEED,
	ARGS_THREADS('T'),
	{ 0 },
};

static error_t classify_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	char *ratio;

	switch (key) {
	case 'e':
		a->embeddings = arg;
		return 0;
	case 'l':
		a->labels = arg;
		return 0;
	case 't':
		a->ratios = 0;
		while ((ratio = strsep(&arg, ","))) {
			if (a->ratios == RATIOS_MAX)
				argp_error(state, "--train-ratio has more than %d", RATIOS_MAX);
			a->ratio[a->ratios++] =
			    args_number(state, "train-ratio", ratio, 0.001, 0.999);
		}
		return 0;
	case 'r':
		a->repeats = (unsigned)args_whole(state, "repeats", arg, 1, REPEATS_MAX);
		return 0;
	case 'C':
		a->p.C = args_number(state, "penalty", arg, 1e-9, 1e9);
		return 0;
	case 's':
		a->p.seed = args_seed(state, arg);
		return 0;
	case 'T':
		a->p.threads = args_threads(state, arg);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->embeddings && a->labels,
			  "--embeddings and --labels are needed");
		return 0;
	default:
		return args_none(key, arg, state);
	}
}

struct mean {
	double sum, squares, n;
};

static void mean_add(struct mean *m, double x)
{
	m->sum += x;
	m->squares += x * x;
	m->n++;
}

static void classify_put_mean(struct json *to, const char *name, const struct mean *m)
{
	struct json *o = json_put_object(to, name);
	double mean = m->sum / m->n;
	double variance = m->n > 1 ? (m->squares - m->n * mean * mean) / (m->n - 1) : 0;

	json_put_number(o, "mean", mean);
	json_put_number(o, "deviation", sqrt(fmax(variance, 0)));
}

static size_t with_classes(const struct label_sets *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->start[i] < s->start[i + 1];
	return n;
}

static void report(const struct arguments *a, const struct embeddings *e,
		   const struct label_sets *s, struct json *result)
{
	struct multilabel_params p = a->p;
	struct multilabel_score score;
	struct logistic *l;
	struct json *scores;
	struct mat X;

	/* Puts the rows into the order of the ids, which is that of the sets of labels. */
	mat_init(&X, e->X.rows, e->X.cols);
	for (size_t i = 0; i < X.rows; i++)
		memcpy(ROW(&X, i), ROW(&e->X, e->ids.row[i]), X.cols * sizeof(double));
	l = logistic_open(&X);
	json_put_number(result, "vertices", (double)X.rows);
	json_put_number(result, "dims", (double)X.cols);
	json_put_number(result, "with_classes", (double)with_classes(s));
	json_put_number(result, "without_embedding", (double)s->strangers);
	json_put_number(result, "classes", (double)s->classes);
	json_put_number(result, "repeats", a->repeats);
	scores = json_put_array(result, "scores");
	for (size_t i = 0; i < a->ratios; i++) {
		struct mean micro = { 0 }, macro = { 0 };
		struct json *to = json_append_object(scores);

		p.ratio = a->ratio[i];
		for (unsigned r = 0; r < a->repeats; r++) {
			multilabel_split(l, &X, s, &p, r, &score);
			mean_add(&micro, score.micro);
			mean_add(&macro, score.macro);
		}
		json_put_number(to, "train_ratio", p.ratio);
		json_put_number(to, "trained", (double)score.trained);
		json_put_number(to, "tested", (double)score.tested);
		classify_put_mean(to, "micro_f1", &micro);
		classify_put_mean(to, "macro_f1", &macro);
	}
	logistic_close(l);
	mat_release(&X);
}

static enum err classify_run(void *arguments)
{
	struct arguments *a = arguments;
	struct json *result = json_object();
	struct label_sets s = { 0 };
	struct embeddings e;
	enum err err = embeddings_read(a->embeddings, &e);

	a->p.threads = args_cores(a->p.threads);
	if (!err)
		err = label_sets_read(a->labels, &e.ids, &s);
	if (!err && with_classes(&s) < 2)
		err =
		    err_set(ERR_INPUT, "%s: classes of one vertex, expected 2 or more", a->labels);
	if (!err && s.classes < 2)
		err = err_set(ERR_INPUT, "%s: all vertices have the same class", a->labels);
	if (!err) {
		report(a, &e, &s, result);
		args_print(result);
	}
	label_sets_release(&s);
	embeddings_release(&e);
	json_free(result);
	return err;
}

int classify_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = classify_parse,
		.doc = "How well embeddings tell the classes of vertices: one logistic regression "
		       "(L2, liblinear) per class against the rest, on a part of the vertices; "
		       "each of the others gets as many classes as it has, those of largest "
		       "value.\vMicro-F1 is that of all decisions together, macro-F1 the mean over "
		       "classes; mean and standard deviation are over the splits.\n\n"
		       "A .txt has a line for each vertex, its classes as whole numbers between "
		       "blanks. ids.txt beside it has the vertex of each line; without, vertices "
		       "are called 0, 1 and so on. Vertices without embedding or without classes "
		       "do not count.",
	};
	struct arguments a = {
		.ratio = { 0.6 }, .ratios = 1, .repeats = 5, .p = { .C = 1, .seed = 1 }
	};

	return (int)args_run("classify", &argp, argc, argv, &a, classify_run);
}
