#include "party/work/work.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/data/dataset.h"
#include "common/linalg/la.h"
#include "common/privacy/noise.h"
#include "crypto/secret.h"
#include "crypto/seal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void work_step(struct work *work)
{
	struct link_times passed;

	mailbox_times(work->mailbox, &passed);
	record_step(work->record, &passed);
}

void work_phase(struct work *work, const char *name)
{
	work_step(work);
	record_phase(work->record, name);
	work->broadcasts.confirmed = false;
	channel_step(work->channel, record_now(work->record)->name);
	log_next(name);
}

const struct columns *work_columns(const struct work *work)
{
	return work->dataset ? &work->dataset->columns : NULL;
}

void work_progress(struct work *work, unsigned iteration, size_t moved)
{
	struct log_progress p = { .phase = record_now(work->record)->name,
				  .iteration = iteration,
				  .moved = moved,
				  .bytes = channel_bytes(work->channel),
				  .elapsed_s = clock_now_s() - work->record->started_s };

	record_now(work->record)->iterations = iteration;
	log_progress(&p);
	work_step(work);
}

enum err work_warm(struct work *work)
{
	size_t need = job_burst(&work->job, work->n, false);

	return need ? channel_warm(work->channel, need) : channel_release(work->channel);
}

enum err work_warm_on(struct work *work, size_t spare)
{
	size_t need = job_burst(&work->job, work->n, false);

	return need ? channel_warm_on(work->channel, need, spare) : channel_release(work->channel);
}

enum err work_recv_clusters(struct work *work, enum msg_type type, const struct tree_node *node,
			    uint32_t k, uint32_t *label, size_t count)
{
	TRY(channel_recv_labels(work->channel, type, node->id, k, label, count));
	for (size_t i = 0; i < count; i++)
		if (label[i] == k)
			return peer_fault(work->channel,
					  "sent %s with entry %zu in none of %u clusters",
					  msg_name(type), i, k);
	return ERR_OK;
}

enum err work_send_sealed(struct work *work, size_t to, enum sealed what, struct bytes text)
{
	struct msg m = { .type = MSG_SEALED };
	struct buf box = { 0 };
	enum err e;

	seal_make(work->secagg, to, (uint16_t)what, text, &box);
	m.sealed = (struct msg_sealed){
		(uint16_t)what, (uint32_t)work->own, (uint32_t)to, { box.p, box.n }
	};
	e = channel_send(work->channel, &m);
	buf_release(&box);
	return e;
}

/* Receives 32 bytes that party `from` has sealed for this party. Each party receives another box,
 * so the box enters no transcript.
 */
static enum err recv_sealed(struct work *work, enum sealed what, size_t from,
			    uint8_t text[static SECAGG_HASH_LEN])
{
	bool per_party = work->broadcasts.per_party;
	const struct msg_sealed *s;
	struct msg m;
	enum err e;

	work->broadcasts.per_party = true;
	e = channel_recv(work->channel, MSG_SEALED, &m);
	work->broadcasts.per_party = per_party;
	TRY(e);
	s = &m.sealed;
	if (s->what != what || s->from != from || s->to != work->own ||
	    s->box.n != SECAGG_HASH_LEN + SEAL_TAG_LEN)
		return peer_fault(work->channel,
				  "passed on SEALED %u of party %" PRIu32 " to party %" PRIu32
				  " with %zu bytes; expected %d, %zu, %zu and %d",
				  s->what, s->from, s->to, s->box.n, what, from, work->own,
				  SECAGG_HASH_LEN + SEAL_TAG_LEN);
	e = seal_open(work->secagg, from, (uint16_t)what, s->box, text);
	return e ? err_prefix(e, "as %s passed it on", channel_peer(work->channel)) : ERR_OK;
}

enum err work_share_key(struct work *work, enum sealed what, uint8_t key[static SECAGG_HASH_LEN])
{
	for (uint32_t to = 1; work->own == 0 && to < work->L; to++)
		TRY(work_send_sealed(work, to, what, (struct bytes){ key, SECAGG_HASH_LEN }));
	return work->own == 0 ? ERR_OK : recv_sealed(work, what, 0, key);
}

enum err work_show_all(struct work *work, enum sealed what, uint8_t (*shown)[SECAGG_HASH_LEN])
{
	const struct bytes own = { shown[work->own], SECAGG_HASH_LEN };

	for (size_t to = 0; to < work->L; to++)
		if (to != work->own)
			TRY(work_send_sealed(work, to, what, own));
	for (size_t from = 0; from < work->L; from++)
		if (from != work->own)
			TRY(recv_sealed(work, what, from, shown[from]));
	return ERR_OK;
}

enum err work_group_key(struct work *work)
{
	bool first = !work->group_key;

	if (first)
		work->group_key = secret_new(SECAGG_HASH_LEN);
	if (work->own == 0 && first)
		TRY(random_secret(work->group_key, SECAGG_HASH_LEN));
	return work_share_key(work, SEALED_GROUP_KEY, work->group_key);
}

enum err work_check_memory(const struct work *work, const char *what, double need)
{
	if (need <= machine_memory())
		return ERR_OK;
	return peer_fault(work->channel, "sent %s, which take %s at least; this process may use %s",
			  what, size_text(need).s, size_text(machine_memory()).s);
}

/* Checks that G, which is B'B of all n rows of the block, is n times the identity. */
static enum err check_block(struct work *work, const struct mat *G, size_t n)
{
	bool good = true;

	for (size_t i = 0; i < G->rows; i++)
		for (size_t j = 0; j < G->cols; j++)
			good &= fabs(MAT(G, i, j) / (double)n - (i == j)) <= BLOCK_ROUNDING;
	if (good)
		return ERR_OK;
	return peer_fault(work->channel,
			  "sent a BLOCK whose columns are not orthogonal and of length sqrt(n)");
}

enum err work_recv_block(struct work *work, const struct tree_node *node, struct mat *B)
{
	struct mat G;
	enum err e;

	TRY(channel_recv_reals(work->channel, MSG_BLOCK, node->id, B->a, B->rows * B->cols));
	la_gram_columns(B, work->threads, &G);
	e = check_block(work, &G, B->rows);
	mat_release(&G);
	return e;
}

/* A block that is being passed on: some of its rows, and B'B of the rows passed on so far. */
struct passing {
	struct work *work;
	struct mat some, G;
	size_t n, left, held; /* rows of the block, rows not passed on yet, numbers in `some` */
	channel_reals *each;
	void *arg;
};

/* Passes rows on. Before it passes the last rows on, checks B'B of all rows. */
static enum err pass_rows(struct passing *p)
{
	struct mat part;

	la_gram_columns(&p->some, 1, &part);
	for (size_t i = 0; i < part.rows * part.cols; i++)
		p->G.a[i] += part.a[i];
	mat_release(&part);
	p->left -= p->some.rows;
	if (!p->left)
		TRY(check_block(p->work, &p->G, p->n));
	TRY(p->each(p->arg, p->some.a, p->held));
	p->held = 0;
	p->some.rows = min_size(p->some.rows, p->left);
	return ERR_OK;
}

static enum err work_take_numbers(void *arg, const double *x, size_t count)
{
	struct passing *p = arg;

	while (count) {
		size_t room = p->some.rows * p->some.cols, now = min_size(count, room - p->held);

		memcpy(p->some.a + p->held, x, now * sizeof(*x));
		p->held += now;
		x += now;
		count -= now;
		if (p->held == room)
			TRY(pass_rows(p));
	}
	return ERR_OK;
}

enum err work_pass_block(struct work *work, const struct tree_node *node, size_t n, size_t width,
			 channel_reals *each, void *arg)
{
	size_t row = width * sizeof(double), rows = row < BLOCK_PIECE ? BLOCK_PIECE / row : 1;
	struct passing p = { .work = work, .n = n, .left = n, .each = each, .arg = arg };
	enum err e;

	mat_init(&p.some, min_size(rows, n), width);
	mat_init(&p.G, width, width);
	e = channel_pass_reals(work->channel, MSG_BLOCK, node->id, n * width, work_take_numbers,
			       &p);
	mat_release(&p.some);
	mat_release(&p.G);
	return e;
}

static enum err from_csprng(void *ctx, void *p, size_t n)
{
	(void)ctx;
	return random_secret(p, n);
}

const struct noise_source *work_random(void)
{
	static const struct noise_source source = { .bytes = from_csprng };

	return &source;
}
