/* Tests variant "pairwise" (Appendix C of the FedSC paper) with real masks, sealed messages and
 * encryption. Labels equal those of variant "paper", and a party's false messages are refused. */
#include "tests/unit/protocols/fedsc/points.h"

#include "crypto/paillier.h"
#include "common/linalg/la.h"
#include "protocols/fedsc/pairwise.h"
#include "party/work/exchange.h"

#include <math.h>

enum { K = 3, M = 5, LIAR = 1, VICTIM = 2 };

/* ---- a party that falsifies its batches or its similarities ---- */

enum lie {
	NO_LIE,
	KEY_SHORT,
	KEY_SMALL,
	KEY_EVEN,
	CIPHER_ZERO,
	CIPHER_LARGE,
	CIPHER_SHORT,
	CIPHER_OF_N,
	PRODUCT_LARGE,
	PRODUCT_RANDOM,
	PRODUCT_MISSING,
	PRODUCT_MORE,
	PRODUCT_FALSE,
	PRODUCT_DOUBLE,
	HALF_FALSE,
	HALF_ROUNDED,
	HALF_LARGE,
	HALF_OF_OWN,
	READS, /* follows the protocol */
};

static enum lie lie;
static struct paillier *victims_key;

static enum err lying_exchange(struct work *work, enum sealed what, struct buf *out, struct buf *in,
			       size_t most);
#include "protocols/fedsc/party/pairwise.h"
static const struct mat *honest_rows(const struct pairwise *s);
static _Atomic unsigned powers; /* number of powers of ciphertexts since the last reset */

static void count_power(void)
{
	powers++;
}

#define party_exchange        lying_exchange
#define pairwise_rows         honest_rows
#define paillier_encrypt(...) (count_power(), paillier_encrypt(__VA_ARGS__))
#define paillier_combine(...) (count_power(), paillier_combine(__VA_ARGS__))
#define paillier_decrypt(...) (count_power(), paillier_decrypt(__VA_ARGS__))
#include "protocols/fedsc/party/pairwise.c"
#undef party_exchange
#undef pairwise_rows
#undef paillier_encrypt
#undef paillier_combine
#undef paillier_decrypt

static void lie_in_ciphers(struct buf *out)
{
	uint8_t *n = out->p, *c = n + PAILLIER_KEY_LEN;

	switch (lie) {
	case KEY_SHORT:
		buf_drop(out, 1);
		break;
	case KEY_SMALL:
		n[0] &= 0x7f;
		break;
	case KEY_EVEN:
		n[PAILLIER_KEY_LEN - 1] &= 0xfe;
		break;
	case CIPHER_ZERO:
		memset(c, 0, PAILLIER_LEN);
		break;
	case CIPHER_LARGE:
		memset(c, 0xff, PAILLIER_LEN);
		break;
	case CIPHER_SHORT:
		out->n -= PAILLIER_LEN;
		break;
	case CIPHER_OF_N:
		memset(c, 0, PAILLIER_LEN);
		memcpy(c + PAILLIER_KEY_LEN, n, PAILLIER_KEY_LEN);
		break;
	default:
		break;
	}
}

/* Falsifies products. PRODUCT_FALSE replaces the first row's products by their negatives, which are
 * in range. PRODUCT_DOUBLE doubles them; those with the victim's nearest row then exceed 1. */
static void lie_in_products(struct buf *out)
{
	const char *why;
	struct paillier_vector *v;

	switch (lie) {
	case PRODUCT_LARGE:
		memset(out->p, 0xff, PAILLIER_LEN);
		break;
	case PRODUCT_RANDOM:
		memset(out->p + 1, 0x5a, PAILLIER_LEN - 1);
		out->p[0] = 0;
		break;
	case PRODUCT_MISSING:
		out->n -= PAILLIER_LEN;
		break;
	case PRODUCT_MORE:
		buf_extend(out, 40 * PAILLIER_LEN);
		break;
	case PRODUCT_FALSE:
	case PRODUCT_DOUBLE:
		v = paillier_vector_new(victims_key, out->p, 1, &why);
		assert_non_null(v);
		assert_ok(paillier_combine(v, &(int64_t){ lie == PRODUCT_FALSE ? -1 : 2 }, out->p));
		paillier_vector_free(v);
		break;
	default:
		break;
	}
}

static enum err lying_exchange(struct work *work, enum sealed what, struct buf *out, struct buf *in,
			       size_t most)
{
	bool lies = lie != NO_LIE && work->own == LIAR;
	enum err e;

	if (lies && what == SEALED_CIPHERS)
		lie_in_ciphers(&out[VICTIM]);
	if (lies && what == SEALED_PRODUCTS)
		lie_in_products(&out[VICTIM]);
	e = party_exchange(work, what, out, in, most);
	if (lies && what == SEALED_CIPHERS && e == ERR_OK)
		victims_key = paillier_new(in[VICTIM].p);
	return e;
}

/* With READS, the liar computes the vector w_j of each row j of the victim. It knows its own
 * coefficients c_i and the similarities c_i' w_j, and solves for w_j. `read_w` has the vectors that
 * it found as rows, `true_w` the true ones. */
static struct mat read_w, true_w;

static struct mat reals(const int64_t *x, size_t rows, size_t cols)
{
	struct mat m;

	mat_init(&m, rows, cols);
	for (size_t e = 0; e < rows * cols; e++)
		m.a[e] = ldexp((double)x[e], -FEDSC_PAIRWISE_BITS);
	return m;
}

static void read_rows(const struct pairwise *s)
{
	struct mat C = reals(s->C, s->n, s->d), gram, theirs;
	size_t rows = s->peer[VICTIM].rows;

	mat_init(&theirs, rows, s->n);
	for (size_t j = 0; j < rows; j++)
		for (size_t i = 0; i < s->n; i++)
			MAT(&theirs, j, i) = MAT(&s->K, i, s->n_all - rows + j);
	/* read_w (rows x d) is K'C here, and is multiplied by (C'C)^-1 below */
	la_mul_nn(&theirs, &C, 1, &read_w);
	la_gram_columns(&C, 1, &gram);
	assert_ok(la_cholesky(&gram));
	assert_ok(la_cholesky_solve(&gram, read_w.a, rows));
	mat_release(&gram);
	mat_release(&theirs);
	mat_release(&C);
}

/* Replaces pairwise_rows() to read or falsify similarities. The victim's columns follow the liar's.
 */
const struct mat *pairwise_rows(const struct pairwise *s)
{
	double *last = &MAT(&s->K, 0, s->n_all - 1);

	if (lie == READS && s->work->own == VICTIM)
		true_w = reals(s->W, s->n, s->d);
	if (lie == READS && s->work->own == LIAR)
		read_rows(s);
	if (s->work->own == LIAR) {
		*last += lie == HALF_FALSE ? 1e-6 : lie == HALF_ROUNDED ? 1e-9 : 0;
		*last = lie == HALF_LARGE ? 1.001 : *last;
		if (lie == HALF_OF_OWN)
			MAT(&s->K, 0, s->n_all - s->peer[VICTIM].rows - 1) += 1e-6;
	}
	return honest_rows(s);
}

/* ---- labels ---- */

/* Checks that two labellings have the same clusters, numbered in any order. */
static void assert_same(const uint32_t *a, const uint32_t *b, size_t n)
{
	uint32_t to[K] = { K, K, K };

	for (size_t i = 0; i < n; i++) {
		if (to[a[i]] == K)
			to[a[i]] = b[i];
		assert_int_equal(to[a[i]], b[i]);
	}
}

static void check_labels(const char *settings, size_t each, double apart, size_t L)
{
	char both[2][160];
	uint32_t *label[2];
	struct points p;

	points_make(&p, K, each, M, apart, L, 1);
	for (size_t v = 0; v < 2; v++) {
		struct job job;

		snprintf(both[v], sizeof(both[v]), "variant=%s %s", v ? "pairwise" : "paper",
			 settings);
		job = points_job(both[v]);
		label[v] = points_run(&p, L, &job, NULL);
	}
	assert_same(label[1], label[0], p.X.rows);
	assert_same(label[0], label[1], p.X.rows);
	free(label[0]);
	free(label[1]);
	points_release(&p);
}

TEST(labels_of_variant_paper)
{
	check_labels("", 12, 1.5, 3);
	check_labels("rounds=1 dims=9 kernel.lambda=1e-6 kernel.width=1.5", 11, 1, 2);
	check_labels("noise.on=none dims=4", 40, 2, 1); /* one party pairs its own rows */
	check_labels("dims=4 rounds=0 kernel.factor=0.3", 23, 1, 2);
}

/* ---- false messages ---- */

/* Runs a job in which one party falsifies messages as `which` says. The coordinator or the victim
 * must report `sentence`; if it is NULL, the run must succeed. */
static void refused(enum lie which, bool by_coordinator, const char *sentence)
{
	struct job job = points_job("variant=pairwise dims=4 rounds=0 min_cluster=1 restarts=1");
	struct federation *f;
	struct points p;

	lie = which;
	points_make(&p, K, 4, 2, 3, 3, 1);
	for (size_t i = 0; i < p.X.rows; i++)
		p.part[i] = (uint32_t)(i % 3);
	f = points_federation(&p, 3, &job);
	federation_run(f);
	if (!sentence) {
		assert_all_done(f);
	} else {
		const char *why = by_coordinator ? f->server.why : f->party[VICTIM].why;

		assert_int_equal(f->server.result, ERR_PEER);
		if (!strstr(why, sentence))
			fail_msg("lie %d: \"%s\", expected \"%s\"", which, why, sentence);
	}
	paillier_free(victims_key);
	victims_key = NULL;
	lie = NO_LIE;
	products_end(f);
	points_release(&p);
}

TEST(lies_in_keys_and_ciphertexts)
{
	refused(KEY_SHORT, false, "sent a key and ciphertexts of 2303 bytes; expected 256 and");
	refused(KEY_SMALL, false, "sent a wrong Paillier key: it is not of 2048 bits");
	refused(KEY_EVEN, false, "sent a wrong Paillier key: it is even");
	refused(CIPHER_ZERO, false, "sent a wrong ciphertext: it is out of range");
	refused(CIPHER_LARGE, false, "sent a wrong ciphertext: it is out of range");
	refused(CIPHER_SHORT, false, "sent a key and ciphertexts of 1792 bytes; expected 256 and");
	refused(CIPHER_OF_N, false, "sent a wrong ciphertext: it has a factor in common");
}

TEST(lies_in_products)
{
	refused(PRODUCT_LARGE, false, "sent a wrong product: it is no ciphertext of the key");
	refused(PRODUCT_RANDOM, false, "sent a wrong product: its plaintext is out of range");
	refused(PRODUCT_DOUBLE, false, "sent a wrong product: a similarity is out of range");
	refused(PRODUCT_MISSING, false, "the parties sent products of 11 rows, expected 12");
	refused(PRODUCT_MORE, false, "sent products of 22528 bytes; expected 512 for each");
}

/* The coordinator compares the similarities that two parties send of the same rows. Its error names
 * both parties. */
TEST(halves_are_compared)
{
	refused(NO_LIE, true, NULL);
	refused(HALF_ROUNDED, true, NULL);
	refused(PRODUCT_FALSE, true, "sent similarities of their rows that are not compatible");
	refused(HALF_FALSE, true, "sent similarities of their rows that are not compatible");
	refused(HALF_LARGE, true, "similarities of their rows that are out of range: one");
	refused(HALF_OF_OWN, true, "sent similarities of its own rows that are not compatible");
}

/* An honest party with four rows in four dimensions computes the other party's coefficients
 * (docs/security/inference.md). */
TEST(a_party_computes_the_others_coefficients)
{
	refused(READS, true, NULL);
	assert_int_equal(read_w.rows, 4);
	assert_int_equal(true_w.rows, 4);
	for (size_t e = 0; e < read_w.rows * read_w.cols; e++)
		assert_true(fabs(read_w.a[e] - true_w.a[e]) < 1e-6);
	mat_release(&read_w);
	mat_release(&true_w);
}

/* Each loop over ciphertexts stops when the job ends. Otherwise the loop might run for another
 * hour. */
TEST(stopped)
{
	struct progress progress = { 0 };
	struct work work = { .L = 2, .own = 0, .threads = 2 };
	struct buf in[2] = { 0 };
	struct pairwise *s;
	struct mat C, Kzz;

	mat_init(&C, 3, 1);
	mat_init(&Kzz, 1, 1);
	assert_ok(pairwise_new(&work, &C, &Kzz, 5, 0.01, &s));
	s->peer[1].groups = 1;
	ALLOC(s->peer[1].group, 1);
	buf_extend(&in[1], 2 * PAILLIER_LEN);
	progress_enter(&progress);
	progress_stop(&progress);
	powers = 0;
	assert_err(pairwise_ciphers(s), ERR_CANCELLED, "the computation was stopped");
	assert_err(pairwise_products(s), ERR_CANCELLED, "the computation was stopped");
	assert_err(take_products(s, in), ERR_CANCELLED, "the computation was stopped");
	assert_int_equal(powers, 0);
	progress_enter(NULL);
	buf_release(&in[1]);
	pairwise_free(s);
	mat_release(&C);
	mat_release(&Kzz);
}

static enum err joined(double one, double other, double diagonal)
{
	static const size_t rows[] = { 1, 1 };
	static const char *const name[] = { "ann", "bob" };
	const struct parties parties = {
		.count = 2, .name = name, .rows = rows, .phase = "upload"
	};
	struct mat m;
	enum err e;

	mat_init(&m, 2, 2);
	MAT(&m, 0, 0) = diagonal;
	MAT(&m, 1, 1) = 1;
	MAT(&m, 0, 1) = one;
	MAT(&m, 1, 0) = other;
	e = fedsc_pairwise_join(&parties, 4, 0.25, &m);
	if (!e)
		assert_true(MAT(&m, 0, 1) == (one + other) / 2 && MAT(&m, 1, 0) == MAT(&m, 0, 1));
	mat_release(&m);
	return e;
}

/* The tolerance, sqrt(d) / (2 sqrt(lambda)) + d + 1, is 7 units of 2^-30 for d = 4 and lambda =
 * 1/4. */
TEST(tolerance_and_names)
{
	static const char compatible[] = "ann and bob sent similarities of their rows that are not "
					 "compatible: one of the two is wrong (during upload)";

	assert_ok(joined(0.5, 0.5, 1));
	assert_ok(joined(0.5, 0.5 + 7 * 0x1p-30, 1));
	assert_err(joined(0.5, 0.5 + 7.001 * 0x1p-30, 1), ERR_PEER, compatible);
	assert_err(joined(0.5 + 7.001 * 0x1p-30, 0.5, 1), ERR_PEER, compatible);
	assert_err(joined(0.5, -0.5, 1), ERR_PEER, compatible);
	assert_err(joined(1.01, 1.01, 1), ERR_PEER,
		   "ann and bob sent similarities of their rows that are out");
	assert_err(joined(NAN, 0.5, 1), ERR_PEER,
		   "ann and bob sent similarities of their rows that are out");
	assert_err(joined(0.5, 0.5, -INFINITY), ERR_PEER,
		   "ann sent similarities of its own rows that are out");
}

/* A run of n rows and L parties takes 2 n (n / 33 + L) powers. fedsc_pairwise_fits() refuses a run
 * with too many powers. */
TEST(rows_are_bounded)
{
	assert_ok(fedsc_pairwise_fits(1990, 5));
	assert_err(fedsc_pairwise_fits(2100, 5), ERR_JOB,
		   "takes up to 288273 powers of numbers of 4096 bits for 2100 rows of 5 parties, "
		   "expected at most 262144: fewer rows or another variant are needed");
	assert_err(fedsc_pairwise_fits(1000, 128), ERR_JOB, "of 128 parties");
}
