/* Runs the coordinator's half, for federation.h. */
#include "common/job/kinds.h"
#include "protocols/fedwalk/job.h"
#include "server/daemon/kinds.h"
#include "server/run/relay.h"
#include "tests/unit/both/federation.h"

struct slot {
	struct half *half;
	size_t l;
};

static void observe(void *arg, enum msg_type type, struct bytes body)
{
	struct slot *s = arg;

	if (s->half->saw)
		s->half->saw(s->half->saw_arg, s->l, type, body);
}

static enum err end(struct run *run)
{
	struct msg m = { .type = MSG_DONE }, done;

	struct relayed_told told;
	enum err e = relay_take_last(run, &told);

	for (size_t l = 0; l < run->L && e == ERR_OK; l++)
		e = channel_recv(run->channel[l], MSG_DONE, &done);
	if (e == ERR_OK)
		e = relay_give_last(run, &told);
	relayed_told_release(&told);
	return e == ERR_OK ? run_broadcast(run, 0, run->L, &m) : e;
}

void *half_server(void *arg)
{
	struct half *h = arg;
	struct slot slot[FED_MAX];
	struct run run = { .job = *h->job,
			   .attempt = 1,
			   .L = h->L,
			   .name = h->name,
			   .channel = h->channel,
			   .mailbox = h->mailbox,
			   .record = &h->record,
			   .threads = 1,
			   .numbers = h->numbers,
			   .compares = h->compares,
			   .n = h->n,
			   .columns = h->columns,
			   .output = h->output };
	uint32_t *label = NULL;

	for (size_t l = 0; l < h->L; l++) {
		slot[l] = (struct slot){ h, l };
		channel_observe(h->channel[l], observe, &slot[l]);
	}
	h->result = server_kind_of(h->job->kind)->run(&run, &label);
	h->labelled = label != NULL;
	if (label) {
		free(h->label);
		h->label = label;
	}
	if (h->job->kind == &kind_fedwalk)
		h->embedding = run.protocol;
	free(h->confidence);
	h->confidence = run.confidence;
	h->n = run.n;
	h->clusters = run.job.clusters;
	if (h->result == ERR_OK && h->compares)
		h->result = end(&run);
	if (h->result != ERR_OK)
		snprintf(h->why, sizeof(h->why), "%s", err_detail());
	for (size_t l = 0; l < h->L; l++) {
		channel_observe(h->channel[l], NULL, NULL);
		if (h->result != ERR_OK)
			half_abort(h, h->channel[l], 0);
	}
	return NULL;
}
