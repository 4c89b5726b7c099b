#include "common/fedwalk/job.h"
#include "common/base/log.h"
#include "common/fedwalk/account.h"
#include "common/fedwalk/bins.h"
#include "common/fedwalk/walk.h"

#include <math.h>
#include <stdio.h>

unsigned fedwalk_job_bins(const struct job *job, size_t n)
{
	return job->bins == JOB_AUTO ? fedwalk_bins_default(n) : job->bins;
}

static double ratio(double part, double of)
{
	return of > 0 ? part / of : 0;
}

static void record_walks(const struct job *job, const double *told, struct record *r)
{
	double walks = told[FEDWALK_WALKED];

	record_fact(r, "walks", walks);
	record_fact(r, "messages", told[FEDWALK_MESSAGES]);
	record_fact(r, "messages_per_walk", ratio(told[FEDWALK_MESSAGES], walks));
	record_fact(r, "messages_expected", fedwalk_messages(job->length, job->predict));
	record_fact(r, "messages_crossing", told[FEDWALK_CROSSING]);
	record_fact(r, "messages_came", told[FEDWALK_CAME]);
	record_fact(r, "boxes", told[FEDWALK_BOXES]);
	record_fact(r, "box_bytes", told[FEDWALK_BOX_BYTES]);
	record_fact(r, "encoder_eps0", told[FEDWALK_EPS0]);
	record_fact(r, "encoder_kept", told[FEDWALK_KEPT]);
}

static void say_eps(double eps, char text[static 32])
{
	if (isfinite(eps))
		snprintf(text, 32, "%.6g", eps);
	else
		snprintf(text, 32, "%s", "none"); /* no guarantee */
}

/* "edge, sensitivity 1: eps 2 each, 2 releases, eps 4 (sum)" */
static void record_spent(const struct fedwalk_spent *s, size_t i, struct record *r)
{
	char name[32], sensitivity[32], each[32], eps[32];

	snprintf(name, sizeof(name), "account_%zu", i + 1);
	say_eps(s->sensitivity, sensitivity);
	say_eps(s->eps_each, each);
	say_eps(s->eps, eps);
	record_say(r, name,
		   "%s: unit %s, sensitivity %s, eps %s each, %.6g releases, eps %s in all; %s",
		   s->mechanism, s->unit, sensitivity, each, s->releases, eps, s->composition);
	log_info("privacy: %s, unit %s: eps %s", s->mechanism, s->unit, eps);
}

static void record_account(const struct job *job, size_t n, const double *told, struct record *r)
{
	struct fedwalk_account a = { .response = job->fedwalk_mode == FEDWALK_RESPONSE,
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

void fedwalk_record(const struct job *job, size_t n, const double told[FEDWALK_TOLD],
		    struct record *r)
{
	double precision = ratio(told[FEDWALK_RIGHT], told[FEDWALK_GUESSED]);
	double recall = ratio(told[FEDWALK_RIGHT], told[FEDWALK_TIES]);

	record_fact(r, "vertices", (double)n);
	record_fact(r, "ties", told[FEDWALK_TIES]);
	record_fact(r, "isolated", told[FEDWALK_ISOLATED]);
	record_fact(r, "one_sided_ties", told[FEDWALK_ONE_SIDED] / 2);
	record_fact(r, "unhosted_ties", told[FEDWALK_UNHOSTED]);
	if (job->fedwalk_mode == FEDWALK_WALKS) {
		record_fact(r, "bins", fedwalk_job_bins(job, n));
		record_walks(job, told, r);
	}
	record_fact(r, "attack_guessed", told[FEDWALK_GUESSED]);
	record_fact(r, "attack_precision", precision);
	record_fact(r, "attack_recall", recall);
	log_info("attack: of %.0f pairs that the coordinator takes for ties %.1f %% are, which are "
		 "%.1f %% of all ties",
		 told[FEDWALK_GUESSED], 100 * precision, 100 * recall);
	record_account(job, n, told, r);
}
