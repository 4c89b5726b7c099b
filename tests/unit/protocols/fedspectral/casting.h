/* casting.h -- Deals the edges of one graph to parties, each with some of its nodes, and makes a
 * federation. */
#ifndef TESTS_UNIT_FEDSPECTRAL_CASTING_H
#define TESTS_UNIT_FEDSPECTRAL_CASTING_H

#include "common/data/dataset.h"
#include "tests/unit/both/federation.h"

/* Returns the factor of the weight of edge (i, j), i < j, at party l; 0 if the party does not have
 * the edge. */
typedef double holds(size_t l, size_t L, uint32_t i, uint32_t j);

struct casting {
	const struct csr *A;
	size_t L;
	struct dataset party[FED_MAX];
	uint32_t *node[FED_MAX]; /* node[l][i]: the node of A that is row i of party l */
};

/* Makes the dataset of party l. The party knows the ends of its edges, and each L-th node. */
static inline void cast_party(struct casting *c, size_t l, holds *h)
{
	const struct csr *A = c->A;
	bool *known = alloc(A->rows, sizeof(*known));
	uint32_t *own = alloc(A->rows, sizeof(*own));
	struct triple *t = alloc(A->start[A->rows] + 1, sizeof(*t));
	struct dataset *d = &c->party[l];
	struct buf names = { 0 };
	size_t edges = 0;
	struct csr a;

	for (uint32_t i = 0; i < A->rows; i++) {
		known[i] |= i % c->L == l;
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++) {
			uint32_t j = A->index[e];

			if (i < j && h(l, c->L, i, j) > 0)
				known[i] = known[j] = true;
		}
	}
	ALLOC(c->node[l], A->rows);
	*d = (struct dataset){ .has_ids = true };
	for (uint32_t i = 0; i < A->rows; i++)
		if (known[i]) {
			buf_printf(&names, "node%04u\n", i);
			c->node[l][d->n] = i;
			own[i] = (uint32_t)d->n++;
		}
	assert_ok(ids_parse((struct bytes){ names.p, names.n }, "test", &d->ids));
	for (uint32_t i = 0; i < A->rows; i++)
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++) {
			uint32_t j = A->index[e];
			double w = i < j ? h(l, c->L, i, j) : h(l, c->L, j, i);

			w *= A->value[e];
			if (w > 0)
				t[edges++] = (struct triple){ own[i], own[j], w };
		}
	csr_from_triples(&a, d->n, d->n, t, edges);
	graph_init(&d->g, &a);
	buf_release(&names);
	free(t);
	free(own);
	free(known);
}

static inline void casting_init(struct casting *c, const struct csr *A, size_t L, holds *h)
{
	*c = (struct casting){ .A = A, .L = L };
	for (size_t l = 0; l < L; l++)
		cast_party(c, l, h);
}

static inline void casting_release(struct casting *c)
{
	for (size_t l = 0; l < c->L; l++) {
		dataset_release(&c->party[l]);
		free(c->node[l]);
	}
}

struct stage {
	struct casting c;
	struct planted unused;
	struct job job;
	struct federation f;
};

/* Opens a federation whose parties hold the edges of A as `h` says. */
static inline struct stage *stage_open_job(const struct csr *A, size_t L, holds *h,
					   const struct job *job)
{
	const struct plan nothing = { .n = A->rows, .m = FED_MAX, .seed = 1, .noise = 1 };
	struct stage *s = alloc(1, sizeof(*s));

	planted_make(&s->unused, &nothing);
	casting_init(&s->c, A, L, h);
	s->job = *job;
	federation_init(&s->f, &s->unused, L, &s->job);
	for (size_t l = 0; l < L; l++)
		s->f.party[l].dataset = &s->c.party[l];
	return s;
}

static inline void stage_end(struct stage *s)
{
	federation_release(&s->f);
	casting_release(&s->c);
	planted_release(&s->unused);
	free(s);
}

/* Collects the parties' labels of A's nodes in `label`. Fails if two parties label a node
 * differently. */
static inline void gather_labels(const struct stage *s, uint32_t *label)
{
	size_t n = s->c.A->rows;

	if (s->f.server.result != ERR_OK)
		fail_msg("coordinator: %s", s->f.server.why);
	assert_int_equal(s->f.server.n, n);
	for (size_t i = 0; i < n; i++)
		label[i] = UINT32_MAX;
	for (size_t l = 0; l < s->c.L; l++) {
		const struct half *h = &s->f.party[l];

		if (h->result != ERR_OK)
			fail_msg("party %zu: %s", l, h->why);
		assert_int_equal(h->clusters, s->f.server.clusters);
		for (size_t i = 0; i < s->c.party[l].n; i++) {
			uint32_t *of = &label[s->c.node[l][i]];

			assert_true(*of == UINT32_MAX || *of == h->label[i]);
			assert_true(h->label[i] < h->clusters);
			*of = h->label[i];
		}
	}
	for (size_t i = 0; i < n; i++)
		assert_true(label[i] != UINT32_MAX);
}

#endif
