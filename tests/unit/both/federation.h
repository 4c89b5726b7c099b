/* federation.h -- runs both halves of a protocol against each other in memory, with real masks and
 * without sockets.
 *
 *     thread of the coordinator                   thread of party l
 *     server_kind.run over L channels   <----->   party_kind.run over one channel
 *
 * federation_init() sets up kCAGC. Tests of other kinds call federation_frame(), and for each party
 * federation_seat(); they set the party's data (X, dataset or graphs) and call federation_keys()
 * and federation_join(). All tests call federation_run() and federation_release().
 *
 * The halves are in half_server.c and half_party.c; each includes headers of one side only. */
#ifndef TESTS_UNIT_BOTH_FEDERATION_H
#define TESTS_UNIT_BOTH_FEDERATION_H

#include "tests/test.h"
#include "common/base/log.h"
#include "common/job/record.h"
#include "crypto/secagg.h"
#include "protocols/kcagc/party/model.h"
#include "proto/channel.h"
#include "tests/unit/protocols/kcagc/planted.h"
#include "tests/unit/crypto/lab.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { FED_MAX = 16 };

/* ---- a half: the coordinator, or a party ---- */

struct half {
	const struct job *job;
	size_t L, own; /* own: at a party, its number */
	const char *name[FED_MAX];
	struct channel *channel[FED_MAX]; /* the coordinator has L, a party has one */
	struct mailbox *mailbox;
	struct record record;
	struct secagg *secagg;
	uint8_t group_key[SECAGG_HASH_LEN]; /* set by the first run; a replay uses it again */
	bool has_group_key;
	struct features X;
	const struct graph *g;
	const struct dataset *dataset; /* a party's data in fedspectral: borrowed */
	const struct graphs *graphs;   /* a party's data in fedgcn: borrowed */
	const char *output;            /* directory for the models of fedgcn */
	size_t n;                      /* number of nodes; at a party, the number of its own rows */
	size_t columns;                /* number of columns, in fedsc and kmeans */
	unsigned min_cluster;
	unsigned threads;
	bool compares;      /* parties compare what they received, and all send DONE */
	uint32_t *label;    /* n labels */
	unsigned clusters;  /* clusters that fedspectral found */
	float *embedding;   /* in fedwalk: one row for each node of this half; or NULL */
	double *confidence; /* at the coordinator: n values; or NULL */
	bool labelled;      /* in fedsc and kmeans: the coordinator has labels too */
	/* at a party: the model that it predicts with, or that its run made; federation_release()
	 * frees it */
	struct model *model;
	enum err result;
	char why[ERR_DETAIL_MAX];
	pthread_t thread;
	/* Called for each received message that this half expects. At the coordinator, l is the
	 * party that sent the message. */
	void (*saw)(void *arg, size_t l, enum msg_type type, struct bytes body);
	void *saw_arg;
	/* `state` is the directory of a party's secret, and `data_hash` is the digest of its data.
	 * `numbers` is the key by which the coordinator numbers nodes. A value that is NULL is
	 * drawn at random. */
	const char *state;
	const uint8_t *data_hash, *numbers;
	/* a party's key file; NULL: each job draws random keys */
	const struct numbering *numbering;
	/* Called at a party before it sends a result with noise. `question` is the hash that
	 * determines the noise, and `release` is the number of that result in the attempt. */
	void (*asked)(void *arg, size_t own, uint32_t release, const uint8_t *question);
};

void *half_server(void *half); /* thread functions, in half_server.c and half_party.c */
void *half_party(void *half);

/* Sends the ABORT that a daemon sends when its half fails. `ending` is the kind of a party's
 * ending; it is 0 at the coordinator. */
static inline void half_abort(const struct half *h, struct channel *ch, enum ending ending)
{
	struct msg m = { .type = MSG_ABORT,
			 .abort = { (uint16_t)h->result, (uint16_t)ending, msg_text("") } };

	if (!ending)
		m.abort.text = msg_text(h->why);

	(void)!channel_send(ch, &m);
}

/* ---- one federation ---- */

struct federation {
	struct half server, party[FED_MAX];
	char names[FED_MAX][24];
};

/* Logs nothing but errors. */
__attribute__((constructor)) static inline void federation_quiet(void)
{
	log_init("test", LOG_ERROR);
	log_set_stream(STDERR_FILENO, false);
}

/* Returns whether any half's error contains this text. The half that found the cause has the text.
 * If that half is a party, the other halves receive only the kind of ending. */
static inline bool federation_says(const struct federation *f, size_t L, const char *text)
{
	bool says = strstr(f->server.why, text) != NULL;

	for (size_t l = 0; l < L; l++)
		says |= strstr(f->party[l].why, text) != NULL;
	return says;
}

/* Returns party l's identity, made once for all federations of the program. */
static inline struct identity *federation_identity(size_t l)
{
	static struct identity *id[FED_MAX];
	char dir[64];

	if (!id[0]) {
		lab_dir(dir);
		for (int i = 0; i < FED_MAX; i++)
			id[i] = lab_identity(dir, i);
		lab_remove(dir);
	}
	return id[l];
}

static inline void federation_keys(struct federation *f, size_t L, const struct job *job)
{
	struct secagg_advert adverts[FED_MAX];
	uint8_t pins[FED_MAX][SECAGG_HASH_LEN];

	for (size_t l = 0; l < L; l++) {
		struct secagg_setup setup = { .job_id = "test",
					      .attempt = 1,
					      .group_bits = job->group_bits,
					      .modulus_bits = job->modulus_bits,
					      .parties = L,
					      .names = f->server.name,
					      .own = l };

		assert_ok(secagg_new(&f->party[l].secagg, &setup, federation_identity(l)));
		secagg_own_advert(f->party[l].secagg, &adverts[l]);
		identity_fingerprint(federation_identity(l), pins[l]);
	}
	for (size_t l = 0; l < L; l++)
		assert_ok(secagg_agree(f->party[l].secagg, adverts,
				       (const uint8_t(*)[SECAGG_HASH_LEN])pins));
}

/* Sets up party l with n nodes or rows, but without its data and keys. */
static inline void federation_seat(struct federation *f, size_t l, size_t n)
{
	struct half *h = &f->party[l];

	h->job = f->server.job;
	h->L = f->server.L;
	h->own = l;
	h->n = n;
	h->threads = 1;
	ALLOC(h->label, n);
	memcpy(h->name, f->server.name, sizeof(h->name));
	h->mailbox = mailbox_new(60);
	record_init(&h->record, "party", f->names[l]);
	h->channel[0] = channel_new(h->mailbox, PARTY, "hub");
}

/* Sets up the coordinator with n nodes or rows, and the names of L parties. */
static inline void federation_frame(struct federation *f, size_t n, size_t L, const struct job *job)
{
	*f = (struct federation){ 0 };
	f->server.job = job;
	f->server.L = L;
	f->server.n = n;
	f->server.mailbox = mailbox_new(60);
	ALLOC(f->server.label, n);
	record_init(&f->server.record, "coordinator", "hub");
	for (size_t l = 0; l < L; l++) {
		snprintf(f->names[l], sizeof(f->names[l]), "p%zx", l); /* names must ascend */
		f->server.name[l] = f->names[l];
		f->server.channel[l] = channel_new(f->server.mailbox, COORD, f->names[l]);
	}
}

/* Sets up everything for the protocol except the connections between the channels. */
static inline void federation_open(struct federation *f, const struct planted *p, size_t L,
				   const struct job *job)
{
	federation_frame(f, p->n, L, job);
	for (size_t l = 0; l < L; l++) {
		federation_seat(f, l, p->n);
		f->party[l].g = &p->g;
		planted_slice(p, l, L, &f->party[l].X);
	}
	federation_keys(f, L, job);
}

static inline void federation_join(struct federation *f)
{
	for (size_t l = 0; l < f->server.L; l++)
		channel_pair(f->server.channel[l], f->party[l].channel[0]);
}

static inline void federation_init(struct federation *f, const struct planted *p, size_t L,
				   const struct job *job)
{
	federation_open(f, p, L, job);
	federation_join(f);
}

static inline void federation_run(struct federation *f)
{
	size_t L = f->server.L;

	pthread_create(&f->server.thread, NULL, half_server, &f->server);
	for (size_t l = 0; l < L; l++)
		pthread_create(&f->party[l].thread, NULL, half_party, &f->party[l]);
	pthread_join(f->server.thread, NULL);
	for (size_t l = 0; l < L; l++)
		pthread_join(f->party[l].thread, NULL);
}

/* Requires that all halves succeeded with the same labels. */
static inline void federation_succeeded(const struct federation *f)
{
	if (f->server.result != ERR_OK)
		fail_msg("L=%zu: %s", f->server.L, f->server.why);
	for (size_t l = 0; l < f->server.L; l++) {
		assert_int_equal(f->party[l].result, ERR_OK);
		assert_memory_equal(f->party[l].label, f->server.label,
				    f->server.n * sizeof(*f->server.label));
	}
}

static inline void federation_release(struct federation *f)
{
	for (size_t l = 0; l < f->server.L; l++) {
		channel_free(f->server.channel[l]);
		channel_free(f->party[l].channel[0]);
		mailbox_free(f->party[l].mailbox);
		secagg_free(f->party[l].secagg);
		features_release(&f->party[l].X);
		record_release(&f->party[l].record);
		free(f->party[l].label);
		free(f->party[l].embedding);
		model_free(f->party[l].model);
	}
	mailbox_free(f->server.mailbox);
	record_release(&f->server.record);
	free(f->server.label);
	free(f->server.embedding);
	free(f->server.confidence);
}

#endif
