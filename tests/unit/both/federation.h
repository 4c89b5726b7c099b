/* federation.h -- both halves of kCAGC against each other in memory: real masks, no sockets.
 *
 *        thread of the coordinator                thread of party l
 *        server_kcagc over L channels   <----->   party_kcagc over one channel
 *
 * Data: a planted graph of FED_N nodes in FED_K blocks, its columns dealt out to the parties in
 * turn. The halves stand in half_server.c and half_party.c, which see one side's headers each.
 */
#ifndef TESTS_UNIT_BOTH_FEDERATION_H
#define TESTS_UNIT_BOTH_FEDERATION_H

#include "tests/test.h"
#include "common/base/alloc.h"
#include "common/base/rng.h"
#include "common/job/job.h"
#include "common/job/record.h"
#include "crypto/secagg.h"
#include "proto/channel.h"
#include "tests/unit/crypto/lab.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FED_MAX = 9, FED_N = 240, FED_M = 36, FED_K = 3 };

/* ---- data ---- */

struct planted {
	struct mat X; /* FED_N x FED_M */
	struct graph g;
	uint32_t truth[FED_N];
};

static inline void planted_make(struct planted *p, uint64_t seed, double noise)
{
	struct csr a;
	struct triple *t = alloc(FED_N * 12, sizeof(*t));
	struct rng rng;
	size_t edges = 0;

	rng_seed(&rng, seed, 0);
	mat_init(&p->X, FED_N, FED_M);
	for (size_t i = 0; i < FED_N; i++)
		p->truth[i] = (uint32_t)rng_below(&rng, FED_K);
	for (size_t i = 0; i < FED_N; i++)
		for (size_t j = 0; j < FED_M; j++)
			MAT(&p->X, i, j) = (j * FED_K / FED_M == p->truth[i]) + noise * rng_normal(&rng);
	for (uint32_t e = 0; e < FED_N * 4; e++) {
		uint32_t u = (uint32_t)rng_below(&rng, FED_N), v = (uint32_t)rng_below(&rng, FED_N);

		if (u == v || (p->truth[u] != p->truth[v] && rng_unit(&rng) < 0.9))
			continue;
		t[edges++] = (struct triple){ u, v, 1 };
		t[edges++] = (struct triple){ v, u, 1 };
	}
	csr_from_triples(&a, FED_N, FED_N, t, edges);
	free(a.value); /* unweighted: duplicates are one edge */
	a.value = NULL;
	free(t);
	graph_init(&p->g, &a);
}

static inline void planted_release(struct planted *p)
{
	mat_release(&p->X);
	graph_release(&p->g);
}

/* Party l's columns: l, l + L, l + 2 L, ... */
static inline void planted_slice(const struct planted *p, size_t l, size_t L, struct features *X)
{
	size_t width = (FED_M - l + L - 1) / L;

	*X = (struct features){ 0 };
	mat_init(&X->dense, FED_N, width);
	for (size_t i = 0; i < FED_N; i++)
		for (size_t j = 0; j < width; j++)
			MAT(&X->dense, i, j) = MAT(&p->X, i, l + j * L);
}

/* A job over the planted data; each of a and b is "path=value" or NULL. */
static inline struct job planted_job(const char *a, const char *b)
{
	static const char text[] = "{\"kind\":\"kcagc\",\"clusters\":3,\"filter\":{\"order\":2},"
				   "\"allow_single\":true}";
	char *set[] = { (char *)a, (char *)b, NULL };
	struct job job;

	assert_ok(job_parse(&job, (struct bytes){ (const uint8_t *)text, sizeof(text) - 1 }, "test",
			    a ? set : NULL));
	return job;
}

/* ---- the two halves, behind one shape ---- */

struct half {
	const struct job *job;
	size_t L, own;                   /* own: a party's number */
	const char *name[FED_MAX];
	struct channel *channel[FED_MAX]; /* the coordinator's L, or a party's one */
	struct post *post;
	struct record record;
	struct secagg *secagg;
	struct features X;
	const struct graph *g;
	unsigned threads;
	uint32_t label[FED_N];
	enum err result;
	char why[ERR_DETAIL_MAX];
	pthread_t thread;
};

void *half_server(void *half); /* half_server.c and half_party.c, thread functions */
void *half_party(void *half);

/* ---- one federation ---- */

struct federation {
	struct half server, party[FED_MAX];
	char names[FED_MAX][16];
	char dir[64];
	struct identity *id[FED_MAX];
};

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

		assert_ok(secagg_new(&f->party[l].secagg, &setup, f->id[l]));
		secagg_own_advert(f->party[l].secagg, &adverts[l]);
		identity_fingerprint(f->id[l], pins[l]);
	}
	for (size_t l = 0; l < L; l++)
		assert_ok(secagg_agree(f->party[l].secagg, adverts,
				       (const uint8_t(*)[SECAGG_HASH_LEN])pins));
}

/* Everything up to the start of the protocol: names, keys, channels, slices. */
static inline void federation_init(struct federation *f, const struct planted *p, size_t L,
				   const struct job *job, unsigned threads)
{
	*f = (struct federation){ 0 };
	lab_dir(f->dir);
	f->server.job = job;
	f->server.L = L;
	f->server.post = post_new(60);
	record_init(&f->server.record, "coordinator", "hub");
	for (size_t l = 0; l < L; l++) {
		struct half *h = &f->party[l];

		snprintf(f->names[l], sizeof(f->names[l]), "p%zu", l);
		f->server.name[l] = f->names[l];
		f->id[l] = lab_identity(f->dir, (int)l);
		h->job = job;
		h->L = L;
		h->own = l;
		h->g = &p->g;
		h->threads = threads;
		h->post = post_new(60);
		record_init(&h->record, "party", f->names[l]);
		h->channel[0] = channel_new(h->post, PARTY, "hub");
		f->server.channel[l] = channel_new(f->server.post, COORD, f->names[l]);
		channel_pair(f->server.channel[l], h->channel[0]);
		planted_slice(p, l, L, &h->X);
	}
	for (size_t l = 0; l < L; l++)
		memcpy(f->party[l].name, f->server.name, sizeof(f->server.name));
	federation_keys(f, L, job);
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

static inline void federation_release(struct federation *f)
{
	for (size_t l = 0; l < f->server.L; l++) {
		channel_free(f->server.channel[l]);
		channel_free(f->party[l].channel[0]);
		post_free(f->party[l].post);
		secagg_free(f->party[l].secagg);
		features_release(&f->party[l].X);
		record_release(&f->party[l].record);
		identity_free(f->id[l]);
	}
	post_free(f->server.post);
	record_release(&f->server.record);
	lab_remove(f->dir);
}

#endif
