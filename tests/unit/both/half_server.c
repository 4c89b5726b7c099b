/* The coordinator's half, for federation.h. */
#include "server/kcagc.h"
#include "tests/unit/both/federation.h"

void *half_server(void *arg)
{
	struct half *h = arg;
	struct run run = { .job = *h->job,
			   .attempt = 1,
			   .L = h->L,
			   .name = h->name,
			   .channel = h->channel,
			   .post = h->post,
			   .record = &h->record,
			   .n = FED_N };

	h->result = server_kcagc(&run, h->label);
	if (h->result != ERR_OK) {
		snprintf(h->why, sizeof(h->why), "%s", err_detail());
		post_cancel(h->post, h->result, h->why);
		for (size_t l = 0; l < h->L; l++)
			channel_fail(h->channel[l], h->result, h->why);
	}
	return NULL;
}
