/* A party's half of FedGCN, in the order of the paper's Algorithm 1. What a question makes of the
 * party's graphs stands in common/fedgcn/party.c. */
#include "party/fedgcn/fedgcn.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/fedgcn/file.h"
#include "common/fedgcn/job.h"
#include "crypto/secret.h"
#include "party/work/secure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fedgcn_work {
	struct work *work;
	struct tree tree;
	const struct tree_node *root; /* all parties */
	struct fedgcn_params p;
	struct fedgcn_party party;
};

/* Blames the coordinator for a question that does not fit, otherwise this party's graphs. */
static enum err blame(const struct fedgcn_work *s, enum err e)
{
	const struct work *work = s->work;

	if (e == ERR_PEER)
		return peer_fault(work->channel, "sent BLOCK that does not fit: %s", err_detail());
	return e;
}

/* A question down, this party's term of the answer up. */
static enum err answer(struct fedgcn_work *s, enum fedgcn_kind kind, unsigned round)
{
	size_t down = fedgcn_down(&s->p, kind), up = fedgcn_up(&s->p, kind);
	double *said = alloc(down, sizeof(*said)), *x = alloc(up, sizeof(*x));
	struct fedgcn_question q = { kind, round, said };
	enum err e = channel_recv_reals(s->work->channel, MSG_BLOCK, s->root->id, said, down);

	if (e == ERR_OK) {
		e = fedgcn_answer(&s->party, &q, x);
		e = e == ERR_OK ? secure_send_wide(s->work, s->root, x, up) : blame(s, e);
	}
	wipe(x, up * sizeof(*x));
	free(x);
	free(said);
	return e;
}

static enum err upload(struct fedgcn_work *s)
{
	size_t words = fedgcn_upload_words(&s->p);
	double *x = alloc(words, sizeof(*x));
	enum err e;

	fedgcn_upload(&s->party, x);
	e = channel_send_reals(s->work->channel, MSG_PROTOTYPES, (uint32_t)s->work->own, x, words);
	wipe(x, words * sizeof(*x));
	free(x);
	return e;
}

/* As many rounds as the coordinator wants, and no more than the job allows. */
static enum err rounds(struct fedgcn_work *s)
{
	double *kl = alloc(s->p.rounds + 1, sizeof(*kl)),
	       *rec = alloc(s->p.rounds + 1, sizeof(*rec));
	unsigned done = 0;
	uint64_t more;
	enum err e;

	for (;;) {
		e = channel_recv_choice(s->work->channel, CHOICE_ROUND, done < s->p.rounds, &more);
		if (e != ERR_OK || !more)
			break;
		if (!done)
			work_phase(s->work, "train");
		/* Lines 2 to 20: a round's epochs (5 to 14), then what lines 16 to 18 need of the
		 * prototypes. */
		e = answer(s, FEDGCN_TRAIN, done + 1);
		if (e == ERR_OK)
			work_progress(s->work, done + 1, 0);
		for (unsigned t = 0; e == ERR_OK && s->p.prototypes == FEDGCN_GMM && t < s->p.em;
		     t++)
			e = answer(s, FEDGCN_EM, done + 1);
		if (e == ERR_OK && fedgcn_in_clear(&s->p))
			e = upload(s);
		if (e != ERR_OK)
			break;
		kl[done] = s->party.kl;
		rec[done++] = s->party.reconstruction;
	}
	facts_number(&s->work->record->facts, "rounds", done);
	facts_numbers(&s->work->record->facts, "loss_clusters", kl, done);
	facts_numbers(&s->work->record->facts, "loss_reconstruction", rec, done);
	free(kl);
	free(rec);
	if (e == ERR_OK) {
		work_phase(s->work, "final");
		e = answer(s, FEDGCN_FINAL, done);
	}
	return e;
}

static enum err keep_model(const struct fedgcn_work *s)
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

enum err party_fedgcn(struct work *work, uint32_t *label)
{
	struct fedgcn_work s = { .work = work };
	struct err_saved saved;
	enum err e;

	tree_build(&s.tree, work->L, true);
	s.root = &s.tree.node[s.tree.count - 1];
	work_group(work, s.root);
	TRY(fedgcn_params_of(&work->job.fedgcn, work->threads, &s.p));
	if (fedgcn_in_clear(&s.p))
		log_warn(
		    "prototypes \"%s\": this party's prototypes, each a mean of the embeddings of "
		    "%u graphs or more, go to the coordinator in clear",
		    fedgcn_prototypes_names[work->job.fedgcn.how.prototypes],
		    work->job.fedgcn.how.min_cluster);
	e = fedgcn_party_init(&s.party, work->graphs, &s.p);
	if (e != ERR_OK) {
		e = blame(&s, e);
		fedgcn_party_release(&s.party);
		return e;
	}
	work_phase(work, "start");
	e = answer(&s, FEDGCN_START, 0);
	if (e == ERR_OK)
		work_phase(work, "centres");
	for (unsigned t = 0; e == ERR_OK && t < fedgcn_centre_rounds(&s.p); t++)
		e = answer(&s, FEDGCN_CENTRES, 0);
	if (e == ERR_OK)
		e = rounds(&s);
	if (e == ERR_OK) {
		memcpy(label, s.party.label, work->graphs->count * sizeof(*label));
		e = keep_model(&s);
	} else { /* the run's own error counts; before the first round there is no good model */
		saved = err_save(e);
		if (keep_model(&s) == ERR_OK)
			log_warn("the run broke off; the last good model is in %s/model.fedgcn",
				 work->output);
		e = err_restore(&saved);
	}
	fedgcn_party_release(&s.party);
	return e == ERR_OK ? party_compare(work, label) : e;
}
