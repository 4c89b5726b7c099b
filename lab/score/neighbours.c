/* coterie-lab neighbours: lists the vertices nearest to one in an embedding. */
#include "lab/lab.h"
#include "common/base/alloc.h"
#include "common/data/embeddings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 100000 };

struct arguments {
	const char *embeddings, *id;
	size_t count;
};

static const struct argp_option options[] = {
	{ "embeddings", 'e', "DIR", 0, "embeddings.npy and ids.csv", 0 },
	{ "id", 'i', "ID", 0, "whose neighbours", 0 },
	{ "count", 'n', "N", 0, "how many; default 10", 0 },
	{ 0 },
};

static error_t neighbours_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'e':
		a->embeddings = arg;
		return 0;
	case 'i':
		a->id = arg;
		return 0;
	case 'n':
		a->count = args_whole(state, "count", arg, 1, COUNT_MAX);
		return 0;
	case ARGP_KEY_END:
		args_need(state, a->embeddings && a->id, "--embeddings and --id are needed");
		return 0;
	default:
		return args_none(key, arg, state);
	}
}

struct near {
	double cosine;
	size_t i;
};

static int by_cosine(const void *a, const void *b)
{
	const struct near *x = a, *y = b;

	if (x->cosine != y->cosine)
		return x->cosine > y->cosine ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

static double neighbours_dot(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Lists the other vertices, nearest first. A zero row has cosine 0 with all rows. */
static void neighbours_list_nearest(const struct arguments *a, const struct embeddings *e,
				    size_t me, struct json *result)
{
	const double *x = ROW(&e->X, e->ids.row[me]);
	double length = sqrt(neighbours_dot(x, x, e->X.cols));
	struct near *near;
	struct json *neighbours;

	ALLOC(near, e->ids.n);
	for (size_t i = 0, at = 0; i < e->ids.n; i++) {
		const double *y = ROW(&e->X, e->ids.row[i]);
		double lengths = length * sqrt(neighbours_dot(y, y, e->X.cols));
		double cosine = lengths > 0 ? neighbours_dot(x, y, e->X.cols) / lengths : 0;

		if (i != me)
			near[at++] = (struct near){ cosine, i };
	}
	qsort(near, e->ids.n - 1, sizeof(*near), by_cosine);
	json_put_string(result, "id", a->id);
	json_put_number(result, "vertices", (double)e->ids.n);
	neighbours = json_put_array(result, "neighbours");
	for (size_t i = 0; i < a->count && i + 1 < e->ids.n; i++) {
		struct json *o = json_append_object(neighbours);

		json_put_string(o, "id", e->ids.id[near[i].i]);
		json_put_number(o, "cosine", near[i].cosine);
	}
	free(near);
}

static enum err neighbours_run(void *arguments)
{
	const struct arguments *a = arguments;
	struct json *result = json_object();
	struct embeddings e;
	enum err err = embeddings_read(a->embeddings, &e);
	size_t me;

	if (!err) {
		me = ids_find(&e.ids, (struct word){ a->id, strlen(a->id) });
		if (me == SIZE_MAX)
			err = err_set(ERR_INPUT, "\"%s\" is none of the %zu ids of %s", a->id,
				      e.ids.n, a->embeddings);
		else
			neighbours_list_nearest(a, &e, me, result);
		embeddings_release(&e);
	}
	if (!err)
		args_print(result);
	json_free(result);
	return err;
}

int neighbours_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = neighbours_parse,
		.doc = "Which vertices embeddings put next to one, by the "
		       "cosine of their vectors, the nearest first.",
	};
	return (int)args_run("neighbours", &argp, argc, argv, &(struct arguments){ .count = 10 },
			     neighbours_run);
}
