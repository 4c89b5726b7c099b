/* Tests the advertisements of parties, with and without pre-shared keys: any part that differs from
 * the signed one is refused. */
#include "tests/unit/crypto/federation.h"
#include "crypto/dh.h"

/* ---- advertisements ---- */

static void refuses(struct federation *f, const char *sentence)
{
	assert_err(secagg_agree(f->sa[0], f->advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins),
		   ERR_PEER, sentence);
}

TEST(tampering_is_refused)
{
	uint8_t key[256], nonce[SECAGG_NONCE_LEN], signature[SIGNATURE_MAX], spki[SPKI_MAX];
	struct secagg_advert original;
	struct federation f;

	advertise(&f, 3, 64);
	for (size_t j = 1; j < 3; j++) { /* party 1 has an Ed25519 key, party 2 a P-256 key */
		char blamed[64];

		original = f.advert[j];
		snprintf(blamed, sizeof(blamed), "key advertisement of p%zu: the signature", j);
		memcpy(key, original.public_key.p, sizeof(key));
		memcpy(nonce, original.nonce, sizeof(nonce));
		memcpy(signature, original.signature.p, original.signature.n);
		memcpy(spki, original.spki.p, original.spki.n);
		key[100] ^= 4;
		nonce[31] ^= 1;
		signature[original.signature.n - 1] ^= 1;
		spki[original.spki.n - 1] ^= 1;
		f.advert[j].public_key.p = key;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].public_key.n--;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].nonce = nonce;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].signature.p = signature;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].signature.n = 0;
		refuses(&f, blamed);
		f.advert[j] = original;
		f.advert[j].spki.p = spki;
		refuses(&f, "is pinned here");
		f.advert[j] = original;
	}
	/* The refusals have changed nothing. */
	agree(&f);
	assert_true(cancels(&f));
	leave(&f);
}

TEST(wrong_people_are_refused)
{
	uint8_t wrong[MOST][SECAGG_HASH_LEN], key[2 * PSK_MARKER_LEN] = { 0 };
	struct secagg_advert t;
	struct federation f, g;

	advertise(&f, 3, 64);
	memcpy(wrong, pins, sizeof(wrong));
	wrong[2][0] ^= 1;
	assert_err(secagg_agree(f.sa[0], f.advert, (const uint8_t(*)[SECAGG_HASH_LEN])wrong),
		   ERR_PEER, "key advertisement of p2: its identity key is sha256:");
	t = f.advert[1]; /* swaps two advertisements */
	f.advert[1] = f.advert[2];
	f.advert[2] = t;
	refuses(&f, "key advertisement of p1: its identity key");
	f.advert[2] = f.advert[1];
	f.advert[1] = t;
	f.advert[2] = f.advert[0]; /* party 0's own advertisement, sent back */
	refuses(&f, "key advertisement of p2: its identity key");
	leave(&f);

	/* Refuses two names with one identity, because the signature covers the name. */
	advertise(&f, 3, 64);
	memcpy(wrong[2], pins[1], sizeof(wrong[2]));
	f.advert[2] = f.advert[1];
	assert_err(secagg_agree(f.sa[0], f.advert, (const uint8_t(*)[SECAGG_HASH_LEN])wrong),
		   ERR_PEER, "key advertisement of p2: the signature");
	leave(&f);

	/* Party 0 refuses its own advertisement if the coordinator has replaced any part of it. */
	advertise(&f, 2, 64);
	advertise(&g, 2, 64);
	for (int part = 0; part < 5; part++) {
		struct secagg_advert own = f.advert[0];

		switch (part) {
		case 0:
			f.advert[0].public_key = g.advert[0].public_key;
			break;
		case 1:
			f.advert[0].nonce = g.advert[0].nonce;
			break;
		case 2:
			f.advert[0].signature = g.advert[0].signature;
			break;
		case 3:
			f.advert[0].markers = (struct bytes){ key, 2 * PSK_MARKER_LEN };
			break;
		default:
			f.advert[0].spki = g.advert[1].spki;
		}
		refuses(&f, "key advertisement of p0: the coordinator relays another one");
		f.advert[0] = own;
	}
	leave(&g);
	leave(&f);
}

/* Refuses a signed public key outside the subgroup of prime order. The secret shared with a key of
 * small order would reveal the low bits of party 0's secret exponent. */
TEST(signed_nonsense_is_refused)
{
	static const char *const sentence[] = { "below 2", "below 2", "above p - 2", "subgroup" };

	for (int what = 0; what < 4; what++) {
		uint8_t key[256] = { 0 }, signature[SIGNATURE_MAX];
		struct buf message = { 0 };
		struct federation f;
		struct secagg_setup setup = setup_of(2, 1, 64);

		advertise(&f, 2, 64);
		if (what == 1)
			key[255] = 1;
		if (what >= 2)
			for (size_t i = 0; i < sizeof(key); i++) {
				unsigned byte;

				sscanf(dh_prime(dh_group(2048)) + 2 * i, "%2x", &byte);
				key[i] = (uint8_t)byte;
			}
		if (what == 2)
			key[255] = (uint8_t)(key[255] - 1);
		if (what == 3)
			key[255] = (uint8_t)(key[255] - 4); /* p - 4 */
		/* The bytes that party 1 signs, as docs/secure-sum.md specifies them. */
		buf_add(&message, "coterie key advertisement v2", 29);
		buf_add(&message, setup.job_id, 16);
		buf_add(&message, "\0\0\0\1", 4);
		buf_add(&message, "\0\0\0\2p1", 6);
		buf_add(&message, setup.params_hash, 32);
		buf_add(&message, "\0\0\1\0", 4);
		buf_add(&message, key, 256);
		buf_add(&message, f.advert[1].nonce, 32);
		buf_add(&message, "\0\0\0\0", 4);
		f.advert[1].public_key.p = key;
		f.advert[1].signature.p = signature;
		assert_ok(sign_make(ids[1], (struct bytes){ message.p, message.n }, signature,
				    &f.advert[1].signature.n));
		refuses(&f, sentence[what]);
		refuses(&f, "key advertisement of p1: its Diffie-Hellman key is refused");
		buf_release(&message);
		leave(&f);
	}
}

/* ---- keys that two parties share beforehand ---- */

/* Sets the key with party j to `byte`; 0: no key. */
static void share(struct psk *psk, size_t j, uint8_t byte)
{
	psk[j].n = byte ? PSK_MIN + (size_t)byte : 0;
	memset(psk[j].key, byte, psk[j].n);
}

/* Advertises for three parties. The bytes of a pre-shared key are all equal. Party 0's key with
 * party 1 has bytes `zeros`, and party 1's key with party 0 has bytes `ones`. Parties 0 and 2 share
 * one key, and parties 1 and 2 share no key. */
static void advertise_shared(struct federation *f, uint8_t zeros, uint8_t ones)
{
	*f = (struct federation){ .parties = 3, .modulus_bits = 64 };
	for (size_t i = 0; i < 3; i++) {
		struct secagg_setup setup = setup_of(3, i, 64);
		struct psk psk[3] = { 0 };

		if (i != 1)
			share(psk, 2 - i, 9);
		if (i != 2)
			share(psk, 1 - i, i ? ones : zeros);
		setup.psk = psk;
		advertise_as(f, i, &setup);
		memset(psk, 0xee, sizeof(psk)); /* the callee has taken a copy */
	}
}

static void pair_of(struct federation *f, size_t i, size_t j, uint8_t key[static SECAGG_HASH_LEN])
{
	secagg_pair_expand(f->sa[i], j, (struct bytes){ (const uint8_t *)"test", 4 }, key);
}

TEST(shared_keys_agree)
{
	uint8_t a[SECAGG_HASH_LEN], b[SECAGG_HASH_LEN];
	struct federation f;

	advertise_shared(&f, 1, 1);
	assert_int_equal(f.advert[0].markers.n, 3 * PSK_MARKER_LEN);
	assert_true(all_zero(f.advert[1].markers.p + 2 * PSK_MARKER_LEN, PSK_MARKER_LEN));
	assert_false(all_zero(f.advert[1].markers.p, PSK_MARKER_LEN));
	/* The two directions have different markers, so a marker cannot be sent back to its
	 * sender. */
	assert_memory_not_equal(f.advert[1].markers.p, f.advert[0].markers.p + PSK_MARKER_LEN,
				PSK_MARKER_LEN);
	agree(&f);
	for (size_t i = 0; i < 3; i++) {
		pair_of(&f, i, (i + 1) % 3, a);
		pair_of(&f, (i + 1) % 3, i, b);
		assert_memory_equal(a, b, sizeof(a));
	}
	assert_true(cancels(&f));
	leave(&f);

	advertise(&f, 3, 64); /* without any key there are no markers */
	assert_int_equal(f.advert[0].markers.n, 0);
	leave(&f);
}

static void refuses_with(struct federation *f, size_t i, const char *sentence)
{
	assert_err(secagg_agree(f->sa[i], f->advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins),
		   ERR_PEER, sentence);
}

TEST(keys_of_one_side_are_refused)
{
	struct federation f;

	advertise_shared(&f, 1, 0);
	refuses_with(&f, 0,
		     "p1 has no pre-shared key for p0, which has one for it: give p1 the same file "
		     "as its peers.p0.psk, or take peers.p1.psk out here");
	refuses_with(&f, 1,
		     "p0 has a pre-shared key for p1, which has none for it: get that file from "
		     "p0, not through the coordinator, as peers.p0.psk, or have it take "
		     "peers.p1.psk out there");
	assert_ok(secagg_agree(f.sa[2], f.advert, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
	leave(&f);
	advertise_shared(&f, 1, 2);
	refuses_with(&f, 0,
		     "p1 has another pre-shared key for p0 than p0 for it: peers.p1.psk here and "
		     "peers.p0.psk there must be the same file");
	refuses_with(&f, 1, "p0 has another pre-shared key for p1 than p1 for it");
	leave(&f);
}

/* The signature covers the markers, so a coordinator cannot pretend that a party has no key or
 * another key. */
TEST(markers_are_signed)
{
	uint8_t markers[4 * PSK_MARKER_LEN] = { 0 };
	struct federation f;

	advertise_shared(&f, 1, 1);
	f.advert[1].markers = (struct bytes){ markers, 3 * PSK_MARKER_LEN };
	refuses(&f, "key advertisement of p1: the signature");
	f.advert[1].markers.n = 0;
	refuses(&f, "key advertisement of p1: the signature");
	f.advert[1].markers.n = sizeof(markers);
	refuses(&f,
		"key advertisement of p1: 32 bytes of markers of pre-shared keys, expected none, "
		"or 8 for each of 3 parties");
	f.advert[1].markers.n = PSK_MARKER_LEN;
	refuses(&f, "key advertisement of p1: 8 bytes of markers");
	leave(&f);
}

TESTS_BETWEEN(make, unmake)
