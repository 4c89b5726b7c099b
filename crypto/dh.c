#include "crypto/dh.h"
#include "crypto/must.h"
#include "crypto/secret.h"
#include "crypto/x25519.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(GMP_NUMB_BITS == 64, "limbs are 64-bit words without nails");

enum {
	LIMBS_MAX = DH_BYTES_MAX / 8,
	SECRET_LIMBS = DH_SECRET_LEN / 8,
	X25519_BITS = 255,
	/* Offset of the X25519 scalar, the last 32 bytes of a secret. They exclude the top bit that
	 * dh_secret() sets. */
	X25519_SKIP = DH_SECRET_LEN - X25519_LEN,
};

struct dh_group {
	unsigned bits;
	const char *hex;
};

/* RFC 7919, Appendix A: p = 2^b - 2^(b-64) + (floor(2^(b-130) e) + X) 2^64 - 1, where b is the
 * number of bits, e is Euler's number, and X belongs to the group. So the primes have a common
 * prefix. The unit test derives them again. */
#define OF_2048                                                                                    \
	"FFFFFFFFFFFFFFFFADF85458A2BB4A9AAFDC5620273D3CF1D8B9C583CE2D3695"                         \
	"A9E13641146433FBCC939DCE249B3EF97D2FE363630C75D8F681B202AEC4617A"                         \
	"D3DF1ED5D5FD65612433F51F5F066ED0856365553DED1AF3B557135E7F57C935"                         \
	"984F0C70E0E68B77E2A689DAF3EFE8721DF158A136ADE73530ACCA4F483A797A"                         \
	"BC0AB182B324FB61D108A94BB2C8E3FBB96ADAB760D7F4681D4F42A3DE394DF4"                         \
	"AE56EDE76372BB190B07A7C8EE0A6D709E02FCE1CDF7E2ECC03404CD28342F61"                         \
	"9172FE9CE98583FF8E4F1232EEF28183C3FE3B1B4C6FAD733BB5FCBC2EC22005"
#define OF_3072                                                                                    \
	"C58EF1837D1683B2C6F34A26C1B2EFFA886B4238611FCFDCDE355B3B6519035B"                         \
	"BC34F4DEF99C023861B46FC9D6E6C9077AD91D2691F7F7EE598CB0FAC186D91C"                         \
	"AEFE130985139270B4130C93BC437944F4FD4452E2D74DD364F2E21E71F54BFF"                         \
	"5CAE82AB9C9DF69EE86D2BC522363A0DABC521979B0DEADA1DBF9A42D5C4484E"
static const struct dh_group groups[] = {
	{ X25519_BITS, "7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFED" },
	{ 2048, OF_2048 "C58EF1837D1683B2C6F34A26C1B2EFFA886B423861285C97FFFFFFFFFFFFFFFF" },
	{ 3072,
	  OF_2048 OF_3072 "0ABCD06BFA53DDEF3C1B20EE3FD59D7C25E41D2B66C62E37FFFFFFFFFFFFFFFF" },
	{ 4096,
	  OF_2048 OF_3072 "0ABCD06BFA53DDEF3C1B20EE3FD59D7C25E41D2B669E1EF16E6F52C3164DF4FB"
			  "7930E9E4E58857B6AC7D5F42D69F6D187763CF1D5503400487F55BA57E31CC7A"
			  "7135C886EFB4318AED6A1E012D9E6832A907600A918130C46DC778F971AD0038"
			  "092999A333CB8B7A1A1DB93D7140003C2A4ECEA9F98D0ACC0A8291CDCEC97DCF"
			  "8EC9B55A7F88A46B4DB5A851F44182E1C68A007E5E655F6AFFFFFFFFFFFFFFFF" },
};

const struct dh_group *dh_group(unsigned bits)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (groups[i].bits == bits)
			return &groups[i];
	return NULL;
}

size_t dh_len(const struct dh_group *group)
{
	return (group->bits + 7) / 8;
}

const char *dh_prime(const struct dh_group *group)
{
	return group->hex;
}

enum err dh_secret(uint8_t secret[static DH_SECRET_LEN])
{
	TRY(random_secret(secret, DH_SECRET_LEN));
	secret[0] |= 0x80; /* all exponents have the same length */
	return ERR_OK;
}

/* Reads big-endian bytes as limbs, the least significant limb first. CT. */
static void limbs_read(mp_limb_t *limbs, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 8; i++) {
		uint64_t big;

		memcpy(&big, p + n - 8 * (i + 1), 8);
		limbs[i] = __builtin_bswap64(big);
	}
}

/* Reads the prime, which is public, as limbs. Returns the number of limbs. */
static mp_size_t prime_limbs(const struct dh_group *group, mp_limb_t p[static LIMBS_MAX])
{
	size_t n = dh_len(group);

	for (size_t i = 0; i < n / 8; i++) {
		char digits[17] = { 0 };

		memcpy(digits, group->hex + 2 * n - 16 * (i + 1), 16);
		p[i] = strtoull(digits, NULL, 16);
	}
	return (mp_size_t)(n / 8);
}

/* Secret memory of one exponentiation, which is wiped as a whole. */
struct work {
	mp_limb_t exponent[SECRET_LIMBS], result[LIMBS_MAX], scratch[];
};

/* Computes out = base^secret mod p. The exponent's length is fixed, so the time does not depend on
 * its value. */
static void dh_power(const struct dh_group *group, const mp_limb_t *base, mp_size_t base_limbs,
		     const uint8_t secret[static DH_SECRET_LEN], uint8_t *out)
{
	mp_limb_t p[LIMBS_MAX];
	mp_size_t n = prime_limbs(group, p);
	size_t scratch_limbs = (size_t)mpn_sec_powm_itch(base_limbs, 8 * DH_SECRET_LEN, n);
	size_t bytes = sizeof(struct work) + scratch_limbs * sizeof(mp_limb_t);
	struct work *w = secret_new(bytes);

	limbs_read(w->exponent, secret, DH_SECRET_LEN);
	mpn_sec_powm(w->result, base, base_limbs, w->exponent, 8 * DH_SECRET_LEN, p, n, w->scratch);
	for (mp_size_t i = 0; i < n; i++) {
		uint64_t big = __builtin_bswap64(w->result[i]);

		memcpy(out + 8 * (n - i - 1), &big, 8);
	}
	secret_free(w, bytes);
}

struct dh_key {
	const struct dh_group *group;
	uint8_t secret[DH_SECRET_LEN];
	struct x25519 *scalar; /* NULL for a finite-field group */
};

struct dh_key *dh_key_new(const struct dh_group *group, const uint8_t secret[static DH_SECRET_LEN])
{
	struct dh_key *key = secret_new(sizeof(*key));

	key->group = group;
	memcpy(key->secret, secret, DH_SECRET_LEN);
	if (group->bits == X25519_BITS)
		key->scalar = x25519_new(secret + X25519_SKIP);
	return key;
}

void dh_key_free(struct dh_key *key)
{
	if (key)
		x25519_free(key->scalar);
	secret_free(key, sizeof(*key));
}

void dh_public(const struct dh_key *key, uint8_t *out)
{
	if (key->scalar)
		x25519_base(key->scalar, out);
	else
		dh_power(key->group, &(mp_limb_t){ 2 }, 1, key->secret, out);
}

void dh_shared(const struct dh_key *key, const uint8_t *public_key, uint8_t *out)
{
	mp_limb_t base[LIMBS_MAX];

	if (key->scalar) {
		must(x25519(key->scalar, public_key, out), "X25519 of a key that was checked");
		return;
	}
	limbs_read(base, public_key, dh_len(key->group));
	dh_power(key->group, base, (mp_size_t)(dh_len(key->group) / 8), key->secret, out);
}

/* Reads a public key as limbs. X25519 points are little-endian, as limbs are. */
static void public_limbs(const struct dh_group *group, const uint8_t *public_key, mp_limb_t *limbs)
{
	if (group->bits == X25519_BITS)
		memcpy(limbs, public_key, X25519_LEN);
	else
		limbs_read(limbs, public_key, dh_len(group));
}

/* True for the two points of small order between 2 and p - 2. Both have order 8. The twist has no
 * point of small order there. A unit test checks that x25519() returns zeros for exactly these
 * points. */
static bool small_order(const uint8_t point[static X25519_LEN])
{
	static const uint8_t eight[][X25519_LEN] = {
		{ 0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
		  0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
		  0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00 },
		{ 0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1,
		  0x55, 0x9c, 0x83, 0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c,
		  0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57 },
	};

	return !memcmp(point, eight[0], X25519_LEN) || !memcmp(point, eight[1], X25519_LEN);
}

const char *dh_check(const struct dh_group *group, struct bytes public_key)
{
	mp_limb_t s_limbs[LIMBS_MAX], p_limbs[LIMBS_MAX], most[LIMBS_MAX];
	mp_size_t n = prime_limbs(group, p_limbs);
	mpz_t s, p;

	if (public_key.n != dh_len(group))
		return "it is not as long as the group's prime";
	public_limbs(group, public_key.p, s_limbs);
	mpz_roinit_n(s, s_limbs, n);
	if (mpz_cmp_ui(s, 2) < 0)
		return "it is below 2";
	mpn_sub_1(most, p_limbs, n, 2);
	if (mpn_cmp(s_limbs, most, n) > 0)
		return "it is above p - 2";
	if (group->bits == X25519_BITS)
		return small_order(public_key.p) ? "it is a point of small order" : NULL;
	mpz_roinit_n(p, p_limbs, n);
	if (mpz_jacobi(s, p) != 1)
		return "it is not in the subgroup of prime order";
	return NULL;
}
