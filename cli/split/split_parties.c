#include "cli/split/split_parties.h"
#include "cli/args/args.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

char *split_party_dir(const struct split_params *p, uint32_t l)
{
	char name[32];

	snprintf(name, sizeof(name), "party-%02u", l);
	return file_join(p->out, name);
}

enum err split_each(const struct split_params *p, split_writer *write, const void *source)
{
	enum err err = file_make_new_dir(p->out);

	for (uint32_t l = 0; l < p->parties && !err; l++) {
		char *dir = split_party_dir(p, l);

		err = file_make_dirs(dir);
		if (!err)
			err = write(source, dir, l);
		free(dir);
	}
	return err;
}

enum err split_enough(const struct split_params *p, size_t items)
{
	if (items >= p->parties)
		return ERR_OK;
	return err_set(ERR_INPUT, "%s has %zu %s, expected at least one for each of %zu parties",
		       p->data, items, split_by_names[p->by], p->parties);
}

struct json *split_json(const struct split_params *p, size_t items)
{
	struct json *root = json_object();

	json_put_string(root, "by", split_by_names[p->by]);
	json_put_number(root, "parties", (double)p->parties);
	json_put_number(root, "seed", (double)p->seed);
	json_put_number(root, split_by_names[p->by], (double)items);
	return root;
}

enum err split_json_write(const struct split_params *p, struct json *root)
{
	struct buf text = { 0 };

	json_write_pretty(root, &text);
	json_free(root);
	return args_write(p->out, "split.json", &text);
}

void split_put_holders(struct json *root, const struct split_params *p, size_t copies)
{
	json_put_number(root, "overlap", p->overlap);
	json_put_number(root, "holders", (double)copies);
	json_put_bool(root, "regions", p->regions);
}

/* Returns a permutation of 0 .. n-1, determined by seed and stream. */
static uint32_t *shuffled(size_t n, uint64_t seed, uint64_t stream)
{
	uint32_t *order;
	struct rng rng;

	rng_seed(&rng, seed, stream);
	ALLOC(order, n);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	rng_shuffle(&rng, order, n);
	return order;
}

void split_parts(size_t n, size_t parts, uint64_t seed, uint32_t *part)
{
	uint32_t *order = shuffled(n, seed, 0x73706c6974); /* stream "split" */

	for (size_t l = 0; l < parts; l++) {
		for (size_t i = n * l / parts; i < n * (l + 1) / parts; i++)
			part[order[i]] = (uint32_t)l;
	}
	free(order);
}

void split_blocks(size_t n, size_t parts, uint32_t *part)
{
	for (size_t l = 0; l < parts; l++) {
		for (size_t i = n * l / parts; i < n * (l + 1) / parts; i++)
			part[i] = (uint32_t)l;
	}
}

void split_shared_edges(size_t n, size_t parties, double share, uint64_t seed, size_t l, bool *kept)
{
	uint32_t *order = shuffled(n, seed, 0x6564676573); /* stream "edges" */
	size_t count = split_shared_count(n, share);

	for (size_t i = 0; i < n; i++)
		kept[order[(n * l / parties + i) % n]] = i < count;
	free(order);
}

size_t split_shared_count(size_t n, double share)
{
	return (size_t)llround(share * (double)n);
}

uint32_t *split_kept_rows(size_t n, uint64_t seed, uint32_t l)
{
	return shuffled(n, seed, 0x6b65657000 + l); /* stream "keep" and the party's number */
}

size_t split_kept_count(size_t n, double keep)
{
	size_t count = split_shared_count(n, keep);

	return count ? count : 1;
}

size_t split_places(const uint32_t *part, size_t n, uint32_t l, uint32_t *new_of)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		new_of[i] = part[i] == l ? (uint32_t)count++ : UINT32_MAX;
	return count;
}

void split_cut_sparse(const struct csr *s, size_t rows, const uint32_t *row_of, size_t cols,
		      const uint32_t *col_of, struct csr *out)
{
	size_t at = 0;

	*out = (struct csr){ .rows = rows, .cols = cols };
	ALLOC(out->start, rows + 1);
	ALLOC(out->index, s->start[s->rows]);
	if (s->value)
		ALLOC(out->value, s->start[s->rows]);
	for (size_t i = 0; i < s->rows; i++) {
		if (row_of && row_of[i] == UINT32_MAX)
			continue;
		for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
			uint32_t j = col_of ? col_of[s->index[e]] : s->index[e];

			if (j == UINT32_MAX)
				continue;
			if (s->value)
				out->value[at] = s->value[e];
			out->index[at++] = j;
		}
		out->start[(row_of ? row_of[i] : i) + 1] = at;
	}
}

void split_cut(const struct features *X, size_t rows, const uint32_t *row_of, size_t cols,
	       const uint32_t *col_of, struct features *out)
{
	const struct mat *m = &X->dense;

	*out = (struct features){ .is_sparse = X->is_sparse };
	if (X->is_sparse) {
		split_cut_sparse(&X->sparse, rows, row_of, cols, col_of, &out->sparse);
		return;
	}
	mat_init(&out->dense, rows, cols);
	for (size_t i = 0; i < m->rows; i++) {
		size_t row = row_of ? row_of[i] : i;

		for (size_t j = 0; j < m->cols && row != UINT32_MAX; j++) {
			size_t col = col_of ? col_of[j] : j;

			if (col != UINT32_MAX)
				MAT(&out->dense, row, col) = MAT(m, i, j);
		}
	}
}

void split_keep_edges(const struct csr *adjacency, const bool *kept, struct csr *out)
{
	size_t n = adjacency->rows, edge = 0, at = 0;

	*out = (struct csr){ .rows = n, .cols = n };
	ALLOC(out->start, n + 1);
	ALLOC(out->index, adjacency->start[n]);
	if (adjacency->value)
		ALLOC(out->value, adjacency->start[n]);
	for (size_t u = 0; u < n; u++) {
		for (size_t e = adjacency->start[u]; e < adjacency->start[u + 1]; e++) {
			if (adjacency->index[e] < u || !kept[edge++])
				continue;
			if (out->value)
				out->value[at] = adjacency->value[e];
			out->index[at++] = adjacency->index[e];
		}
		out->start[u + 1] = at;
	}
}
