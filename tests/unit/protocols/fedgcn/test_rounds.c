/* Compares FedGCN's sums with the same computation without a federation, and tests whole runs. */
#include "tests/unit/protocols/fedgcn/fedgcn.h"
#include "common/cluster/metrics.h"
#include "protocols/fedgcn/own.h"

#include <math.h>
#include <string.h>

/* ---- sums ---- */

/* A federation of one party gives the result of training alone, because the mean over one party is
 * the value of that party. */
TEST(test_one_party)
{
	struct federation one, alone;
	struct fedgcn_params p;

	quick(&p, 2);
	run_federation(&one, &p, 1, 5);
	p.prototypes = FEDGCN_OWN;
	run_federation(&alone, &p, 1, 5);
	for (size_t i = 0; i < 45664; i++)
		assert_float_equal(one.report.W[i], alone.report.W[i], 2e-5);
	for (unsigned t = 0; t < p.rounds; t++) {
		assert_float_equal(one.report.kl[t], alone.report.kl[t], 1e-5);
		assert_float_equal(one.report.changed[t], alone.report.changed[t], 0);
	}
	assert_memory_equal(one.party[0].label, alone.party[0].label,
			    one.g[0].count * sizeof(uint32_t));
	close_federation(&one);
	close_federation(&alone);
}

static double *upload_of(const struct fedgcn_party *party)
{
	double *x = alloc(fedgcn_upload_words(&party->p), sizeof(*x));

	fedgcn_upload(party, x);
	return x;
}

/* Line 13 of the FedGCN paper's Algorithm 1 stacks the prototypes of all epochs. The prototypes of
 * the last epoch equal those that "kde" uploads. The prototypes of epoch e equal the result of a
 * round of e epochs. */
TEST(test_stacked)
{
	enum { K = 2, EPOCHS = 3 };
	struct federation stacked, kde;
	struct fedgcn_params p;
	size_t row = K * FEDGCN_Z;

	quick(&p, K);
	p.rounds = 1;
	p.epochs = EPOCHS;
	p.prototypes = FEDGCN_STACKED;
	run_federation(&stacked, &p, 2, 5);
	p.prototypes = FEDGCN_KDE;
	for (p.epochs = 1; p.epochs <= EPOCHS; p.epochs++) {
		run_federation(&kde, &p, 2, 5);
		for (size_t l = 0; l < 2; l++) {
			double *of_all = upload_of(&stacked.party[l]);
			double *own = upload_of(&kde.party[l]);
			const double *count = of_all + EPOCHS * row + (p.epochs - 1) * K;

			assert_memory_equal(count, own + row, K * sizeof(*own));
			for (size_t i = 0; i < row; i++)
				assert_float_equal(of_all[(p.epochs - 1) * row + i], own[i], 1e-9);
			free(of_all);
			free(own);
		}
		close_federation(&kde);
	}
	close_federation(&stacked);
}

/* The weights make embeddings far larger than FEDGCN_RADIUS. After a round the party scales down
 * the last map and the prototypes of each epoch, unless the job sets bounded=false. The rate is
 * tiny, so prototypes of two epochs are equal. */
TEST(test_bounded)
{
	enum { K = 2, WORDS = 64 };
	struct fedgcn_params p;
	struct gin net;

	quick(&p, K);
	p.rate = 1e-9;
	p.prototypes = FEDGCN_STACKED;
	gin_init(&net, p.features);
	for (int bounded = 0; bounded < 2; bounded++) {
		double *q = alloc(fedgcn_down(&p, FEDGCN_TRAIN), sizeof(*q)), *x;
		size_t at = net.part[GIN_READ_B].at;
		struct federation f;

		p.bounded = bounded;
		open_federation(&f, &p, 1, 5);
		x = alloc(fedgcn_up(&p, FEDGCN_TRAIN), sizeof(*x));
		gin_draw(&net, p.seed, q);
		for (size_t i = 0; i < net.weights; i++)
			q[i] = (float)(4 * q[i]);
		assert_ok(
		    fedgcn_answer(&f.party[0], &(struct fedgcn_question){ FEDGCN_TRAIN, 1, q }, x));
		for (size_t i = 0; i < WORDS; i++) {
			double here = x[at + i] / (double)f.g[0].count;

			if (bounded)
				assert_true(fabs(here) <= fabs(q[at + i]) / 2);
			else
				assert_float_equal(here, q[at + i], 1e-6);
		}
		free(x);
		x = upload_of(&f.party[0]);
		for (size_t i = 0; i < (size_t)K * FEDGCN_Z; i++)
			assert_float_equal(x[i] / x[K * FEDGCN_Z + i], 1, 1e-3);
		free(q);
		free(x);
		close_federation(&f);
	}
}

/* Keeps each party's TRAIN answer and sums all answers in doubles. A second federation with the
 * same data gets the same questions and sums in fixed point of 24 bits. The two sums may differ by
 * rounding only. The test compares sums, not final results, because training amplifies rounding. */
struct keeping {
	struct federation *f, *fixed;
	double *said[PARTIES_MOST];
};

static enum err sum_and_keep(void *ctx, const void *question, enum parties_how how, double most,
			     double *x, size_t n)
{
	const struct fedgcn_question *q = question;
	struct keeping *k = ctx;
	double *rounded = alloc(n, sizeof(*rounded));

	(void)how;
	(void)most;
	memset(x, 0, n * sizeof(*x));
	for (size_t l = 0; l < k->f->memory.count; l++) {
		double *term = alloc(n, sizeof(*term));

		assert_ok(fedgcn_answer(&k->f->party[l], q, term));
		for (size_t i = 0; i < n; i++)
			x[i] += term[i];
		if (q->kind == FEDGCN_TRAIN) {
			free(k->said[l]);
			k->said[l] = term;
		} else {
			free(term);
		}
	}
	assert_ok(parties_sum(&k->fixed->parties, q, rounded, n));
	for (size_t i = 0; i < n; i++)
		assert_true(fabs(rounded[i] - x[i]) <= PARTIES_MOST * ldexp(1, -25));
	free(rounded);
	return ERR_OK;
}

/* With FedAvg the joint weights are the mean of the parties' weights, weighted by the parties'
 * numbers of graphs. Each matched prototype is the mean of the parties' prototypes, weighted by
 * their numbers of graphs in the cluster. */
TEST(test_mean)
{
	enum { W = 45664, K = 2 };
	struct federation f, fixed;
	struct fedgcn_params p;
	struct keeping keep = { &f, &fixed, { NULL } };
	static const struct parties_backend keeps = { .sum = sum_and_keep };
	struct parties parties = { .count = 3, .backend = &keeps, .ctx = &keep };
	double n = 0, apart = 0;

	quick(&p, K);
	p.rounds = 1;
	open_federation(&f, &p, 3, 7);
	open_federation(&fixed, &p, 3, 7);
	assert_ok(fedgcn_run(&parties, &p, &f.report));
	for (size_t l = 0; l < 3; l++)
		n += (double)f.g[l].count;
	for (size_t i = 0; i < W; i++) {
		double sum = 0;

		for (size_t l = 0; l < 3; l++)
			sum += keep.said[l][i];
		assert_float_equal(f.report.W[i], sum / n, 1e-12);
		apart = fmax(apart, fabs(keep.said[0][i] / (double)f.g[0].count -
					 keep.said[1][i] / (double)f.g[1].count));
	}
	assert_true(apart > 1e-3); /* the parties' weights do differ */
	for (size_t r = 0; r < K; r++) {
		double graphs = 0, sum = 0;

		for (size_t l = 0; l < 3; l++) {
			graphs += keep.said[l][W + 4 + r];
			sum += keep.said[l][W + 4 + K + r * FEDGCN_Z];
		}
		assert_float_equal(MAT(&f.report.C, r, 0), sum / graphs, 1e-12);
	}
	for (size_t l = 0; l < 3; l++)
		free(keep.said[l]);
	close_federation(&f);
	close_federation(&fixed);
}

/* ---- runs ---- */

/* Runs each way of sharing with the prototypes MATCHED, KDE and STACKED, and with one of the two
 * final clusterings in turn. Each run succeeds, labels are below k, cluster sizes add up to all
 * graphs, and the model assigns the same labels as the run. */
TEST(test_all_ways)
{
	for (int way = 0; way < 9; way++) {
		struct federation f;
		struct fedgcn_params p;
		double sum = 0;

		quick(&p, 2 + (unsigned)way % 2);
		p.rounds = 2;
		p.prototypes = (enum fedgcn_prototypes)(way % 3);
		p.sharing = (enum fedgcn_sharing)(way / 3);
		p.final = way % 2 ? FEDGCN_MIXTURE : FEDGCN_KMEANS;
		run_federation(&f, &p, 2, 11);
		assert_int_equal(f.report.rounds, 2);
		for (size_t r = 0; r < p.k; r++)
			sum += f.report.size[r];
		assert_true(sum == f.report.n);
		for (size_t l = 0; l < 2; l++) {
			const struct fedgcn_model *m;
			uint32_t *label;

			ALLOC(label, f.g[l].count);
			assert_ok(fedgcn_party_model(&f.party[l], &m));
			assert_ok(fedgcn_model_check(m));
			assert_ok(fedgcn_assign(m, &f.g[l], 1, label));
			assert_memory_equal(label, f.party[l].label, f.g[l].count * sizeof(*label));
			for (size_t i = 0; i < f.g[l].count; i++)
				assert_true(label[i] < p.k);
			free(label);
		}
		close_federation(&f);
	}
}

/* Results are bitwise identical for any number of threads and differ for another seed. */
TEST(test_same_bits)
{
	struct federation a, b;
	struct fedgcn_params p;

	quick(&p, 3);
	run_federation(&a, &p, 2, 20);
	p.threads = 1;
	run_federation(&b, &p, 2, 20);
	assert_memory_equal(a.report.W, b.report.W, 45664 * sizeof(double));
	assert_memory_equal(a.report.C.a, b.report.C.a, 3 * FEDGCN_Z * sizeof(double));
	assert_memory_equal(a.party[1].label, b.party[1].label, a.g[1].count * sizeof(uint32_t));
	close_federation(&b);
	p.seed = 2;
	run_federation(&b, &p, 2, 20);
	assert_true(memcmp(a.report.W, b.report.W, 45664 * sizeof(double)) != 0);
	close_federation(&a);
	close_federation(&b);
}

/* Separates two obvious kinds of graphs: paths of 4 to 7 nodes, and cliques of 12 to 15. */
TEST(test_two_kinds)
{
	struct fedgcn_params p;
	struct fedgcn_party party;
	struct memory memory = {
		.kind = &fedgcn_in_memory, .party = &party, .count = 1, .fraction_bits = 24
	};
	struct fedgcn_report report;
	struct parties parties;
	struct graphs both = { .count = 80 };
	struct triple *t;
	struct metrics score;
	uint32_t truth[80];
	size_t nodes, edges = 0;

	ALLOC(both.first, 81);
	for (size_t i = 0; i < 80; i++)
		both.first[i + 1] = both.first[i] + (i < 40 ? 4 : 12) + i % 4;
	nodes = both.first[80];
	ALLOC(t, nodes * 16);
	for (size_t i = 0; i < 80; i++) {
		truth[i] = i >= 40;
		for (size_t u = both.first[i]; u < both.first[i + 1]; u++)
			for (size_t v = both.first[i]; v < both.first[i + 1]; v++)
				if (u != v && (truth[i] || u + 1 == v || v + 1 == u))
					t[edges++] = (struct triple){ (uint32_t)u, (uint32_t)v, 1 };
	}
	csr_from_triples(&both.A, nodes, nodes, t, edges);
	quick(&p, 2);
	assert_ok(fedgcn_party_init(&party, &both, &p));
	parties_in_memory(&parties, &memory);
	assert_ok(fedgcn_run(&parties, &p, &report));
	assert_ok(metrics_of(truth, party.label, 80, &score));
	assert_true(score.acc > 0.95);
	assert_true(report.reconstruction[2] < report.reconstruction[0]);
	fedgcn_report_release(&report);
	fedgcn_party_release(&party);
	graphs_release(&both);
	free(t);
}

/* A party withholds prototypes of clusters with fewer than min_cluster graphs. Here min_cluster is
 * one less than the party's number of graphs, so it withholds at least two of its three
 * prototypes. */
TEST(test_min_cluster)
{
	struct federation f;
	struct fedgcn_params p;

	quick(&p, 3);
	p.min_cluster = 29;
	run_federation(&f, &p, 1, 40);
	assert_true(f.report.withheld >= 2);
	close_federation(&f);
}
