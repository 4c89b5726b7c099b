/* coordinator.h -- FedGCN, the coordinator's half: Algorithm 1 of Liu et al. (AAAI 2025).
 *
 * It is written once, against struct fedgcn_pool: secure sums over daemons, or parties in memory
 * (fedgcn_pool.h), whose sums are of the same fixed point, so that the models are the same bits.
 */
#ifndef COMMON_FEDGCN_COORDINATOR_H
#define COMMON_FEDGCN_COORDINATOR_H

#include "common/fedgcn/party.h"

struct fedgcn_pool {
	size_t parties;
	void *ctx;
	/* x (fedgcn_up()) becomes the sum of the parties' answers to q, which all of them get. */
	enum err (*ask)(void *ctx, const struct fedgcn_question *q, double *x);
	/* If fedgcn_in_clear(), else NULL. x (parties x fedgcn_upload_words()): what each uploads.
	 */
	enum err (*upload)(void *ctx, double *x);
	/* What begins: "start", "centres", "train", "prototypes" or "final". May be NULL. */
	void (*phase)(void *ctx, const char *name);
	/* After each TRAIN, from 1: mean losses over graphs, and graphs whose cluster changed. May
	 * be NULL. */
	void (*progress)(void *ctx, unsigned round, double kl, double reconstruction,
			 double changed);
};

struct fedgcn_report {
	double n;                              /* graphs */
	unsigned rounds;                       /* that came to their end */
	double *kl, *reconstruction, *changed; /* rounds of them; owned */
	double *size;    /* k: graphs of each cluster at last; owned; all 0 if it broke off */
	double *W;       /* the last good joint weights; owned */
	struct mat C;    /* and prototypes */
	size_t withheld; /* cluster indices of which no party had min_cluster graphs in the last
			    round */
};
void fedgcn_report_release(struct fedgcn_report *r);

/* ERR_INPUT: parameters that cannot be, or fewer graphs than clusters; ERR_JOB: the sum of losses
 * or weights explodes: the sentence has round and values. *report is filled here also then, with
 * the last good model. Labels and models are with the parties. */
enum err fedgcn_run(const struct fedgcn_pool *pool, const struct fedgcn_params *p,
		    struct fedgcn_report *report) MUST_CHECK;

#endif
