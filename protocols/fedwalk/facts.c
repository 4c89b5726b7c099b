#include "protocols/fedwalk/facts.h"
#include "common/base/log.h"
#include "protocols/fedwalk/attack.h"
#include "protocols/fedwalk/walk.h"

#include <math.h>
#include <stdio.h>

static const char of_vectors[] =
    "Laplace noise of scale 1/eps; a tie changes one entry of the vectors of both its ends, so eps "
    "towards either device alone and 2 eps for the joint release; all ties of a node: its degree "
    "times as much, which is no useful guarantee";
static const char of_matrices[] = "none: the rows are rows of the public dictionary, so each "
				  "matrix is its vertex's list of neighbours";
static const char of_encoder[] =
    "exponential mechanism: eps_0 as computed from tree and dissimilarities, between any two "
    "vertices in place of one token; times l and gamma for the walks of one vertex alone. That is "
    "the identity in practice: see the edge attack";
static const char of_response[] = "each pair is reported once, by its lower vertex alone, and is "
				  "wrong with probability 1 / (1 + e^eps)";
static const char of_training[] = "made of what was released before: nothing more is spent";
static const char of_much[] = "sequential composition; so large that it promises nothing";
static const char of_weak[] = "sequential composition; weak: what is seen may be e^eps times as "
			      "likely with the tie as without";
static const char of_little[] = "sequential composition";

size_t fedwalk_account(const struct fedwalk_job *job, double eps0, struct fedwalk_spent *out)
{
	double eps = job->eps, tokens = (double)job->length * job->walks, sum = 0;
	size_t n = 0;

	if (job->mode == FEDWALK_RESPONSE) {
		out[n++] = (struct fedwalk_spent){
			"randomised response", "edge", 1, eps, 1, eps, of_response
		};
	} else {
		/* An edge counts in the vectors of both its ends. */
		out[n++] = (struct fedwalk_spent){ "degree vectors", "edge",    1, eps, 2,
						   2 * eps,          of_vectors };
		if (job->dissimilarity == DISSIMILARITY_DTW)
			out[n++] = (struct fedwalk_spent){ "ordered degree matrices",
							   "edge",
							   INFINITY,
							   INFINITY,
							   2,
							   INFINITY,
							   of_matrices };
		/* All l tokens of a walk may depend on the same tie. */
		out[n++] = (struct fedwalk_spent){ "encoder", "token",       NAN,       eps0,
						   tokens,    eps0 * tokens, of_encoder };
	}
	out[n++] = (struct fedwalk_spent){ "training", "edge", 0, 0, 0, 0, of_training };
	for (size_t i = 0; i < n; i++)
		sum += out[i].eps;
	out[n++] = (struct fedwalk_spent){ "total",
					   "edge",
					   0,
					   sum,
					   1,
					   sum,
					   !(sum < 1e3) ? of_much : sum > 4 ? of_weak : of_little };
	return n;
}

static void describe_eps(double eps, char text[static 32])
{
	if (isfinite(eps))
		snprintf(text, 32, "%.6g", eps);
	else
		snprintf(text, 32, "%s", "none");
}

static void record_walks(const struct fedwalk_job *job, size_t n,
			 const double counts[FEDWALK_COUNTS], struct facts *r)
{
	facts_number(r, "ties", counts[FEDWALK_TIES]);
	facts_number(r, "isolated", counts[FEDWALK_ISOLATED]);
	facts_number(r, "one_sided_ties", counts[FEDWALK_ONE_SIDED] / 2);
	facts_number(r, "unhosted_ties", counts[FEDWALK_UNHOSTED]);
	facts_number(r, "bins", fedwalk_job_bins(job, n));
	facts_number(r, "walks", counts[FEDWALK_WALKED]);
	facts_number(r, "messages", counts[FEDWALK_MESSAGES]);
	facts_number(r, "messages_per_walk",
		     fedwalk_share(counts[FEDWALK_MESSAGES], counts[FEDWALK_WALKED]));
	facts_number(r, "messages_expected", fedwalk_messages(job->length, job->p));
	facts_number(r, "messages_crossing", counts[FEDWALK_CROSSING]);
	facts_number(r, "messages_came", counts[FEDWALK_CAME]);
	facts_number(r, "boxes", counts[FEDWALK_BOXES]);
	facts_number(r, "box_bytes", counts[FEDWALK_BOX_BYTES]);
	facts_number(r, "encoder_eps0", counts[FEDWALK_EPS0]);
	facts_number(r, "encoder_kept", counts[FEDWALK_KEPT]);
}

void fedwalk_record(const struct fedwalk_job *job, size_t n, const double counts[FEDWALK_COUNTS],
		    struct facts *r)
{
	double precision = fedwalk_share(counts[FEDWALK_RIGHT], counts[FEDWALK_GUESSED]);
	double recall = fedwalk_share(counts[FEDWALK_RIGHT], counts[FEDWALK_TIES]);
	struct fedwalk_spent spent[FEDWALK_SPENT_MAX], *s = spent;
	size_t mechanisms = fedwalk_account(job, counts[FEDWALK_EPS0], spent);

	facts_number(r, "vertices", (double)n);
	if (job->mode == FEDWALK_WALKS)
		record_walks(job, n, counts, r);
	else
		facts_number(r, "ties_expected", counts[FEDWALK_TIES]);
	facts_number(r, "attack_guessed", counts[FEDWALK_GUESSED]);
	facts_number(r, "attack_precision", precision);
	facts_number(r, "attack_recall", recall);
	log_info("attack: the coordinator guesses %.0f pairs, and %.1f %% of these are ties; it "
		 "finds %.1f %% of all ties%s",
		 counts[FEDWALK_GUESSED], 100 * precision, 100 * recall,
		 job->mode == FEDWALK_WALKS ? "" : ", as estimated from the reports");
	for (size_t i = 0; i < mechanisms; i++, s++) {
		char name[32], sensitivity[32], each[32], eps[32];

		snprintf(name, sizeof(name), "account_%zu", i + 1);
		describe_eps(s->sensitivity, sensitivity);
		describe_eps(s->eps_each, each);
		describe_eps(s->eps, eps);
		facts_format(
		    r, name,
		    "%s: unit %s, sensitivity %s, eps %s each, %.6g releases, eps %s in all; %s",
		    s->mechanism, s->unit, sensitivity, each, s->releases, eps, s->composition);
		log_info("privacy: %s, unit %s: eps %s", s->mechanism, s->unit, eps);
	}
}
