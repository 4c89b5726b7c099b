/* A party's half, for federation.h. */
#include "party/kcagc.h"
#include "tests/unit/both/federation.h"

void *half_party(void *arg)
{
	struct half *h = arg;
	struct work work = { .job = *h->job,
			   .attempt = 1,
			   .L = h->L,
			   .own = h->own,
			   .channel = h->channel[0],
			   .post = h->post,
			   .record = &h->record,
			   .secagg = h->secagg,
			   .features = &h->X,
			   .graph = h->g,
			   .n = FED_N,
			   .threads = h->threads };

	for (size_t l = 0; l < h->L; l++)
		snprintf(work.name[l], sizeof(work.name[l]), "%s", h->name[l]);
	channel_observe(work.channel, work_observe, &work);
	h->result = party_kcagc(&work, h->label);
	channel_observe(work.channel, NULL, NULL);
	if (h->result != ERR_OK) {
		struct msg m = { .type = MSG_ABORT, .abort = { .code = (uint16_t)h->result } };

		snprintf(h->why, sizeof(h->why), "%s", err_detail());
		m.abort.text = (struct bytes){ (const uint8_t *)h->why, strlen(h->why) };
		(void)!channel_send(work.channel, &m);
	}
	return NULL;
}
