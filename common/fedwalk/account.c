#include "common/fedwalk/account.h"

#include <math.h>

/* An edge is in the vectors of both its ends. */
static struct fedwalk_spent vectors(const struct fedwalk_account *a)
{
	return (struct fedwalk_spent){
		.mechanism = "degree vectors",
		.unit = "edge",
		.sensitivity = 1,
		.eps_each = a->eps,
		.releases = 2,
		.eps = 2 * a->eps,
		.composition = "Laplace noise of scale 1/eps; a tie changes one entry of the "
			       "vectors of both its ends, so eps towards either device alone and "
			       "2 eps for the joint release; all ties of a node: its degree times "
			       "as much, which is no useful guarantee"
	};
}

static struct fedwalk_spent matrices(void)
{
	return (struct fedwalk_spent){
		.mechanism = "ordered degree matrices",
		.unit = "edge",
		.sensitivity = INFINITY,
		.eps_each = INFINITY,
		.releases = 2,
		.eps = INFINITY,
		.composition = "none: the rows are rows of the public dictionary, so each matrix "
			       "is its vertex's list of neighbours"
	};
}

/* A tie affects the walks: each of the l tokens of each walk may have taken it. */
static struct fedwalk_spent encoder(const struct fedwalk_account *a)
{
	double releases = (double)a->l * a->gamma;

	return (struct fedwalk_spent){
		.mechanism = "encoder",
		.unit = "token",
		.sensitivity = NAN,
		.eps_each = a->eps0,
		.releases = releases,
		.eps = a->eps0 * releases,
		.composition = "exponential mechanism: eps_0 as computed from tree and "
			       "dissimilarities, between any two vertices in place of one token; "
			       "times l and gamma for the walks of one vertex alone. That is the "
			       "identity in practice: see the edge attack"
	};
}

static struct fedwalk_spent response(const struct fedwalk_account *a)
{
	return (struct fedwalk_spent){
		.mechanism = "randomised response",
		.unit = "edge",
		.sensitivity = 1,
		.eps_each = a->eps,
		.releases = 1,
		.eps = a->eps,
		.composition = "each pair is reported once, by its lower vertex alone, and is "
			       "wrong with probability 1 / (1 + e^eps)"
	};
}

static struct fedwalk_spent training(void)
{
	return (struct fedwalk_spent){ .mechanism = "training",
				       .unit = "edge",
				       .composition = "made of what was released before: nothing "
						      "more is spent" };
}

static struct fedwalk_spent total(const struct fedwalk_spent *s, size_t n)
{
	struct fedwalk_spent t = { .mechanism = "total", .unit = "edge", .releases = 1 };

	for (size_t i = 0; i < n; i++)
		t.eps += s[i].eps;
	t.eps_each = t.eps;
	t.composition = !(t.eps < 1e3) ? "sequential composition; so large that it promises nothing"
			: t.eps > 4
			    ? "sequential composition; weak: what is seen may be e^eps times "
			      "as likely with the tie as without"
			    : "sequential composition";
	return t;
}

size_t fedwalk_account(const struct fedwalk_account *a, struct fedwalk_spent *out)
{
	size_t n = 0;

	if (a->response) {
		out[n++] = response(a);
	} else {
		out[n++] = vectors(a);
		if (a->matrices)
			out[n++] = matrices();
		out[n++] = encoder(a);
	}
	out[n++] = training();
	out[n] = total(out, n);
	return n + 1;
}
