/* Runs a party's half, for federation.h. */
#include "common/data/dataset.h"
#include "crypto/secret.h"
#include "protocols/fedwalk/job.h"
#include "protocols/kcagc/party/kcagc.h"
#include "common/job/kinds.h"
#include "party/daemon/kinds.h"
#include "party/work/noise.h"
#include "tests/unit/both/federation.h"

struct slot {
	struct half *half;
	struct work work;
};

static void observe(void *arg, enum msg_type type, struct bytes body)
{
	struct slot *s = arg;

	work_observe(&s->work, type, body);
	if (s->half->saw)
		s->half->saw(s->half->saw_arg, s->half->own, type, body);
}

static enum err question(struct work *work, uint32_t release,
			 const uint8_t hash[static SECAGG_HASH_LEN])
{
	struct half *h =
	    ((struct slot *)(void *)((char *)work - offsetof(struct slot, work)))->half;

	if (h->asked)
		h->asked(h->saw_arg, h->own, release, hash);
	return ERR_OK;
}

static enum err end(struct work *work)
{
	struct msg m = { .type = MSG_DONE };

	TRY(broadcasts_confirm_all(work));
	TRY(channel_send(work->channel, &m));
	return channel_recv(work->channel, MSG_DONE, &m);
}

void *half_party(void *arg)
{
	struct half *h = arg;
	struct slot s = { .half = h,
			  .work = { .job = *h->job,
				    .attempt = 1,
				    .L = h->L,
				    .own = h->own,
				    .channel = h->channel[0],
				    .mailbox = h->mailbox,
				    .record = &h->record,
				    .secagg = h->secagg,
				    .features = &h->X,
				    .graph = h->dataset ? &h->dataset->g : h->g,
				    .dataset = h->dataset,
				    .n = h->n,
				    .graphs = h->graphs,
				    .output = h->output,
				    .min_cluster = h->min_cluster,
				    .state = h->state,
				    .data_hash = h->data_hash,
				    .numbering = h->numbering,
				    .question = question,
				    .threads = h->threads } };
	bool has_model;

	if (h->has_group_key)
		s.work.group_key =
		    memcpy(secret_new(SECAGG_HASH_LEN), h->group_key, SECAGG_HASH_LEN);
	for (size_t l = 0; l < h->L; l++)
		snprintf(s.work.name[l], sizeof(s.work.name[l]), "%s", h->name[l]);
	if (h->compares)
		broadcasts_begin(&s.work);
	channel_observe(s.work.channel, observe, &s);
	s.work.side = party_kind_of(h->job->kind);
	has_model = s.work.side->release == party_kind_kcagc.release;
	if (has_model)
		kcagc_party(&s.work)->model = h->model;
	h->result = s.work.side->run(&s.work, h->label);
	h->clusters = s.work.job.clusters;
	h->has_group_key = s.work.group_key;
	if (s.work.group_key)
		memcpy(h->group_key, s.work.group_key, SECAGG_HASH_LEN);
	secret_free(s.work.group_key, SECAGG_HASH_LEN);
	if (h->job->kind == &kind_fedwalk)
		h->embedding = s.work.protocol;
	if (h->embedding)
		s.work.protocol = NULL;
	if (has_model) {
		h->model = kcagc_party(&s.work)->model;
		kcagc_party(&s.work)->model = NULL;
	}
	if (h->result == ERR_OK && h->compares)
		h->result = end(&s.work);
	if (s.work.side->release)
		s.work.side->release(&s.work);
	free(s.work.protocol);
	free(s.work.confidence);
	broadcasts_stop(&s.work);
	work_noise_end(&s.work);
	if (h->result != ERR_OK) {
		snprintf(h->why, sizeof(h->why), "%s", err_detail());
		half_abort(h, s.work.channel,
			   s.work.ending ? s.work.ending : msg_ending_of(h->result));
	}
	return NULL;
}
