/* casting.h -- Deals the vertices of one graph to parties and makes a federation of them. */
#ifndef TESTS_UNIT_FEDWALK_CASTING_H
#define TESTS_UNIT_FEDWALK_CASTING_H

#include "protocols/fedwalk/job.h"
#include "common/data/dataset.h"
#include "tests/unit/both/federation.h"

/* The vertices and ties of each party. tells() returns whether party l has the tie of i and j, i <
 * j. */
struct cast {
	const struct csr *A; /* the whole graph */
	size_t L;
	size_t (*host)(size_t i, size_t L);
	bool (*tells)(size_t l, size_t i, size_t j); /* NULL: all ties of the party's vertices */
	size_t twice;   /* party 1 claims the vertices below this number, too */
	bool strangers; /* the first vertex of each party has a tie to a vertex without a host */
};

/* Makes the dataset of party l, as if read from files. */
static inline void cast_party(const struct cast *c, size_t l, struct dataset *d)
{
	static const char stranger[] = "zz-stranger";
	const struct csr *A = c->A;
	size_t n = A->rows;
	struct buf names = { 0 };
	uint32_t *own = alloc(n, sizeof(*own));
	bool *known = alloc(n, sizeof(*known)), *mine = alloc(n, sizeof(*mine));
	struct triple *t = alloc(A->start[n] + 2, sizeof(*t));
	size_t count = 0;
	struct csr a;

	*d = (struct dataset){ .has_ids = true };
	for (size_t i = 0; i < n; i++)
		mine[i] = c->host(i, c->L) == l || (l == 1 && i < c->twice);
	for (size_t i = 0; i < n; i++) {
		known[i] |= mine[i];
		for (size_t e = A->start[i]; mine[i] && e < A->start[i + 1]; e++)
			known[A->index[e]] = true;
	}
	for (size_t i = 0; i < n; i++)
		if (known[i]) {
			buf_printf(&names, "vertex%04zu\n", i);
			own[i] = (uint32_t)d->n++;
		}
	if (c->strangers) {
		buf_printf(&names, "%s\n", stranger);
		d->n++;
	}
	assert_ok(ids_parse((struct bytes){ names.p, names.n }, "test", &d->ids));
	ALLOC(d->hosted, d->n);
	for (size_t i = 0; i < n; i++) {
		if (known[i])
			d->hosted[own[i]] = mine[i];
		for (size_t e = A->start[i]; e < A->start[i + 1]; e++) {
			size_t j = A->index[e];

			if ((mine[i] || mine[j]) &&
			    (!c->tells || c->tells(l, i < j ? i : j, i < j ? j : i)))
				t[count++] =
				    (struct triple){ own[i], own[j], A->value ? A->value[e] : 1 };
		}
	}
	if (c->strangers)
		for (size_t i = 0; i < n; i++)
			if (mine[i]) {
				uint32_t s = (uint32_t)d->n - 1;

				t[count++] = (struct triple){ own[i], s, 1 };
				t[count++] = (struct triple){ s, own[i], 1 };
				break;
			}
	csr_from_triples(&a, d->n, d->n, t, count);
	graph_init(&d->g, &a);
	buf_release(&names);
	free(t);
	free(mine);
	free(known);
	free(own);
}

struct stage {
	struct cast cast;
	struct dataset party[FED_MAX];
	struct job job;
	struct federation f;
};

static inline struct stage *stage_open_job(struct cast c, const struct job *job)
{
	struct stage *s = alloc(1, sizeof(*s));

	s->cast = c;
	s->job = *job;
	federation_frame(&s->f, 0, c.L, &s->job);
	for (size_t l = 0; l < c.L; l++) {
		cast_party(&s->cast, l, &s->party[l]);
		federation_seat(&s->f, l, s->party[l].n);
		s->f.party[l].dataset = &s->party[l];
	}
	federation_keys(&s->f, c.L, &s->job);
	federation_join(&s->f);
	return s;
}

static inline void stage_end(struct stage *s)
{
	federation_release(&s->f);
	for (size_t l = 0; l < s->cast.L; l++)
		dataset_release(&s->party[l]);
	free(s);
}

static inline void assert_done(const struct stage *s)
{
	if (s->f.server.result != ERR_OK)
		fail_msg("%s", s->f.server.why);
	for (size_t l = 0; l < s->cast.L; l++)
		if (s->f.party[l].result != ERR_OK)
			fail_msg("party %zu: %s", l, s->f.party[l].why);
}

/* Copies each vertex's embedding from its host into x. Vertices without a host keep their values.
 */
static inline void gather(const struct stage *s, float *x)
{
	for (size_t l = 0; l < s->cast.L; l++)
		for (size_t i = 0; i < s->party[l].n; i++) {
			unsigned v;

			if (s->party[l].hosted[i] &&
			    sscanf(s->party[l].ids.id[i], "vertex%u", &v) == 1)
				memcpy(x + (size_t)v * FEDWALK_DIMS,
				       s->f.party[l].embedding + i * FEDWALK_DIMS,
				       FEDWALK_DIMS * sizeof(*x));
		}
}

#endif
