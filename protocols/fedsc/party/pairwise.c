#include "protocols/fedsc/party/pairwise.h"
#include "common/base/alloc.h"
#include "common/base/progress.h"
#include "common/linalg/la.h"
#include "common/linalg/parallel.h"
#include "crypto/paillier.h"
#include "party/work/exchange.h"
#include "protocols/fedsc/pairwise.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

_Static_assert((int)FEDSC_PAIRWISE_EACH == (int)PAILLIER_SLOTS, "rows of a ciphertext");
/* Checks that an entry of K^ fits into a slot, and an entry of W into an exponent. */
_Static_assert(2 * FEDSC_PAIRWISE_BITS + 2 <= PAILLIER_SLOT_BITS &&
		   FEDSC_PAIRWISE_BITS + 2 <= PAILLIER_FACTOR_BITS,
	       "fixed point");

/* Another party: its key, and its encrypted rows in groups of PAILLIER_SLOTS. */
struct peer {
	struct paillier *key;
	struct paillier_vector **group;
	size_t groups, rows;
};

struct pairwise {
	struct work *work;
	size_t n, d, n_all, groups;
	int64_t *C, *W; /* n x d, in units of 2^-30 */
	struct paillier_pair *pair;
	struct peer *peer;
	struct mat K;
};

static size_t groups_of(size_t rows)
{
	return (rows + PAILLIER_SLOTS - 1) / PAILLIER_SLOTS;
}

static size_t group_rows(const struct pairwise *s, size_t group)
{
	return min_size(PAILLIER_SLOTS, s->n - group * PAILLIER_SLOTS);
}

/* Rounds x to the fixed point. An error does not contain the value. */
static enum err encode(const struct mat *x, double most, int64_t **to)
{
	ALLOC(*to, x->rows * x->cols);
	for (size_t e = 0; e < x->rows * x->cols; e++) {
		if (!(fabs(x->a[e]) <= most * (1 + 1e-6)))
			return err_set(ERR_INTERNAL, "a coefficient is beyond its bound, %g", most);
		(*to)[e] = llrint(ldexp(x->a[e], FEDSC_PAIRWISE_BITS));
	}
	return ERR_OK;
}

enum err pairwise_new(struct work *work, const struct mat *C, const struct mat *Kzz, size_t n_all,
		      double lambda, struct pairwise **out)
{
	struct pairwise *s = *out = alloc(1, sizeof(*s));
	struct mat W;
	enum err err;

	s->work = work;
	s->n = C->rows;
	s->d = C->cols;
	s->n_all = n_all;
	s->groups = groups_of(s->n);
	ALLOC(s->peer, work->L);
	mat_init(&s->K, s->n, n_all);
	la_mul_nn(C, Kzz, work->threads, &W);
	err = encode(C, 1 / (2 * sqrt(lambda)), &s->C);
	if (!err)
		err = encode(&W, 1, &s->W);
	mat_release(&W);
	return err ? err : paillier_pair_new(&s->pair);
}

static void peer_release(struct peer *p)
{
	for (size_t g = 0; g < p->groups; g++)
		paillier_vector_free(p->group[g]);
	free(p->group);
	paillier_free(p->key);
}

void pairwise_free(struct pairwise *s)
{
	if (!s)
		return;
	for (size_t l = 0; l < s->work->L; l++)
		peer_release(&s->peer[l]);
	paillier_pair_free(s->pair);
	mat_release(&s->K);
	free(s->peer);
	free(s->C);
	free(s->W);
	free(s);
}

const struct mat *pairwise_rows(const struct pairwise *s)
{
	return &s->K;
}

/* State shared by the workers of one loop over ciphertexts. The loop ends early if the job is
 * stopped. */
struct powers {
	struct pairwise *s;
	struct peer *peer;
	uint8_t *c;                /* ciphertexts, one per block */
	size_t column;             /* column of the peer's first row in K */
	_Atomic(const char *) why; /* why a ciphertext is refused */
	atomic_bool failed;        /* random numbers could not be drawn */
};

static enum err powers_end(struct powers *p)
{
	TRY(progress_check());
	return p->failed ? err_set(ERR_INTERNAL, "the system gives no random numbers") : ERR_OK;
}

/* ---- ciphers ---- */

/* Computes enc(c_it) of the rows i of a group. */
static void encrypt_block(void *ctx, unsigned worker, size_t block)
{
	struct powers *p = ctx;
	const struct pairwise *s = p->s;
	size_t group = block / s->d, t = block % s->d;
	int64_t x[PAILLIER_SLOTS];

	(void)worker;
	if (progress_stopped())
		return;
	for (size_t i = 0; i < group_rows(s, group); i++)
		x[i] = s->C[(group * PAILLIER_SLOTS + i) * s->d + t];
	if (paillier_encrypt(s->pair, x, group_rows(s, group), p->c + block * PAILLIER_LEN))
		p->failed = true;
}

/* Reads a batch of ciphers: the key, then groups of d ciphertexts. */
static enum err take_ciphers(struct pairwise *s, size_t l, const struct buf *in)
{
	struct channel *ch = s->work->channel;
	const char *name = s->work->name[l], *why;
	struct peer *p = &s->peer[l];
	size_t group = s->d * PAILLIER_LEN;

	if (in->n < PAILLIER_KEY_LEN + group || (in->n - PAILLIER_KEY_LEN) % group)
		return step_fault(ch,
				  "%s sent a key and ciphertexts of %zu bytes; expected %d and a "
				  "multiple of %zu",
				  name, in->n, PAILLIER_KEY_LEN, group);
	why = paillier_check((struct bytes){ in->p, PAILLIER_KEY_LEN });
	if (why)
		return step_fault(ch, "%s sent a wrong Paillier key: %s", name, why);
	p->key = paillier_new(in->p);
	p->groups = (in->n - PAILLIER_KEY_LEN) / group;
	ALLOC(p->group, p->groups);
	for (size_t g = 0; g < p->groups; g++) {
		p->group[g] =
		    paillier_vector_new(p->key, in->p + PAILLIER_KEY_LEN + g * group, s->d, &why);
		if (!p->group[g])
			return step_fault(ch, "%s sent a wrong ciphertext: %s", name, why);
	}
	return ERR_OK;
}

enum err pairwise_ciphers(struct pairwise *s)
{
	size_t L = s->work->L, most = PAILLIER_KEY_LEN + groups_of(s->n_all) * s->d * PAILLIER_LEN;
	size_t count = s->groups * s->d;
	struct buf *out = alloc(L, sizeof(*out)), *in = alloc(L, sizeof(*in));
	struct powers all = { .s = s, .c = alloc(count, PAILLIER_LEN) };
	uint8_t key[PAILLIER_KEY_LEN];
	enum err err;

	parallel(s->work->threads, count, encrypt_block, &all);
	paillier_pair_public(s->pair, key);
	for (size_t l = 0; l < L; l++) {
		buf_add(&out[l], key, sizeof(key));
		buf_add(&out[l], all.c, count * PAILLIER_LEN);
	}
	err = powers_end(&all);
	if (!err)
		err = party_exchange(s->work, SEALED_CIPHERS, out, in, most);
	for (size_t l = 0; l < L; l++) {
		if (!err && l != s->work->own)
			err = take_ciphers(s, l, &in[l]);
		buf_release(&out[l]);
		buf_release(&in[l]);
	}
	free(all.c);
	free(out);
	free(in);
	return err;
}

/* ---- products ---- */

/* Computes enc(K^_ij) of the own row j and the peer's rows i of a group: prod_t enc(c_it)^w_jt
 * enc(0). */
static void multiply_block(void *ctx, unsigned worker, size_t block)
{
	struct powers *p = ctx;
	size_t j = block / p->peer->groups, group = block % p->peer->groups;

	(void)worker;
	if (progress_stopped())
		return;
	if (paillier_combine(p->peer->group[group], p->s->W + j * p->s->d,
			     p->c + block * PAILLIER_LEN))
		p->failed = true;
}

/* Decrypts K^_ij of the peer's row j and the own rows i of a group. */
static void decrypt_block(void *ctx, unsigned worker, size_t block)
{
	struct powers *p = ctx;
	struct pairwise *s = p->s;
	size_t j = block / s->groups, first = block % s->groups * PAILLIER_SLOTS;
	size_t rows = group_rows(s, block % s->groups);
	int64_t x[PAILLIER_SLOTS];
	const char *why;

	(void)worker;
	if (progress_stopped())
		return;
	why = paillier_decrypt(s->pair, p->c + block * PAILLIER_LEN, x, rows);
	for (size_t i = 0; i < rows && !why; i++) {
		double k = ldexp((double)x[i], -2 * FEDSC_PAIRWISE_BITS);

		if (fabs(k) > FEDSC_PAIRWISE_LIMIT)
			why = "a similarity is out of range";
		MAT(&s->K, first + i, p->column + j) = k;
	}
	if (why)
		p->why = why;
}

/* Computes K^ of own rows with each other. Sums are unsigned, because a partial sum may overflow;
 * the whole sum is bounded. */
static void multiply_own(struct pairwise *s, size_t column)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->n; j++) {
			uint64_t sum = 0;

			for (size_t t = 0; t < s->d; t++)
				sum += (uint64_t)s->C[i * s->d + t] * (uint64_t)s->W[j * s->d + t];
			MAT(&s->K, i, column + j) =
			    ldexp((double)(int64_t)sum, -2 * FEDSC_PAIRWISE_BITS);
		}
}

/* Derives each peer's number of rows from the length of its batch. */
static enum err count_peers_rows(struct pairwise *s, const struct buf *in)
{
	size_t unit = s->groups * PAILLIER_LEN, all = s->n;

	for (size_t l = 0; l < s->work->L; l++) {
		struct peer *p = &s->peer[l];

		if (l == s->work->own)
			continue;
		p->rows = in[l].n / unit;
		all += p->rows;
		if (p->rows == 0 || in[l].n % unit || groups_of(p->rows) != p->groups)
			return step_fault(s->work->channel,
					  "%s sent products of %zu bytes; expected %zu for each of "
					  "its rows, of which it sent %zu groups",
					  s->work->name[l], in[l].n, unit, p->groups);
	}
	if (all != s->n_all)
		return step_fault(s->work->channel,
				  "a party's count is wrong: the parties sent products of %zu "
				  "rows, expected %zu",
				  all, s->n_all);
	return ERR_OK;
}

static enum err take_products(struct pairwise *s, const struct buf *in)
{
	struct powers one = { .s = s };

	TRY(count_peers_rows(s, in));
	for (size_t l = 0; l < s->work->L;
	     one.column += l == s->work->own ? s->n : one.peer->rows, l++) {
		one.peer = &s->peer[l];
		if (l == s->work->own) {
			multiply_own(s, one.column);
			continue;
		}
		one.c = in[l].p;
		parallel(s->work->threads, one.peer->rows * s->groups, decrypt_block, &one);
		TRY(powers_end(&one));
		if (one.why)
			return step_fault(s->work->channel, "%s sent a wrong product: %s",
					  s->work->name[l], one.why);
	}
	return ERR_OK;
}

enum err pairwise_products(struct pairwise *s)
{
	size_t L = s->work->L, most = s->n_all * s->groups * PAILLIER_LEN;
	struct buf *out = alloc(L, sizeof(*out)), *in = alloc(L, sizeof(*in));
	struct powers all = { .s = s };
	enum err err;

	for (size_t l = 0; l < L; l++) {
		size_t count = s->n * s->peer[l].groups;

		if (l == s->work->own)
			continue;
		all.peer = &s->peer[l];
		all.c = buf_extend(&out[l], count * PAILLIER_LEN);
		parallel(s->work->threads, count, multiply_block, &all);
	}
	err = powers_end(&all);
	if (!err)
		err = party_exchange(s->work, SEALED_PRODUCTS, out, in, most);
	if (!err)
		err = take_products(s, in);
	for (size_t l = 0; l < L; l++) {
		buf_release(&out[l]);
		buf_release(&in[l]);
	}
	free(out);
	free(in);
	return err;
}
