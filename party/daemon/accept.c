#include "party/daemon/accept.h"
#include "common/base/alloc.h"
#include "common/base/config.h"
#include "common/job/kinds.h"
#include "crypto/hash.h"

#include <stdio.h>
#include <string.h>

/* Takes the offer apart: who takes part, rising names with this party among them. */
static enum err read_names(struct work *work, const char *own, const struct msg_offer *o)
{
	work->L = o->parties;
	work->own = work->L;
	if (work->L < 1)
		return err_set(ERR_PEER, "the offer names no parties");
	for (size_t l = 0; l < work->L; l++) {
		memcpy(work->name[l], o->names[l].p, o->names[l].n);
		work->name[l][o->names[l].n] = 0;
		if (config_check_name(work->name[l]) ||
		    (l && strcmp(work->name[l - 1], work->name[l]) >= 0))
			return err_set(ERR_PEER,
				       "the offer's parties are not rising names (party %zu)", l);
		if (strcmp(work->name[l], own) == 0)
			work->own = l;
	}
	if (work->own == work->L)
		return err_set(ERR_PEER, "the offer does not name this party, %s", own);
	return ERR_OK;
}

/* The offer's job in full, and the hash of parties and parameters that goes into every key. */
enum err accept_read_offer(struct work *work, const char *own, const struct msg_offer *o,
			   uint8_t params_hash[static SHA256_LEN])
{
	struct buf text = { 0 };
	struct sha256 *h;

	memcpy(work->job_id, o->job_id, JOB_ID_LEN);
	work->attempt = o->attempt;
	TRY(read_names(work, own, o));
	if (job_parse(&work->job, o->job, "offer", NULL) != ERR_OK)
		return err_set(ERR_PEER, "%s", err_detail());
	job_write(&work->job, &text);
	h = sha256_new();
	sha256_add_text(h, "coterie parameters v1");
	sha256_add_u64(h, text.n);
	sha256_add(h, text.p, text.n);
	for (size_t l = 0; l < work->L; l++)
		sha256_add_text(h, work->name[l]);
	sha256_end(h, params_hash);
	memcpy(work->params_hash, params_hash, sizeof(work->params_hash));
	buf_release(&text);
	return ERR_OK;
}

enum err accept_say(struct work *work)
{
	struct msg m = { .type = MSG_ACCEPT };
	struct buf text = { 0 };

	job_write(&work->job, &text);
	sha256_of(text.p, text.n, m.accept.job_hash);
	buf_release(&text);
	work->half->describe(work, &m.accept);
	return channel_send(work->channel, &m);
}

enum err accept_check_data(struct work *work, const struct party_config *config)
{
	const struct kind *kind = work->job.kind;
	const struct {
		unsigned bit;
		const char *name, *path;
	} file[] = { { NEEDS_GRAPHS, "graphs", config->data.graphs },
		     { NEEDS_FEATURES, "features", config->data.features },
		     { NEEDS_EDGES, "edges", config->data.edges },
		     { NEEDS_VERTICES, "vertices", config->data.vertices } };

	for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++)
		if (kind->needs & file[i].bit && !file[i].path)
			return err_set(ERR_INPUT, "%s has no data.%s, which a job of kind %s needs",
				       config->common.name, file[i].name, kind->name);
	return work->half->check_data(work);
}
