#include "crypto/secagg.h"
#include "common/base/alloc.h"
#include "crypto/dh.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/mask.h"
#include "crypto/secret.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Labels for domain separation. docs/secure-sum.md has the exact bytes that follow each.
 * LABEL_ADVERT is signed with its terminator, so that no message of another protocol has the bytes
 * of an advertisement. */
static const char LABEL_ADVERT[] = "coterie key advertisement v2";
static const char LABEL_SESSION[] = "coterie session v2";
static const char LABEL_PAIR[] = "coterie pair key v1";
static const char LABEL_MASK[] = "coterie mask v2";
static const char LABEL_SUM[] = "coterie sum v1";
static const char LABEL_HISTORY[] = "coterie history v1";

/* A member list for which sums were opened, and the round of its next sum. */
struct group {
	size_t *members, count;
	uint64_t next;
};

struct secagg {
	struct secagg_setup setup; /* names are owned */
	const struct dh_group *dh;
	struct dh_key *key; /* s_i; NULL once the pair keys are made */
	uint8_t public_key[DH_BYTES_MAX], nonce[SECAGG_NONCE_LEN], signature[SIGNATURE_MAX];
	size_t signature_len;
	struct buf spki;
	/* pre-shared keys by party; NULL if there are none, or once the pair keys are made */
	struct psk *psk;
	struct buf markers;
	struct kdf_key *pair; /* for each party a key made from K_ij; NULL before secagg_agree() */
	uint8_t (*history)[SECAGG_HASH_LEN];
	uint8_t session[SHA256_LEN]; /* h; valid after secagg_agree() */
	struct secagg_sealed *sealed;
	struct group *groups;
	size_t group_count;
	struct mask *masks; /* all masks made; closed ones are reused */
};

/* Appends a field of variable length after its length in four bytes. */
static void secagg_put_bytes(struct buf *b, const void *p, size_t n)
{
	assert(n <= UINT32_MAX);
	buf_add_u32(b, (uint32_t)n);
	buf_add(b, p, n);
}

static void advert_message(const struct secagg *sa, size_t j, struct bytes public_key,
			   const uint8_t *nonce, struct bytes markers, struct buf *b)
{
	const struct secagg_setup *s = &sa->setup;

	buf_add(b, LABEL_ADVERT, sizeof(LABEL_ADVERT));
	buf_add(b, s->job_id, sizeof(s->job_id));
	buf_add_u32(b, s->attempt);
	secagg_put_bytes(b, s->names[j], strlen(s->names[j]));
	buf_add(b, s->params_hash, sizeof(s->params_hash));
	secagg_put_bytes(b, public_key.p, public_key.n);
	buf_add(b, nonce, SECAGG_NONCE_LEN);
	secagg_put_bytes(b, markers.p, markers.n);
}

/* Computes the marker that party i sends to party j to show that it has their key. Party j computes
 * it too and compares. Without the key, the marker reveals nothing about it. */
static void marker(const struct secagg *sa, const struct psk *psk, size_t i, size_t j,
		   uint8_t out[static PSK_MARKER_LEN])
{
	const struct secagg_setup *s = &sa->setup;
	struct buf message = { 0 };

	buf_add(&message, s->job_id, sizeof(s->job_id));
	buf_add_u32(&message, s->attempt);
	secagg_put_bytes(&message, s->names[i], strlen(s->names[i]));
	secagg_put_bytes(&message, s->names[j], strlen(s->names[j]));
	psk_marker(psk, (struct bytes){ message.p, message.n }, out);
	buf_release(&message);
}

static void take_psk(struct secagg *sa, const struct psk *psk)
{
	size_t parties = sa->setup.parties, shared = 0;

	sa->setup.psk = NULL; /* the caller wipes its keys, so they are copied below */
	for (size_t j = 0; psk && j < parties; j++)
		shared += j != sa->setup.own && psk[j].n;
	if (!shared)
		return;
	sa->psk = secret_new(parties * sizeof(*psk));
	memcpy(sa->psk, psk, parties * sizeof(*psk));
	buf_extend(&sa->markers, parties * PSK_MARKER_LEN);
	memset(sa->markers.p, 0, sa->markers.n);
	for (size_t j = 0; j < parties; j++)
		if (j != sa->setup.own && psk[j].n)
			marker(sa, &psk[j], sa->setup.own, j, sa->markers.p + j * PSK_MARKER_LEN);
}

enum err secagg_new(struct secagg **sa, const struct secagg_setup *setup, const struct identity *id)
{
	struct bytes spki = identity_spki(id);
	uint8_t secret[DH_SECRET_LEN];
	struct buf message = { 0 };
	struct secagg *made;
	char **names;
	enum err e;

	assert(setup->parties >= 1 && setup->own < setup->parties);
	assert(setup->modulus_bits == 64 || setup->modulus_bits == 32);
	*sa = NULL;
	ALLOC(made, 1);
	made->dh = dh_group(setup->group_bits);
	assert(made->dh);
	ALLOC(names, setup->parties);
	for (size_t j = 0; j < setup->parties; j++) {
		assert(j == 0 || strcmp(setup->names[j - 1], setup->names[j]) < 0);
		names[j] = alloc_copy(setup->names[j]);
	}
	made->setup = *setup;
	made->setup.names = (const char *const *)names;
	take_psk(made, setup->psk);

	e = dh_secret(secret);
	if (e == ERR_OK)
		e = random_secret(made->nonce, sizeof(made->nonce));
	if (e == ERR_OK) {
		made->key = dh_key_new(made->dh, secret);
		dh_public(made->key, made->public_key);
		buf_add(&made->spki, spki.p, spki.n);
		advert_message(made, setup->own,
			       (struct bytes){ made->public_key, dh_len(made->dh) }, made->nonce,
			       (struct bytes){ made->markers.p, made->markers.n }, &message);
		e = sign_make(id, (struct bytes){ message.p, message.n }, made->signature,
			      &made->signature_len);
		buf_release(&message);
	}
	wipe(secret, sizeof(secret));
	if (e == ERR_OK)
		*sa = made;
	else
		secagg_free(made);
	return e;
}

void secagg_own_advert(const struct secagg *sa, struct secagg_advert *a)
{
	*a = (struct secagg_advert){
		.public_key = { sa->public_key, dh_len(sa->dh) },
		.nonce = sa->nonce,
		.spki = { sa->spki.p, sa->spki.n },
		.signature = { sa->signature, sa->signature_len },
		.markers = { sa->markers.p, sa->markers.n },
	};
}

static bool secagg_same_bytes(struct bytes a, struct bytes b)
{
	return a.n == b.n && (a.n == 0 || !memcmp(a.p, b.p, a.n));
}

static enum err check_own(const struct secagg *sa, const struct secagg_advert *a)
{
	struct secagg_advert own;

	secagg_own_advert(sa, &own);
	if (secagg_same_bytes(a->public_key, own.public_key) &&
	    secagg_same_bytes(a->spki, own.spki) &&
	    secagg_same_bytes(a->signature, own.signature) &&
	    secagg_same_bytes(a->markers, own.markers) &&
	    !memcmp(a->nonce, own.nonce, SECAGG_NONCE_LEN))
		return ERR_OK;
	return err_set(
	    ERR_PEER,
	    "key advertisement of %s: the coordinator relays another one than this party sent",
	    sa->setup.names[sa->setup.own]);
}

/* Checks that party j and this one share the same key, or none. Each error names the files to
 * fix. */
static enum err check_marker(const struct secagg *sa, size_t j, struct bytes markers)
{
	static const uint8_t none[PSK_MARKER_LEN];
	const char *own = sa->setup.names[sa->setup.own], *other = sa->setup.names[j];
	const uint8_t *said = markers.n ? markers.p + sa->setup.own * PSK_MARKER_LEN : none;
	uint8_t expected[PSK_MARKER_LEN] = { 0 };
	bool shared = sa->psk && sa->psk[j].n, says = memcmp(said, none, sizeof(none)) != 0;

	if (shared)
		marker(sa, &sa->psk[j], j, sa->setup.own, expected);
	if (shared && !says)
		return err_set(ERR_PEER,
			       "%s has no pre-shared key for %s, which has one for it: give %s the "
			       "same file as its peers.%s.psk, or take peers.%s.psk out here",
			       other, own, other, own, other);
	if (!shared && says)
		return err_set(ERR_PEER,
			       "%s has a pre-shared key for %s, which has none for it: get that "
			       "file from %s, not through the coordinator, as peers.%s.psk, or "
			       "have it take peers.%s.psk out there",
			       other, own, other, other, own);
	if (!psk_marker_is(said, expected))
		return err_set(ERR_PEER,
			       "%s has another pre-shared key for %s than %s for it: peers.%s.psk "
			       "here and peers.%s.psk there must be the same file",
			       other, own, own, other, own);
	return ERR_OK;
}

/* Checks the identity key first: without it, nothing shows that party j sent the rest. */
static enum err check_other(const struct secagg *sa, size_t j, const struct secagg_advert *a,
			    const uint8_t pin[static SECAGG_HASH_LEN])
{
	char seen[FINGERPRINT_TEXT_LEN], pinned[FINGERPRINT_TEXT_LEN];
	uint8_t fp[FINGERPRINT_LEN];
	struct buf message = { 0 };
	const char *wrong;
	enum err e;

	fingerprint_of(a->spki, fp);
	if (memcmp(fp, pin, sizeof(fp))) {
		fingerprint_text(fp, seen);
		fingerprint_text(pin, pinned);
		return err_set(
		    ERR_PEER,
		    "key advertisement of %s: its identity key is %s, but %s is pinned here",
		    sa->setup.names[j], seen, pinned);
	}
	if (a->markers.n && a->markers.n != sa->setup.parties * PSK_MARKER_LEN)
		return err_set(ERR_PEER,
			       "key advertisement of %s: %zu bytes of markers of pre-shared keys, "
			       "expected none, or %d for each of %zu parties",
			       sa->setup.names[j], a->markers.n, PSK_MARKER_LEN, sa->setup.parties);
	advert_message(sa, j, a->public_key, a->nonce, a->markers, &message);
	e = sign_check(a->spki, (struct bytes){ message.p, message.n }, a->signature);
	buf_release(&message);
	if (e != ERR_OK)
		return err_prefix(e, "key advertisement of %s", sa->setup.names[j]);
	wrong = dh_check(sa->dh, a->public_key);
	if (wrong)
		return err_set(ERR_PEER,
			       "key advertisement of %s: its Diffie-Hellman key is refused: %s",
			       sa->setup.names[j], wrong);
	return check_marker(sa, j, a->markers);
}

/* Computes h, the hash of everything on which all parties must agree. */
static void session_hash(const struct secagg *sa, const struct secagg_advert *adverts,
			 uint8_t h[static SHA256_LEN])
{
	const struct secagg_setup *s = &sa->setup;
	struct sha256 *sha = sha256_new();

	sha256_add(sha, LABEL_SESSION, sizeof(LABEL_SESSION));
	sha256_add(sha, s->job_id, sizeof(s->job_id));
	sha256_add_u32(sha, s->attempt);
	sha256_add(sha, s->params_hash, sizeof(s->params_hash));
	sha256_add_u32(sha, (uint32_t)s->parties);
	for (size_t j = 0; j < s->parties; j++) {
		const struct secagg_advert *a = &adverts[j];
		uint8_t fp[FINGERPRINT_LEN];

		fingerprint_of(a->spki, fp);
		sha256_add_text(sha, s->names[j]);
		sha256_add(sha, fp, sizeof(fp));
		sha256_add_u32(sha, (uint32_t)a->public_key.n);
		sha256_add(sha, a->public_key.p, a->public_key.n);
		sha256_add_u32(sha, (uint32_t)a->signature.n);
		sha256_add(sha, a->signature.p, a->signature.n);
		sha256_add(sha, a->nonce, SECAGG_NONCE_LEN);
		sha256_add_u32(sha, (uint32_t)a->markers.n);
		sha256_add(sha, a->markers.p, a->markers.n);
	}
	sha256_end(sha, h);
}

const uint8_t *secagg_session(const struct secagg *sa)
{
	assert(sa->pair);
	return sa->session;
}

/* Computes K_ij = HKDF-SHA256(S_j^s_i mod p; salt: h or, with a pre-shared key, psk_salt() of h;
 * label, both names ascending). CT. */
static void pair_key(const struct secagg *sa, size_t j, const uint8_t *public_key,
		     const uint8_t h[static SHA256_LEN], struct kdf_key *pair)
{
	const struct secagg_setup *s = &sa->setup;
	const char *first = s->names[j < s->own ? j : s->own],
		   *second = s->names[j < s->own ? s->own : j];
	uint8_t shared[DH_BYTES_MAX], prk[KDF_KEY_LEN], key[KDF_KEY_LEN], salt[SHA256_LEN];
	struct buf info = { 0 };

	buf_add(&info, LABEL_PAIR, sizeof(LABEL_PAIR));
	secagg_put_bytes(&info, first, strlen(first));
	secagg_put_bytes(&info, second, strlen(second));
	dh_shared(sa->key, public_key, shared);
	memcpy(salt, h, sizeof(salt));
	if (sa->psk && sa->psk[j].n)
		psk_salt(&sa->psk[j], h, salt);
	kdf_extract((struct bytes){ salt, sizeof(salt) }, (struct bytes){ shared, dh_len(sa->dh) },
		    prk);
	kdf_expand(prk, (struct bytes){ info.p, info.n }, key, sizeof(key));
	kdf_key_make(pair, key);
	wipe(key, sizeof(key));
	wipe(shared, sizeof(shared));
	wipe(prk, sizeof(prk));
	wipe(salt, sizeof(salt));
	buf_release(&info);
}

static void forget_psk(struct secagg *sa)
{
	secret_free(sa->psk, sa->setup.parties * sizeof(*sa->psk));
	sa->psk = NULL;
}

enum err secagg_agree(struct secagg *sa, const struct secagg_advert *adverts,
		      const uint8_t (*pins)[SECAGG_HASH_LEN])
{
	uint8_t h[SHA256_LEN];

	assert(!sa->pair);
	for (size_t j = 0; j < sa->setup.parties; j++)
		TRY(j == sa->setup.own ? check_own(sa, &adverts[j])
				       : check_other(sa, j, &adverts[j], pins[j]));
	session_hash(sa, adverts, h);
	memcpy(sa->session, h, sizeof(h));
	sa->pair = secret_new(sa->setup.parties * sizeof(*sa->pair));
	ALLOC(sa->history, sa->setup.parties);
	ALLOC(sa->sealed, sa->setup.parties);
	for (size_t j = 0; j < sa->setup.parties; j++)
		if (j != sa->setup.own)
			pair_key(sa, j, adverts[j].public_key.p, h, &sa->pair[j]);
	dh_key_free(sa->key);
	sa->key = NULL;
	forget_psk(sa);
	return ERR_OK;
}

static enum err secagg_check_members(const struct secagg *sa, const size_t *members, size_t count)
{
	bool own = false, rising = true;

	for (size_t i = 0; i < count; i++) {
		rising = rising && members[i] < sa->setup.parties &&
			 (i == 0 || members[i - 1] < members[i]);
		own = own || members[i] == sa->setup.own;
	}
	if (!own || !rising)
		return err_set(
		    ERR_INTERNAL,
		    "secure sum: %zu members that do not rise within %zu parties or leave out %s",
		    count, sa->setup.parties, sa->setup.names[sa->setup.own]);
	return ERR_OK;
}

/* Returns the member list's next round. A round is never used twice. */
static uint64_t take_round(struct secagg *sa, const size_t *members, size_t count)
{
	struct group *g;

	for (size_t i = 0; i < sa->group_count; i++) {
		g = &sa->groups[i];
		if (g->count == count && !memcmp(g->members, members, count * sizeof(*members))) {
			assert(g->next < UINT64_MAX);
			return g->next++;
		}
	}
	sa->groups = alloc_again(sa->groups, sa->group_count + 1, sizeof(*sa->groups));
	g = &sa->groups[sa->group_count++];
	*g = (struct group){ .count = count, .next = 1 };
	ALLOC(g->members, count);
	memcpy(g->members, members, count * sizeof(*members));
	return 0;
}

/* Hashes everything that all pairs of a sum have in common, once for all pairs. */
static void sum_hash(const struct secagg *sa, const size_t *members, size_t count, uint64_t round,
		     const uint8_t transcript[static SECAGG_HASH_LEN],
		     uint8_t sum[static SHA256_LEN])
{
	struct sha256 *sha = sha256_new();

	sha256_add_text(sha, LABEL_SUM);
	sha256_add_u32(sha, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		sha256_add_text(sha, sa->setup.names[members[i]]);
	sha256_add_u64(sha, round);
	sha256_add(sha, transcript, SECAGG_HASH_LEN);
	sha256_end(sha, sum);
}

enum err secagg_open(struct secagg *sa, const size_t *members, size_t count,
		     const uint8_t transcript[static SECAGG_HASH_LEN], struct mask **m,
		     uint64_t *round)
{
	uint8_t info[sizeof(LABEL_MASK) - 1 + SHA256_LEN + SECAGG_HASH_LEN];
	uint8_t *sum = info + sizeof(LABEL_MASK) - 1, *history = sum + SHA256_LEN;

	assert(sa->pair);
	TRY(secagg_check_members(sa, members, count));
	*round = take_round(sa, members, count);
	memcpy(info, LABEL_MASK, sizeof(LABEL_MASK) - 1);
	sum_hash(sa, members, count, *round, transcript, sum);
	*m = mask_take(&sa->masks, sa->setup.modulus_bits);
	for (size_t i = 0; i < count; i++) {
		uint8_t key[PRG_KEY_LEN];

		if (members[i] == sa->setup.own)
			continue;
		memcpy(history, sa->history[members[i]], SECAGG_HASH_LEN);
		kdf_expand_by(&sa->pair[members[i]], (struct bytes){ info, sizeof(info) }, key,
			      sizeof(key));
		mask_peer(*m, key, members[i] > sa->setup.own ? MASK_PLUS : MASK_MINUS);
		wipe(key, sizeof(key));
	}
	return ERR_OK;
}

void secagg_history(struct secagg *sa, const size_t *members, size_t count,
		    const uint8_t transcript[static SECAGG_HASH_LEN])
{
	assert(sa->pair);
	for (size_t i = 0; i < count; i++) {
		struct sha256 *sha;

		if (members[i] == sa->setup.own)
			continue;
		sha = sha256_new();
		sha256_add(sha, LABEL_HISTORY, sizeof(LABEL_HISTORY));
		sha256_add(sha, sa->history[members[i]], SECAGG_HASH_LEN);
		sha256_add(sha, transcript, SECAGG_HASH_LEN);
		sha256_end(sha, sa->history[members[i]]);
	}
}

const uint8_t *secagg_history_with(const struct secagg *sa, size_t j)
{
	assert(sa->pair && j < sa->setup.parties && j != sa->setup.own);
	return sa->history[j];
}

void secagg_pair_expand(const struct secagg *sa, size_t j, struct bytes info,
			uint8_t key[static SECAGG_HASH_LEN])
{
	assert(sa->pair && j < sa->setup.parties && j != sa->setup.own);
	kdf_expand_by(&sa->pair[j], info, key, SECAGG_HASH_LEN);
}

const struct secagg_setup *secagg_setup_of(const struct secagg *sa)
{
	return &sa->setup;
}

struct secagg_sealed *secagg_sealed(struct secagg *sa, size_t j)
{
	assert(sa->sealed && j < sa->setup.parties && j != sa->setup.own);
	return &sa->sealed[j];
}

void secagg_free(struct secagg *sa)
{
	if (!sa)
		return;
	mask_free(sa->masks);
	for (size_t i = 0; i < sa->group_count; i++)
		free(sa->groups[i].members);
	free(sa->groups);
	dh_key_free(sa->key);
	forget_psk(sa);
	secret_free(sa->pair, sa->setup.parties * sizeof(*sa->pair));
	free(sa->history);
	free(sa->sealed);
	for (size_t j = 0; j < sa->setup.parties; j++)
		free((char *)(uintptr_t)sa->setup.names[j]);
	free((void *)(uintptr_t)sa->setup.names);
	buf_release(&sa->spki);
	buf_release(&sa->markers);
	wipe(sa, sizeof(*sa));
	free(sa);
}
