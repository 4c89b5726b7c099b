/* The coordinator's half, for federation.h. */
#include "server/fedgcn/fedgcn.h"
#include "server/fedsc/fedsc.h"
#include "server/fedspectral/fedspectral.h"
#include "server/fedwalk/fedwalk.h"
#include "server/kcagc/gcc.h"
#include "server/kcagc/kcagc.h"
#include "server/kcagc/landmark.h"
#include "server/kcagc/predict.h"
#include "server/run/relay.h"
#include "tests/unit/both/federation.h"

struct seat {
	struct half *half;
	size_t l;
};

static void observe(void *arg, enum msg_type type, struct bytes body)
{
	struct seat *s = arg;

	if (s->half->saw)
		s->half->saw(s->half->saw_arg, s->l, type, body);
}

static void run_rows(struct half *h, struct run *run)
{
	uint32_t *label = NULL;

	h->result = server_fedsc(run, &label);
	h->labelled = label != NULL;
	if (label && run->n == h->n)
		memcpy(h->label, label, h->n * sizeof(*label));
	free(label);
}

/* How many nodes there are it finds itself. */
static void serve_fedspectral(struct half *h, struct run *run)
{
	uint32_t *label = NULL;

	h->result = server_fedspectral(run, &label);
	if (label) {
		free(h->label);
		h->label = label;
	}
	h->n = run->n;
	h->clusters = run->job.clusters;
}

/* Vertices, which it counts itself. */
static void serve_fedwalk(struct half *h, struct run *run)
{
	h->result = server_fedwalk(run);
	h->embedding = run->embedding;
	h->n = run->n;
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
	struct seat seat[FED_MAX];
	struct run run = { .job = *h->job,
			   .attempt = 1,
			   .L = h->L,
			   .name = h->name,
			   .channel = h->channel,
			   .post = h->post,
			   .record = &h->record,
			   .threads = 1,
			   .tell = h->tell,
			   .n = h->n,
			   .columns = h->columns,
			   .output = h->output };

	for (size_t l = 0; l < h->L; l++) {
		seat[l] = (struct seat){ h, l };
		channel_observe(h->channel[l], observe, &seat[l]);
	}
	if (h->job->kind == JOB_FEDSC || h->job->kind == JOB_KMEANS)
		run_rows(h, &run);
	else if (h->job->kind == JOB_KCAGC_PREDICT)
		h->result = server_predict(&run, h->label);
	else if (h->job->kind == JOB_FEDSPECTRAL)
		serve_fedspectral(h, &run);
	else if (h->job->kind == JOB_FEDWALK)
		serve_fedwalk(h, &run);
	else if (h->job->kind == JOB_FEDGCN)
		h->result = server_fedgcn(&run);
	else if (h->job->method == METHOD_LANDMARK)
		h->result = server_landmark(&run, h->label);
	else if (h->job->method == METHOD_GCC)
		h->result = server_gcc(&run, h->label);
	else
		h->result = server_kcagc(&run, h->label);
	if (h->result == ERR_OK && h->tell)
		h->result = end(&run);
	if (h->result != ERR_OK)
		snprintf(h->why, sizeof(h->why), "%s", err_detail());
	for (size_t l = 0; l < h->L; l++) {
		channel_observe(h->channel[l], NULL, NULL);
		if (h->result != ERR_OK)
			half_abort(h, h->channel[l], "");
	}
	return NULL;
}
