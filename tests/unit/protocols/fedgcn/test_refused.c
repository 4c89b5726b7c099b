/* FedGCN refuses exploding training, impossible questions, and wrong data and parameters. */
#include "tests/unit/protocols/fedgcn/fedgcn.h"

#include <math.h>
#include <string.h>

/* If a rate is far too large, training fails. The error names the party and the round, and the
 * party keeps its last finite model. */
TEST(test_explosion)
{
	struct federation f;
	struct fedgcn_params p;
	const struct fedgcn_model *m;

	quick(&p, 2);
	p.rate = 1;
	p.rounds = 10;
	p.epochs = 200;
	open_federation(&f, &p, 1, 30);
	assert_err(fedgcn_party_model(&f.party[0], &m), ERR_JOB, "no round has begun");
	assert_err(fedgcn_run(&f.parties, &p, &f.report), ERR_JOB, "explodes");
	assert_non_null(strstr(err_detail(), "party 0: round "));
	assert_ok(fedgcn_party_model(&f.party[0], &m));
	assert_ok(fedgcn_model_check(m));
	assert_non_null(f.report.W);
	for (size_t i = 0; i < 45664; i++)
		assert_true(isfinite(f.report.W[i]));
	close_federation(&f);
}

static enum err ask(struct fedgcn_party *party, enum fedgcn_kind kind, unsigned round, double first)
{
	size_t down = fedgcn_down(&party->p, kind);
	double *x = alloc(fedgcn_up(&party->p, kind), sizeof(*x)), *y = alloc(down, sizeof(*y));
	struct fedgcn_question q = { kind, round, y };
	enum err err;

	y[0] = first;
	err = fedgcn_answer(party, &q, x);
	free(x);
	free(y);
	return err;
}

TEST(test_questions)
{
	struct fedgcn_party party;
	struct fedgcn_params p;
	struct graphs g;

	quick(&p, 2);
	p.rounds = 1;
	random_graphs(&g, 20, 6, 0.5, 1);
	assert_ok(fedgcn_party_init(&party, &g, &p));
	assert_err(ask(&party, FEDGCN_START, 0, NAN), ERR_PEER, "number 0 of 45664 is nan");
	assert_err(ask(&party, FEDGCN_START, 0, -1e9), ERR_PEER, "beyond");
	assert_ok(ask(&party, FEDGCN_START, 0, 0.1));
	assert_err(ask(&party, FEDGCN_CENTRES, 0, 3), ERR_PEER, "3 centres of at most 2");
	assert_err(ask(&party, FEDGCN_CENTRES, 0, 0.5), ERR_PEER, "0.5 centres");
	assert_ok(ask(&party, FEDGCN_CENTRES, 0, 2));
	assert_ok(ask(&party, FEDGCN_TRAIN, 1, 0.1));
	assert_ok(ask(&party, FEDGCN_FINAL, 1, 0.1));
	fedgcn_party_release(&party);
	graphs_release(&g);
}

TEST(test_refused)
{
	struct fedgcn_party party;
	struct fedgcn_params p;
	struct graphs g;

	random_graphs(&g, 3, 4, 0.5, 1);
	quick(&p, 4);
	assert_err(fedgcn_party_init(&party, &g, &p), ERR_INPUT, "3 graphs for 4 clusters");
	fedgcn_party_release(&party);
	quick(&p, 2);
	p.features = GRAPHS_DRAWING;
	mat_release(&g.attribute);
	assert_err(fedgcn_party_init(&party, &g, &p), ERR_INPUT, "two coordinates");
	fedgcn_party_release(&party);
	p.features = GRAPHS_STRUCTURE;
	p.rate = NAN;
	assert_err(fedgcn_params_check(&p), ERR_INPUT, "rate nan");
	graphs_release(&g);
}
