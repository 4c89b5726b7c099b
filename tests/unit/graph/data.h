/* data.h -- a planted graph, real data, and slices of columns for parties, for tests of methods. */
#ifndef TESTS_UNIT_GRAPH_DATA_H
#define TESTS_UNIT_GRAPH_DATA_H

#include "tests/unit/linalg/sample.h"
#include "protocols/kcagc/embed.h"

#include <stdio.h>

enum { PLANTED_NODES = 300, PLANTED_WORDS = 60, PLANTED_CLASSES = 4 };

/* Makes a planted sample: nodes of one class share words and edges. Some words and edges are
 * noise. */
static inline void planted(struct features *X, struct graph *g, uint32_t *truth)
{
	struct triple *words, *edges;
	size_t w = 0, e = 0;
	struct csr a;
	struct rng rng;

	rng_seed(&rng, 12, 0);
	ALLOC(words, PLANTED_NODES * PLANTED_WORDS);
	ALLOC(edges, 2 * PLANTED_NODES * PLANTED_NODES);
	for (uint32_t i = 0; i < PLANTED_NODES; i++)
		truth[i] = (uint32_t)rng_below(&rng, PLANTED_CLASSES);
	for (uint32_t i = 0; i < PLANTED_NODES; i++) {
		for (uint32_t j = 0; j < PLANTED_WORDS; j++)
			if (rng_unit(&rng) < (j % PLANTED_CLASSES == truth[i] ? 0.2 : 0.08))
				words[w++] = (struct triple){ i, j, 1 };
		for (uint32_t j = 0; j < i; j++)
			if (rng_unit(&rng) < (truth[i] == truth[j] ? 0.1 : 0.01)) {
				edges[e++] = (struct triple){ i, j, 1 };
				edges[e++] = (struct triple){ j, i, 1 };
			}
	}
	*X = (struct features){ .is_sparse = true };
	csr_from_triples(&X->sparse, PLANTED_NODES, PLANTED_WORDS, words, w);
	csr_from_triples(&a, PLANTED_NODES, PLANTED_NODES, edges, e);
	graph_init(g, &a);
	free(edges);
	free(words);
}

/* -- real data ------------------------------------------------------------------------------- */

static inline FILE *data_file(const char *set, const char *name)
{
	const char *root = getenv("COTERIE_DATA");
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/%s", root ? root : "../shared/data", set, name);
	return fopen(path, "r");
}

static inline struct features read_words(FILE *f)
{
	struct features X = { .is_sparse = true };
	size_t rows, cols, count;
	struct triple *t;

	assert_int_equal(fscanf(f, "%*[^\n] %zu %zu %zu", &rows, &cols, &count), 3);
	ALLOC(t, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(fscanf(f, "%u %u %lf", &t[i].row, &t[i].col, &t[i].value), 3);
		t[i].row--;
		t[i].col--;
	}
	csr_from_triples(&X.sparse, rows, cols, t, count);
	free(t);
	fclose(f);
	return X;
}

static inline void read_graph(FILE *f, size_t n, struct graph *g)
{
	size_t count = 0;
	struct triple *t = NULL;
	struct csr a;
	uint32_t i, j;

	while (fscanf(f, "%u %u", &i, &j) == 2) {
		t = alloc_again(t, count + 2, sizeof(*t));
		t[count++] = (struct triple){ i, j, 1 };
		t[count++] = (struct triple){ j, i, 1 };
	}
	csr_from_triples(&a, n, n, t, count);
	graph_init(g, &a);
	free(t);
	fclose(f);
}

/* Reads one of the citation graphs; returns false if its files are missing. All nodes count, also
 * the 15 unlabelled ones of citeseer, as in the published figures. */
static inline bool read_cited(const char *set, struct features *X, struct graph *g,
			      uint32_t **truth)
{
	FILE *words = data_file(set, "features.mtx"), *labels = data_file(set, "labels.txt");
	FILE *edges = data_file(set, "edges.tsv");

	if (!words || !labels || !edges) {
		FILE *some[] = { words, labels, edges };

		for (int i = 0; i < 3; i++)
			if (some[i])
				fclose(some[i]);
		return false;
	}
	*X = read_words(words);
	read_graph(edges, X->sparse.rows, g);
	ALLOC(*truth, X->sparse.rows);
	for (size_t i = 0; i < X->sparse.rows; i++)
		assert_int_equal(fscanf(labels, "%u", &(*truth)[i]), 1);
	fclose(labels);
	return true;
}

/* Gives column j of X to slice j % parties; the slices are dense if `dense`. X is unchanged. */
static inline void deal_columns(const struct csr *X, size_t parties, bool dense,
				struct features *part)
{
	struct triple *t = alloc(X->start[X->rows], sizeof(*t));

	for (size_t l = 0; l < parties; l++) {
		size_t count = 0, cols = (X->cols + parties - 1 - l) / parties;
		struct csr s;

		for (size_t i = 0; i < X->rows; i++)
			for (size_t e = X->start[i]; e < X->start[i + 1]; e++)
				if (X->index[e] % parties == l)
					t[count++] =
					    (struct triple){ (uint32_t)i,
							     X->index[e] / (uint32_t)parties,
							     X->value ? X->value[e] : 1 };
		csr_from_triples(&s, X->rows, cols, t, count);
		part[l] = (struct features){ .is_sparse = !dense };
		if (dense) {
			csr_to_dense(&s, &part[l].dense);
			csr_release(&s);
		} else {
			part[l].sparse = s;
		}
	}
	free(t);
}

#endif
