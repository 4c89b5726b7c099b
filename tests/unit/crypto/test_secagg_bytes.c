/* Compares the exact bytes of docs/secure-sum.md with independent programs
 * (tests/vectors/secagg.py, seal.py).
 *
 * The test must set secrets, nonces and signatures, which secagg.h rightly does not allow.
 * Therefore it is compiled together with secagg.c. */
#include "tests/unit/crypto/lab.h"
#include "crypto/seal.h"
#include "crypto/secagg.c"
#include "tests/unit/crypto/hex.h"

enum { PARTIES = 3, OWN = 1, WORDS = 5 };

static const struct {
	struct {
		const char *secret, *public_key, *nonce, *spki, *signature, *advert_hash;
	} party[PARTIES];
	const char *params_hash, *transcript, *session, *pair, *mask64[3], *mask32[3], *history,
	    *told64;
	const char *psk[2];
	struct {
		const char *markers, *advert_hash;
	} marked[PARTIES];
	const char *psk_session, *psk_pair[3], *psk_mask64, *tag;
} known = {
#include "tests/vectors/secagg.inc"
};

static const struct {
	const char *key, *again, *empty, *back;
} boxes = {
#include "tests/vectors/seal.inc"
};

static uint8_t public_key[PARTIES][256], nonce[PARTIES][32], spki[PARTIES][64],
    signature[PARTIES][64];
static struct secagg_advert adverts[PARTIES];

static void expect(const void *got, const char *hex, size_t n)
{
	uint8_t want[64];

	assert_int_equal(unhex(hex, want), n);
	assert_memory_equal(got, want, n);
}

/* Makes bank-b as it is after secagg_new and the checks of secagg_agree. */
static struct secagg *bank_b(unsigned modulus_bits)
{
	static const char *const names[] = { "bank-a", "bank-b", "shop" };
	struct secagg_setup setup = { .attempt = 7,
				      .group_bits = 2048,
				      .modulus_bits = modulus_bits,
				      .parties = PARTIES,
				      .names = names,
				      .own = OWN };
	uint8_t secret[DH_SECRET_LEN];
	struct secagg *sa;
	char **copies;

	for (int i = 0; i < SECAGG_JOB_ID_LEN; i++)
		setup.job_id[i] = (uint8_t)i;
	unhex(known.params_hash, setup.params_hash);
	ALLOC(sa, 1);
	sa->dh = dh_group(setup.group_bits);
	sa->setup = setup;
	ALLOC(copies, PARTIES);
	for (int j = 0; j < PARTIES; j++)
		copies[j] = alloc_copy(names[j]);
	sa->setup.names = (const char *const *)copies;
	unhex(known.party[OWN].secret, secret);
	sa->key = dh_key_new(sa->dh, secret);
	for (int j = 0; j < PARTIES; j++)
		adverts[j] = (struct secagg_advert){
			{ public_key[j], unhex(known.party[j].public_key, public_key[j]) },
			nonce[j],
			{ spki[j], unhex(known.party[j].spki, spki[j]) },
			{ signature[j], unhex(known.party[j].signature, signature[j]) },
			{ NULL, 0 },
		};
	for (int j = 0; j < PARTIES; j++)
		unhex(known.party[j].nonce, nonce[j]);
	return sa;
}

TEST(what_is_signed)
{
	struct secagg *sa = bank_b(64);

	for (size_t j = 0; j < PARTIES; j++) {
		struct buf message = { 0 };
		uint8_t hash[SHA256_LEN];

		advert_message(sa, j, adverts[j].public_key, adverts[j].nonce, adverts[j].markers,
			       &message);
		sha256_of(message.p, message.n, hash);
		expect(hash, known.party[j].advert_hash, sizeof(hash));
		buf_release(&message);
	}
	secagg_free(sa);
}

/* Does what secagg_agree() does after its checks. */
static void agree(struct secagg *sa, uint8_t h[static SHA256_LEN])
{
	session_hash(sa, adverts, h);
	memcpy(sa->session, h, SHA256_LEN);
	ALLOC(sa->pair, PARTIES);
	ALLOC(sa->history, PARTIES);
	ALLOC(sa->sealed, PARTIES);
	for (size_t j = 0; j < PARTIES; j++)
		if (j != OWN)
			pair_key(sa, j, adverts[j].public_key.p, h, &sa->pair[j]);
}

static void expect_key(const struct kdf_key *pair, const char *want)
{
	uint8_t key[KDF_KEY_LEN];
	struct kdf_key made;

	unhex(want, key);
	kdf_key_make(&made, key);
	assert_memory_equal(pair, &made, sizeof(made));
}

TEST(keys_and_masks)
{
	static const size_t all[] = { 0, 1, 2 }, pair[] = { 1, 2 };

	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct secagg *sa = bank_b(bits);
		uint8_t h[SHA256_LEN], transcript[SECAGG_HASH_LEN];
		const char *const *want = bits == 64 ? known.mask64 : known.mask32;

		agree(sa, h);
		expect(h, known.session, sizeof(h));
		expect(secagg_session(sa), known.session, sizeof(h));
		expect_key(&sa->pair[0], known.pair);
		unhex(known.transcript, transcript);
		for (int k = 0; k < 3; k++) {
			uint8_t words[WORDS * 8] = { 0 }, tag[TAG_LEN] = { 0 };
			uint64_t round;
			struct mask *m;

			assert_ok(
			    secagg_open(sa, k ? all : pair, k ? 3 : 2, transcript, &m, &round));
			mask_add(m, words, WORDS);
			mask_tag(m, tag);
			mask_close(m);
			expect(words, want[k], WORDS * bits / 8);
			if (bits == 64 && k == 1)
				expect(tag, known.tag, sizeof(tag));
		}
		secagg_free(sa);
	}
}

/* After a group of bank-b and shop has ended, the group's history changes the masks that these two
 * parties share, and no other masks. */
TEST(masks_after_a_group)
{
	static const size_t all[] = { 0, 1, 2 }, pair[] = { 1, 2 };
	static const uint8_t none[SECAGG_HASH_LEN];
	struct secagg *sa = bank_b(64);
	uint8_t h[SHA256_LEN], transcript[SECAGG_HASH_LEN], words[WORDS * 8] = { 0 };
	struct mask *m = NULL;
	uint64_t round;

	agree(sa, h);
	unhex(known.transcript, transcript);
	secagg_history(sa, pair, 2, transcript);
	expect(secagg_history_with(sa, 2), known.history, SECAGG_HASH_LEN);
	assert_memory_equal(secagg_history_with(sa, 0), none, sizeof(none));
	for (int k = 0; k < 3; k++) {
		if (m)
			mask_close(m);
		assert_ok(secagg_open(sa, all, 3, transcript, &m, &round));
	}
	assert_int_equal(round, 2);
	mask_add(m, words, WORDS);
	mask_close(m);
	expect(words, known.told64, sizeof(words));
	secagg_free(sa);
}

/* Pre-shared keys between bank-b and both other parties change the markers, the session hash, the
 * pair keys and the masks. */
TEST(shared_beforehand)
{
	static const size_t all[] = { 0, 1, 2 };
	struct secagg *sa = bank_b(64);
	struct psk psk[PARTIES] = { 0 };
	uint8_t h[SHA256_LEN], hash[SHA256_LEN], transcript[SECAGG_HASH_LEN];
	struct kdf_key broken;
	uint8_t markers[PARTIES][PARTIES * PSK_MARKER_LEN], words[WORDS * 8] = { 0 };
	struct mask *m;
	uint64_t round;

	psk[0].n = unhex(known.psk[0], psk[0].key);
	psk[2].n = unhex(known.psk[1], psk[2].key);
	assert_int_equal(psk[0].n, PSK_MIN);
	assert_int_equal(psk[2].n, PSK_MAX);
	take_psk(sa, psk);
	assert_int_equal(sa->markers.n, sizeof(markers[OWN]));
	expect(sa->markers.p, known.marked[OWN].markers, sa->markers.n);
	for (size_t j = 0; j < PARTIES; j++) {
		struct buf message = { 0 };

		adverts[j].markers =
		    (struct bytes){ markers[j], unhex(known.marked[j].markers, markers[j]) };
		advert_message(sa, j, adverts[j].public_key, adverts[j].nonce, adverts[j].markers,
			       &message);
		sha256_of(message.p, message.n, hash);
		expect(hash, known.marked[j].advert_hash, sizeof(hash));
		buf_release(&message);
		if (j != OWN)
			assert_ok(check_marker(sa, j, adverts[j].markers));
	}
	agree(sa, h);
	expect(h, known.psk_session, sizeof(h));
	expect_key(&sa->pair[0], known.psk_pair[0]);
	expect_key(&sa->pair[2], known.psk_pair[1]);
	/* An attacker with all messages and bank-b's secret exponent, but without the pre-shared
	 * key, gets a wrong pair key. */
	forget_psk(sa);
	pair_key(sa, 0, adverts[0].public_key.p, h, &broken);
	assert_memory_not_equal(&broken, &sa->pair[0], sizeof(broken));
	unhex(known.transcript, transcript);
	assert_ok(secagg_open(sa, all, 3, transcript, &m, &round));
	mask_add(m, words, WORDS);
	mask_close(m);
	expect(words, known.psk_mask64, sizeof(words));
	secagg_free(sa);
}

TEST(sealed_messages)
{
	struct secagg *sa = bank_b(64);
	uint8_t h[SHA256_LEN], key[32], box[64], text[64];
	struct buf made = { 0 };

	agree(sa, h);
	for (uint8_t i = 0; i < sizeof(key); i++)
		key[i] = i;
	seal_make(sa, 0, 1, (struct bytes){ key, sizeof(key) }, &made);
	expect(made.p, boxes.key, made.n);
	made.n = 0;
	seal_make(sa, 0, 1, (struct bytes){ (const uint8_t *)"again", 5 }, &made);
	expect(made.p, boxes.again, made.n);
	made.n = 0;
	seal_make(sa, 2, 513, (struct bytes){ NULL, 0 }, &made);
	expect(made.p, boxes.empty, made.n);
	buf_release(&made);
	assert_int_equal(unhex(boxes.back, box), 13 + SEAL_TAG_LEN);
	assert_ok(seal_open(sa, 0, 1, (struct bytes){ box, 13 + SEAL_TAG_LEN }, text));
	assert_memory_equal(text, "the other way", 13);
	secagg_free(sa);
}
