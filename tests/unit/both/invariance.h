/* invariance.h -- changes of the data that should not change the clusters. Each protocol has a
 * table of its methods and of these changes.
 *
 * A cell is the method's promise for one change: the same clusters (EXACT), clusters that differ
 * no more than those of other seeds do (NEAR), or no promise, with the reason (NONE).
 * docs/reference/invariance.md lists the cells without a promise. The test compares that list
 * with its table:
 *
 *     COTERIE_WRITE_INVARIANCE=1 build/plain/tests/unit/protocols/PROTOCOL/test_invariance
 *
 * rewrites the list. COTERIE_INVARIANCE=1 prints the ARI of each cell, with or without a
 * promise. */
#ifndef TESTS_UNIT_BOTH_INVARIANCE_H
#define TESTS_UNIT_BOTH_INVARIANCE_H

#include "common/base/file.h"
#include "common/cluster/metrics.h"
#include "tests/unit/both/federation.h"

#include <math.h>

enum change {
	BY_TWO,        /* multiplies all numbers by 2^k, -40 <= k <= 40 */
	BY_TEN,        /* multiplies all numbers by 10^k, -12 <= k <= 12 */
	BY_PART,       /* multiplies the numbers of some columns or edges by 1000 */
	SHIFTED,       /* adds 2^30 to all numbers */
	ROWS_MOVED,    /* puts rows, or nodes, in another order */
	COLUMNS_MOVED, /* puts each party's columns in another order */
	EMPTY,         /* adds columns of zeros; if all data are edges, a node without edges */
	CONSTANT,      /* adds a column of one value */
	TWICE,         /* repeats each column, at the same party */
	EXTREME, /* sets the last row to 10^4 times the mean row; multiplies its edges by 10^4 */
	CHANGES
};

enum promise { ABSENT /* the change does not apply */, EXACT, NEAR, NONE };

struct cell {
	enum promise promise;
	const char *why; /* the reason, if the promise is NONE */
};

struct method {
	const char *settings;
	struct cell cell[CHANGES];
};

enum { SHEET_PARTIES = 3 };

/* A data set for any split. A column's number, and an edge's two nodes (sheet_holder()), determine
 * its party or parties; `part` determines the party of a row. */
struct sheet {
	struct planted p;
	struct csr A;   /* the graph p.g with edge weights */
	uint32_t *part; /* the party of each row */
	uint32_t *row;  /* number of the row in the plain data; UINT32_MAX: a new row */
	uint32_t *back; /* like `row`; UINT32_MAX also for a row that is not compared */
};

/* Returns the p.n labels of one run, owned by the caller. Returns NULL if the run failed, with the
 * error in invariance_why. */
typedef uint32_t *invariance_run(const struct sheet *s, const char *settings, uint64_t seed);
static char invariance_why[ERR_DETAIL_MAX];

struct invariance {
	const struct method *method;
	size_t methods;
	invariance_run *run;
	bool edges;   /* data are edges with weights */
	double slack; /* how far the ARI may be below the lowest ARI of other seeds */
	const char *protocol;
	const char *name[CHANGES]; /* name of each change that applies */
};

/* Returns the first of the two parties that have the edge. The next party has the edge too; the
 * third party does not have it. */
static inline size_t sheet_holder(size_t u, size_t v)
{
	return (u < v ? 7 * u + v : 7 * v + u) % SHEET_PARTIES;
}

static inline void sheet_release(struct sheet *s)
{
	planted_release(&s->p);
	csr_release(&s->A);
	free(s->part);
	free(s->row);
	free(s->back);
}

/* Makes the plan's data. g replaces the plan's graph if it is not NULL; g is copied. */
static inline void sheet_make(struct sheet *s, const struct plan *plan, const struct csr *g)
{
	planted_make(&s->p, plan);
	g = g ? g : &s->p.g.adjacency;
	csr_copy(&s->A, g);
	if (!s->A.value)
		ALLOC(s->A.value, g->start[s->p.n]);
	ALLOC(s->part, s->p.n);
	ALLOC(s->row, s->p.n);
	ALLOC(s->back, s->p.n);
	for (uint32_t i = 0; i < s->p.n; i++) {
		s->part[i] = (i * 5 / 3) % SHEET_PARTIES;
		s->back[i] = s->row[i] = i;
		for (size_t e = g->start[i]; e < g->start[i + 1]; e++)
			s->A.value[e] = 0.5 + (double)((i + g->index[e]) % 7) / 4;
	}
}

/* Makes `to` of n rows and m columns of s: its row i is row row[i] of s, its column j is column
 * column[j]. UINT32_MAX makes a row or column of zeros; such a row has no edges. */
static inline void sheet_pick(const struct sheet *s, const uint32_t *row, size_t n,
			      const uint32_t *column, size_t m, struct sheet *to)
{
	size_t edges = s->A.start[s->p.n], count = 0;
	struct triple *t = alloc(edges, sizeof(*t));
	uint32_t *now = alloc(s->p.n, sizeof(*now));
	struct csr plain;

	*to = (struct sheet){ .p = { .n = n, .m = m } };
	mat_init(&to->p.X, n, m);
	ALLOC(to->p.truth, n);
	ALLOC(to->part, n);
	ALLOC(to->row, n);
	ALLOC(to->back, n);
	for (uint32_t i = 0; i < n; i++) {
		to->back[i] = to->row[i] = row[i];
		to->part[i] = row[i] == UINT32_MAX ? 0 : s->part[row[i]];
		if (row[i] == UINT32_MAX)
			continue;
		now[row[i]] = i;
		to->p.truth[i] = s->p.truth[row[i]];
		for (size_t j = 0; j < m; j++)
			if (column[j] != UINT32_MAX)
				MAT(&to->p.X, i, j) = MAT(&s->p.X, row[i], column[j]);
	}
	for (size_t i = 0; i < s->p.n; i++)
		for (size_t e = s->A.start[i]; e < s->A.start[i + 1]; e++)
			t[count++] = (struct triple){ now[i], now[s->A.index[e]], s->A.value[e] };
	csr_from_triples(&to->A, n, n, t, count);
	csr_copy(&plain, &to->A);
	free(plain.value);
	plain.value = NULL;
	graph_init(&to->p.g, &plain);
	free(now);
	free(t);
}

/* ---- changes ---- */

static inline void change_times(struct sheet *s, double by)
{
	for (size_t i = 0; i < s->p.n * s->p.m; i++)
		s->p.X.a[i] *= by;
	for (size_t e = 0; e < s->A.start[s->p.n]; e++)
		s->A.value[e] *= by;
}

/* Multiplies every SHEET_PARTIES-th column: party 0's columns if the split is by columns, otherwise
 * the same columns at all parties. Multiplies party 0's edges, too. */
static inline void change_part(struct sheet *s, double by)
{
	for (size_t i = 0; i < s->p.n; i++) {
		for (size_t j = 0; j < s->p.m; j += SHEET_PARTIES)
			MAT(&s->p.X, i, j) *= by;
		for (size_t e = s->A.start[i]; e < s->A.start[i + 1]; e++)
			if (sheet_holder(s->row[i], s->row[s->A.index[e]]) == 0)
				s->A.value[e] *= by;
	}
}

static inline void change_add(struct sheet *s, double more)
{
	for (size_t i = 0; i < s->p.n * s->p.m; i++)
		s->p.X.a[i] += more;
	for (size_t e = 0; e < s->A.start[s->p.n]; e++)
		s->A.value[e] += more;
}

/* Makes the last row as large as a line of totals that somebody forgot to remove. Its label is not
 * compared. */
static inline void change_extreme(struct sheet *s)
{
	size_t last = s->p.n - 1;

	for (size_t j = 0; j < s->p.m; j++) {
		double sum = 0;

		for (size_t i = 0; i < last; i++)
			sum += MAT(&s->p.X, i, j);
		MAT(&s->p.X, last, j) = 1e4 * sum / (double)last;
	}
	for (size_t i = 0; i < s->p.n; i++)
		for (size_t e = s->A.start[i]; e < s->A.start[i + 1]; e++)
			if (i == last || s->A.index[e] == last)
				s->A.value[e] *= 1e4;
	s->back[last] = UINT32_MAX;
}

static inline void sheet_change(const struct sheet *s, enum change what, int k, bool edges,
				struct sheet *to)
{
	enum { L = SHEET_PARTIES };
	size_t n = s->p.n, m = s->p.m;
	uint32_t *row = alloc(n + 1, sizeof(*row)), *column = alloc(2 * m + L, sizeof(*column));
	struct rng rng;

	rng_seed(&rng, 11, 0);
	for (uint32_t i = 0; i < n; i++)
		row[i] = i;
	for (uint32_t j = 0; j < m; j++)
		column[j] = j;
	if (what == ROWS_MOVED)
		rng_shuffle(&rng, row, n);
	if (what == COLUMNS_MOVED) /* reverses each party's columns */
		for (uint32_t j = 0; j < m; j++)
			column[j] = (uint32_t)(m - L) - j / L * L + j % L;
	if (what == TWICE) /* each copy at the same party */
		for (uint32_t j = 0; j < m; j++)
			column[j / L * 2 * L + j % L] = column[j / L * 2 * L + L + j % L] = j;
	if (what == TWICE)
		m *= 2;
	if (what == EMPTY && edges)
		row[n++] = UINT32_MAX;
	if (what == EMPTY || what == CONSTANT)
		for (size_t l = 0; l < L; l++)
			column[m++] = UINT32_MAX;
	sheet_pick(s, row, n, column, m, to);
	if (what == CONSTANT)
		for (size_t i = 0; i < n; i++)
			for (size_t l = 1; l <= L; l++)
				MAT(&to->p.X, i, m - l) = 3;
	if (what == BY_TWO || what == BY_TEN)
		change_times(to, what == BY_TWO ? ldexp(1, k) : pow(10, k));
	if (what == BY_PART)
		change_part(to, 1000);
	if (what == SHIFTED)
		change_add(to, 0x1p30);
	if (what == EXTREME)
		change_extreme(to);
	free(column);
	free(row);
}

/* ---- promises ---- */

/* Returns the ARI of `label`, the clusters of the changed data s, versus `plain`, those of the
 * plain data, over their common rows. */
static inline double invariance_ari(const struct sheet *s, const uint32_t *label,
				    const uint32_t *plain)
{
	uint32_t *now = alloc(s->p.n, sizeof(*now)), *before = alloc(s->p.n, sizeof(*before));
	struct metrics m;
	size_t n = 0;

	for (size_t i = 0; i < s->p.n; i++)
		if (s->back[i] != UINT32_MAX) {
			now[n] = label[i];
			before[n++] = plain[s->back[i]];
		}
	assert_ok(metrics_of(before, now, n, &m));
	free(now);
	free(before);
	return m.ari;
}

static inline double invariance_least(const struct invariance *t, const struct sheet *s,
				      const char *settings, const uint32_t *plain)
{
	double least = 1;

	for (uint64_t seed = 2; seed <= 3; seed++) {
		uint32_t *label = t->run(s, settings, seed);

		if (!label)
			fail_msg("%s, seed %d: %s", settings, (int)seed, invariance_why);
		least = fmin(least, invariance_ari(s, label, plain));
		free(label);
	}
	if (least < 0.7)
		fail_msg("%s: other seeds agree to an ARI of %g alone", settings, least);
	return least - t->slack;
}

static inline void invariance_cell(const struct invariance *t, const struct sheet *s,
				   const struct method *m, enum change what, int k,
				   const uint32_t *plain, double least)
{
	enum promise promise = m->cell[what].promise;
	struct sheet changed;
	uint32_t *label;
	double ari = 0;

	sheet_change(s, what, k, t->edges, &changed);
	invariance_why[0] = '\0';
	label = t->run(&changed, m->settings, 1);
	if (label)
		ari = invariance_ari(&changed, label, plain);
	if (getenv("COTERIE_INVARIANCE"))
		print_message("%-60s %-40s %3d  %.3f %s\n", m->settings, t->name[what], k, ari,
			      invariance_why);
	if (label ? promise == EXACT && ari < 1 : promise != NONE || !invariance_why[0])
		fail_msg("%s: %s, %d: ARI %g, expected the same clusters; %s", m->settings,
			 t->name[what], k, ari, invariance_why);
	if (promise == NEAR && ari < least)
		fail_msg("%s: %s, %d: ARI %g, expected %g at least", m->settings, t->name[what], k,
			 ari, least);
	free(label);
	sheet_release(&changed);
}

static inline void invariance_holds(const struct invariance *t, const struct sheet *s)
{
	static const int two[] = { -40, 40, -13, 13 }, ten[] = { -12, 12, -8, -4, 4, 8 };

	for (const struct method *m = t->method; m < t->method + t->methods; m++) {
		uint32_t *plain = t->run(s, m->settings, 1);
		double least;

		if (!plain)
			fail_msg("%s: %s", m->settings, invariance_why);
		least = invariance_least(t, s, m->settings, plain);
		for (size_t i = 0; i < (SANITIZED ? 2 : sizeof(two) / sizeof(*two)); i++)
			if (in_sample((size_t)(m - t->method) + i, 2))
				invariance_cell(t, s, m, BY_TWO, two[i], plain, least);
		for (size_t i = 0; i < (SANITIZED ? 2 : sizeof(ten) / sizeof(*ten)); i++)
			if (in_sample((size_t)(m - t->method) + i, 3))
				invariance_cell(t, s, m, BY_TEN, ten[i], plain, least);
		for (enum change what = BY_PART; what < CHANGES; what++)
			if (m->cell[what].promise != ABSENT)
				invariance_cell(t, s, m, what, 0, plain, least);
		free(plain);
	}
}

/* ---- the list ---- */

#define INVARIANCE_PAGE "docs/reference/invariance.md"

/* Lists the methods that do not promise this change for this reason. */
static inline void invariance_names(const struct invariance *t, enum change what, const char *why,
				    struct buf *text)
{
	const char *between = " ";
	size_t count = 0;

	for (size_t i = 0; i < t->methods; i++)
		count += t->method[i].cell[what].why == why;
	if (count == t->methods) {
		buf_printf(text, " all methods");
		return;
	}
	for (size_t i = 0; i < t->methods; i++)
		if (t->method[i].cell[what].why == why) {
			buf_printf(text, "%s`%s`", between, t->method[i].settings);
			between = ", ";
		}
}

/* Writes one row for each change and reason. */
static inline void invariance_list(const struct invariance *t, struct buf *text)
{
	buf_printf(text, "| change | not promised by | because |\n| --- | --- | --- |\n");
	for (enum change what = 0; what < CHANGES; what++)
		for (size_t i = 0; i < t->methods; i++) {
			const char *why = t->method[i].cell[what].why;
			size_t before = 0;

			while (why && before < i && t->method[before].cell[what].why != why)
				before++;
			if (!why || before < i)
				continue;
			buf_printf(text, "| %s |", t->name[what]);
			invariance_names(t, what, why, text);
			buf_printf(text, " | %s |\n", why);
		}
}

static inline void invariance_page(const struct invariance *t)
{
	struct buf page = { 0 }, list = { 0 };
	const char *text, *begin, *end;
	char first[64], last[64];

	if (file_read(INVARIANCE_PAGE, 1 << 20, &page) != ERR_OK)
		skip(); /* the program runs outside the repository's root */
	buf_add(&page, "", 1);
	text = (const char *)page.p;
	snprintf(first, sizeof(first), "<!-- %s -->\n", t->protocol);
	snprintf(last, sizeof(last), "<!-- end of %s -->\n", t->protocol);
	begin = strstr(text, first);
	end = strstr(text, last);
	assert_true(begin && end > begin);
	begin += strlen(first);
	invariance_list(t, &list);
	if (getenv("COTERIE_WRITE_INVARIANCE")) {
		FILE *f = fopen(INVARIANCE_PAGE, "w");

		assert_non_null(f);
		fprintf(f, "%.*s%.*s%s", (int)(begin - text), text, (int)list.n,
			(const char *)list.p, end);
		assert_int_equal(fclose(f), 0);
	} else if ((size_t)(end - begin) != list.n || memcmp(begin, list.p, list.n) != 0) {
		fail_msg("%s does not list what methods of %s do not promise: write it by "
			 "COTERIE_WRITE_INVARIANCE=1",
			 INVARIANCE_PAGE, t->protocol);
	}
	buf_release(&list);
	buf_release(&page);
}

/* Did the run succeed at the coordinator? Otherwise stores its error in invariance_why. */
static inline bool invariance_ran(const struct federation *f)
{
	if (f->server.result == ERR_OK)
		return true;
	snprintf(invariance_why, sizeof(invariance_why), "%s", f->server.why);
	return false;
}

#endif
