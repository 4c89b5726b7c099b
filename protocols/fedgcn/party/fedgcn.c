/* The party's side of FedGCN. It runs protocols/fedgcn/coordinator.h for itself on sums that it
 * verifies, and contributes its own term of each. protocols/fedgcn/party.c computes the terms. */
#include "protocols/fedgcn/party/fedgcn.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "protocols/fedgcn/coordinator.h"
#include "protocols/fedgcn/file.h"
#include "protocols/fedgcn/job.h"
#include "crypto/secret.h"
#include "party/work/verified.h"

#include <stdlib.h>
#include <string.h>

struct fedgcn_work {
	struct work *work;
	struct fedgcn_params p;
	struct fedgcn_party party;
	double *kl, *reconstruction;
	unsigned rounds;
};

static enum err party_fedgcn_answer(struct verified *v, const void *question, double *x, size_t n)
{
	const struct fedgcn_question *q = question;
	struct fedgcn_work *s = v->party;

	(void)n;
	work_bind(v->work, q->x, fedgcn_down(&s->p, q->kind) * sizeof(*q->x));
	TRY(fedgcn_answer(&s->party, q, x));
	if (q->kind == FEDGCN_TRAIN) {
		s->kl[s->rounds] = s->party.kl;
		s->reconstruction[s->rounds++] = s->party.reconstruction;
	}
	return ERR_OK;
}

static enum err party_fedgcn_upload(struct verified *v, const void *question)
{
	struct fedgcn_work *s = v->party;
	size_t words = fedgcn_upload_words(&s->p);
	double *x = alloc(words, sizeof(*x));
	enum err e;

	(void)question;
	fedgcn_upload(&s->party, x);
	e = channel_send_reals(v->work->channel, MSG_PROTOTYPES, (uint32_t)v->work->own, x, words);
	wipe(x, words * sizeof(*x));
	free(x);
	return e;
}

static enum err party_fedgcn_keep_model(const struct fedgcn_work *s)
{
	char *path = file_join(s->work->output, "model.fedgcn");
	const struct fedgcn_model *m;
	enum err e = fedgcn_party_model(&s->party, &m);

	if (e == ERR_OK)
		e = file_make_dirs(s->work->output);
	if (e == ERR_OK)
		e = fedgcn_file_write(path, m);
	free(path);
	return e;
}

/* Runs lines 1 to 21 of Algorithm 1. */
static enum err party_fedgcn_train(struct fedgcn_work *s)
{
	static const struct verified_kind kind = { .answer = party_fedgcn_answer,
						   .upload = party_fedgcn_upload };
	struct facts *to = &s->work->record->facts;
	struct fedgcn_report report = { 0 };
	struct verified v;
	enum err e;

	TRY(verified_open(&v, s->work, &kind, s));
	ALLOC(s->kl, s->p.rounds + 1);
	ALLOC(s->reconstruction, s->p.rounds + 1);
	e = verified_error(&v, fedgcn_run(&v.parties, &s->p, &report));
	facts_number(to, "rounds", s->rounds);
	facts_numbers(to, "loss_clusters", s->kl, s->rounds);
	facts_numbers(to, "loss_reconstruction", s->reconstruction, s->rounds);
	fedgcn_report_release(&report);
	free(s->kl);
	free(s->reconstruction);
	return e;
}

enum err party_fedgcn(struct work *work, uint32_t *label)
{
	struct fedgcn_work s = { .work = work };
	struct err_saved saved;
	enum err e;

	TRY(fedgcn_params_of(fedgcn_job(&work->job), work->threads, &s.p));
	if (fedgcn_in_plaintext(&s.p))
		log_warn("this party's prototypes go to the coordinator unmasked: each is the "
			 "mean of the embeddings of at least %u graphs",
			 fedgcn_job(&work->job)->how.min_cluster);
	e = fedgcn_party_init(&s.party, work->graphs, &s.p);
	if (e != ERR_OK) {
		fedgcn_party_release(&s.party);
		return e;
	}
	e = party_fedgcn_train(&s);
	if (e == ERR_OK) {
		memcpy(label, s.party.label, work->graphs->count * sizeof(*label));
		e = party_fedgcn_keep_model(&s);
	} else { /* return the error of the run; there may be no good model */
		saved = err_save(e);
		if (party_fedgcn_keep_model(&s) == ERR_OK)
			log_warn("the run failed; the last good model is in %s/model.fedgcn",
				 work->output);
		e = err_restore(&saved);
	}
	fedgcn_party_release(&s.party);
	return e == ERR_OK ? party_compare(work, label) : e;
}
