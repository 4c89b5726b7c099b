#include "cli/run/graph_ways.h"
#include "common/cluster/metrics.h"

const char *const graph_score_names[GRAPH_SCORES] = { "acc", "nmi", "ari", "f1" };

const char *graph_way_name(unsigned way)
{
	static const char *const first[WAY_BASELINES] = { "result", "majority" };

	return way < WAY_BASELINES ? first[way] : graph_baseline_names[way - WAY_BASELINES];
}

enum err graph_ways_score(struct graph_ways *s, unsigned way, const uint32_t *truth,
			  const uint32_t *label)
{
	struct metrics m;

	TRY(metrics_of(truth, label, s->n, &m));
	s->has[way] = true;
	s->score[way][0] = m.acc;
	s->score[way][1] = m.nmi;
	s->score[way][2] = m.ari;
	s->score[way][3] = m.f1;
	return ERR_OK;
}

static bool has_any(const struct graph_ways *s)
{
	for (unsigned w = 0; w < GRAPH_WAYS; w++)
		if (s->has[w])
			return true;
	return false;
}

static void put_scores(struct json *to, unsigned way, const double score[GRAPH_SCORES])
{
	struct json *o = json_put_object(to, graph_way_name(way));

	for (unsigned i = 0; i < GRAPH_SCORES; i++)
		json_put_number(o, graph_score_names[i], score[i]);
}

static void put_mean(struct json *to, const struct graph_ways *s, size_t parties, unsigned way,
		     bool weighted)
{
	double sum[GRAPH_SCORES] = { 0 }, all = 0;

	for (size_t l = 0; l < parties; l++) {
		double weight = weighted ? (double)s[l].n : 1;

		if (!has_any(&s[l]))
			continue;
		if (!s[l].has[way])
			return;
		all += weight;
		for (unsigned i = 0; i < GRAPH_SCORES; i++)
			sum[i] += weight * s[l].score[way][i];
	}
	if (!(all > 0))
		return;
	for (unsigned i = 0; i < GRAPH_SCORES; i++)
		sum[i] /= all;
	put_scores(to, way, sum);
}

void graph_ways_put(struct json *to, const struct graph_ways *s, size_t parties)
{
	struct json *list = json_put_array(to, "parties"), *mean, *weighted;

	for (size_t l = 0; l < parties; l++) {
		struct json *o = json_append_object(list), *ways;

		json_put_string(o, "party", s[l].name);
		json_put_number(o, "graphs", (double)s[l].n);
		if (!has_any(&s[l]))
			continue;
		ways = json_put_object(o, "ways");
		for (unsigned w = 0; w < GRAPH_WAYS; w++)
			if (s[l].has[w])
				put_scores(ways, w, s[l].score[w]);
	}
	mean = json_put_object(to, "mean");
	weighted = json_put_object(to, "weighted");
	for (unsigned w = 0; w < GRAPH_WAYS; w++) {
		put_mean(mean, s, parties, w, false);
		put_mean(weighted, s, parties, w, true);
	}
}
