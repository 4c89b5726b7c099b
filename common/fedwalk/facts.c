#include "common/fedwalk/facts.h"
#include "common/base/log.h"
#include "common/fedwalk/account.h"
#include "common/fedwalk/walk.h"

#include <math.h>
#include <stdio.h>

static double ratio(double part, double of)
{
	return of > 0 ? part / of : 0;
}

static void record_walks(const struct fedwalk_job *job, const double *told, struct facts *r)
{
	double walks = told[FEDWALK_WALKED];

	facts_number(r, "walks", walks);
	facts_number(r, "messages", told[FEDWALK_MESSAGES]);
	facts_number(r, "messages_per_walk", ratio(told[FEDWALK_MESSAGES], walks));
	facts_number(r, "messages_expected", fedwalk_messages(job->length, job->p));
	facts_number(r, "messages_crossing", told[FEDWALK_CROSSING]);
	facts_number(r, "messages_came", told[FEDWALK_CAME]);
	facts_number(r, "boxes", told[FEDWALK_BOXES]);
	facts_number(r, "box_bytes", told[FEDWALK_BOX_BYTES]);
	facts_number(r, "encoder_eps0", told[FEDWALK_EPS0]);
	facts_number(r, "encoder_kept", told[FEDWALK_KEPT]);
}

static void say_eps(double eps, char text[static 32])
{
	if (isfinite(eps))
		snprintf(text, 32, "%.6g", eps);
	else
		snprintf(text, 32, "%s", "none"); /* no guarantee */
}

/* "edge, sensitivity 1: eps 2 each, 2 releases, eps 4 (sum)" */
static void record_spent(const struct fedwalk_spent *s, size_t i, struct facts *r)
{
	char name[32], sensitivity[32], each[32], eps[32];

	snprintf(name, sizeof(name), "account_%zu", i + 1);
	say_eps(s->sensitivity, sensitivity);
	say_eps(s->eps_each, each);
	say_eps(s->eps, eps);
	facts_say(r, name,
		  "%s: unit %s, sensitivity %s, eps %s each, %.6g releases, eps %s in all; %s",
		  s->mechanism, s->unit, sensitivity, each, s->releases, eps, s->composition);
	log_info("privacy: %s, unit %s: eps %s", s->mechanism, s->unit, eps);
}

static void record_account(const struct fedwalk_job *job, size_t n, const double *told,
			   struct facts *r)
{
	struct fedwalk_account a = { .response = job->mode == FEDWALK_RESPONSE,
				     .eps = job->eps,
				     .matrices = job->dissimilarity == DISSIMILARITY_DTW,
				     .eps0 = told[FEDWALK_EPS0],
				     .l = job->length,
				     .gamma = job->walks,
				     .n = n };
	struct fedwalk_spent spent[FEDWALK_SPENT_MAX];
	size_t count = fedwalk_account(&a, spent);

	for (size_t i = 0; i < count; i++)
		record_spent(&spent[i], i, r);
}

void fedwalk_record(const struct fedwalk_job *job, size_t n, const double told[FEDWALK_TOLD],
		    struct facts *r)
{
	double precision = ratio(told[FEDWALK_RIGHT], told[FEDWALK_GUESSED]);
	double recall = ratio(told[FEDWALK_RIGHT], told[FEDWALK_TIES]);

	facts_number(r, "vertices", (double)n);
	facts_number(r, "ties", told[FEDWALK_TIES]);
	facts_number(r, "isolated", told[FEDWALK_ISOLATED]);
	facts_number(r, "one_sided_ties", told[FEDWALK_ONE_SIDED] / 2);
	facts_number(r, "unhosted_ties", told[FEDWALK_UNHOSTED]);
	if (job->mode == FEDWALK_WALKS) {
		facts_number(r, "bins", fedwalk_job_bins(job, n));
		record_walks(job, told, r);
	}
	facts_number(r, "attack_guessed", told[FEDWALK_GUESSED]);
	facts_number(r, "attack_precision", precision);
	facts_number(r, "attack_recall", recall);
	log_info("attack: of %.0f pairs that the coordinator takes for ties %.1f %% are, which are "
		 "%.1f %% of all ties",
		 told[FEDWALK_GUESSED], 100 * precision, 100 * recall);
	record_account(job, n, told, r);
}
