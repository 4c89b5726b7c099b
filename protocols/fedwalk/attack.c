#include "protocols/fedwalk/attack.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"
#include "common/linalg/parallel.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, COUNT_MAX = 1 << 16 }; /* counts above COUNT_MAX count as COUNT_MAX */

/* beside[start[u]] .. beside[start[u+1] - 1] are the vertices with higher numbers that are next to
 * vertex u in walks, once per occurrence. */
struct sides {
	size_t n;
	size_t *start;
	uint32_t *beside;
};

struct plan {
	const struct sides *s;
	uint32_t **count; /* per worker: n counters, all 0 between vertices */
	size_t **pairs;   /* per worker: number of pairs of each count */
	uint32_t least;   /* 0: counts pairs; otherwise collects pairs of at least this count */
	uint32_t **guess;
	size_t *guesses;
};

static void for_all_sides(const struct walks *w, struct sides *s, bool place)
{
	for (size_t i = 0; i < w->count; i++) {
		const uint32_t *t = w->token + i * w->length;

		for (size_t j = 1; j < w->length && t[j] != WALK_END; j++) {
			uint32_t a = t[j] < t[j - 1] ? t[j] : t[j - 1];
			uint32_t b = t[j] < t[j - 1] ? t[j - 1] : t[j];

			if (a == b)
				continue;
			if (place)
				s->beside[s->start[a]++] = b;
			else
				s->start[a + 1]++;
		}
	}
}

static void fedwalk_attack_collect(const struct walks *w, size_t n, struct sides *s)
{
	s->n = n;
	ALLOC(s->start, n + 1);
	for_all_sides(w, s, false);
	for (size_t u = 0; u < n; u++)
		s->start[u + 1] += s->start[u];
	ALLOC(s->beside, s->start[n]);
	for_all_sides(w, s, true);
	memmove(s->start + 1, s->start, n * sizeof(*s->start));
	s->start[0] = 0;
}

/* Counts the neighbours in walks of a block's vertices. If p->least is not 0, pairs with a count of
 * at least p->least become guesses. */
static void fedwalk_attack_count_block(void *ctx, unsigned worker, size_t block)
{
	struct plan *p = ctx;
	size_t end = (block + 1) * ROWS < p->s->n ? (block + 1) * ROWS : p->s->n;
	uint32_t *count = p->count[worker];

	for (size_t u = block * ROWS; u < end; u++) {
		const uint32_t *v = p->s->beside + p->s->start[u];
		size_t n = p->s->start[u + 1] - p->s->start[u], room = 0;

		for (size_t i = 0; i < n; i++)
			room += ++count[v[i]] == p->least;
		if (p->least)
			ALLOC(p->guess[u], room);
		for (size_t i = 0; i < n; i++) {
			uint32_t c = count[v[i]];

			if (p->least && c >= p->least)
				p->guess[u][p->guesses[u]++] = v[i];
			else if (!p->least && c)
				p->pairs[worker][c < COUNT_MAX ? c : COUNT_MAX]++;
			count[v[i]] = 0;
		}
		if (p->least)
			sort_u32(p->guess[u], p->guesses[u]);
	}
}

/* Returns the threshold for guesses: the count at which the number of guesses is nearest to
 * `most`. */
static uint32_t threshold(size_t *const *pairs, unsigned workers, size_t most)
{
	size_t above = 0;

	for (uint32_t c = COUNT_MAX; c > 0; c--) {
		size_t here = 0;

		for (unsigned w = 0; w < workers; w++)
			here += pairs[w][c];
		if (above + here > most)
			return above + here - most < most - above ? c : c + 1;
		above += here;
	}
	return 1;
}

void fedwalk_attack(const struct walks *w, size_t n, size_t most, unsigned threads,
		    struct fedwalk_guess *g)
{
	size_t blocks = (n + ROWS - 1) / ROWS;
	unsigned workers = parallel_workers(threads, blocks);
	struct sides s;
	struct plan p = { .s = &s };

	fedwalk_attack_collect(w, n, &s);
	ALLOC(p.count, workers);
	ALLOC(p.pairs, workers);
	ALLOC(p.guess, n);
	ALLOC(p.guesses, n);
	for (unsigned i = 0; i < workers; i++) {
		ALLOC(p.count[i], n);
		ALLOC(p.pairs[i], COUNT_MAX + 1);
	}
	parallel(threads, blocks, fedwalk_attack_count_block, &p);
	p.least = threshold(p.pairs, workers, most);
	parallel(threads, blocks, fedwalk_attack_count_block, &p);
	*g = (struct fedwalk_guess){ 0 };
	for (size_t u = 0; u < n; u++)
		g->count += p.guesses[u];
	ALLOC(g->u, g->count);
	ALLOC(g->v, g->count);
	for (size_t u = 0, at = 0; u < n; u++) {
		for (size_t i = 0; i < p.guesses[u]; i++, at++) {
			g->u[at] = (uint32_t)u;
			g->v[at] = p.guess[u][i];
		}
		free(p.guess[u]);
	}
	for (unsigned i = 0; i < workers; i++) {
		free(p.count[i]);
		free(p.pairs[i]);
	}
	free(p.count);
	free(p.pairs);
	free(p.guess);
	free(p.guesses);
	free(s.start);
	free(s.beside);
}

void fedwalk_guess_release(struct fedwalk_guess *g)
{
	free(g->u);
	free(g->v);
	*g = (struct fedwalk_guess){ 0 };
}

size_t fedwalk_attack_size(const float *c, size_t n, unsigned k)
{
	double sum = 0;

	for (size_t v = 0; v < n; v++) {
		double degree = 0;

		for (unsigned j = 0; j < k; j++)
			degree += (double)c[v * k + j];
		sum += fmax(degree, 0);
	}
	return (size_t)(sum / 2 + 0.5);
}

void fedwalk_attack_judge(const struct fedwalk_guess *g, uint32_t u, const uint32_t *neighbour,
			  size_t degree, struct fedwalk_attack_score *s)
{
	size_t low = 0, high = g->count, at = 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (g->u[mid] < u)
			low = mid + 1;
		else
			high = mid;
	}
	while (at < degree && neighbour[at] <= u)
		at++;
	s->ties += (double)(degree - at);
	for (; low < g->count && g->u[low] == u; low++) {
		s->guessed++;
		while (at < degree && neighbour[at] < g->v[low])
			at++;
		s->right += at < degree && neighbour[at] == g->v[low];
	}
}

double fedwalk_share(double part, double of)
{
	return of > 0 ? part / of : 0;
}
