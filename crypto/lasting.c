#include "crypto/lasting.h"
#include "common/base/alloc.h"
#include "crypto/hmac.h"
#include "crypto/mask.h"
#include "crypto/secret.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char LABEL_SELF[] = "coterie self mask v1";

/* What is kept of another member. */
struct kept {
	uint8_t key[PRG_KEY_LEN];  /* of the pair's mask in this sum */
	uint8_t share[SHAMIR_LEN]; /* of its seed */
};

struct lasting {
	size_t own, t, count;
	size_t *members;
	struct kept *kept; /* by place among the members; own's has its own share */
	struct shamir *seed;
	bool *left; /* by place; NULL: it was not said yet */
	bool answered;
};

size_t lasting_least(size_t parties)
{
	return parties / 2 + 1;
}

size_t lasting_answer_len(size_t members, size_t left)
{
	return left * SHAMIR_LEN + (members - left) * PRG_KEY_LEN;
}

/* Seeds are of one sum each, so nothing else goes into the key. */
static void self_key(const uint8_t seed[static SHAMIR_LEN], uint8_t key[static PRG_KEY_LEN])
{
	kdf_expand(seed, (struct bytes){ (const uint8_t *)LABEL_SELF, sizeof(LABEL_SELF) - 1 }, key,
		   PRG_KEY_LEN);
}

/* Shares lie at the number of the party, from 1. */
static size_t place_of(size_t party)
{
	return party + 1;
}

static size_t at(const struct lasting *s, size_t party)
{
	size_t i = 0;

	while (i < s->count && s->members[i] != party)
		i++;
	assert(i < s->count);
	return i;
}

static enum err add_seed(struct lasting *s, struct mask *m)
{
	uint8_t seed[SHAMIR_LEN], key[PRG_KEY_LEN];
	enum err e = random_secret(seed, sizeof(seed));

	if (e == ERR_OK)
		e = shamir_new(seed, s->t, &s->seed);
	if (e == ERR_OK) {
		self_key(seed, key);
		mask_peer(m, key, MASK_PLUS);
		lasting_share(s, s->own, s->kept[at(s, s->own)].share);
	}
	wipe(seed, sizeof(seed));
	wipe(key, sizeof(key));
	return e;
}

enum err lasting_open(struct secagg *sa, const size_t *members, size_t count, size_t t,
		      const uint8_t transcript[static SECAGG_HASH_LEN], struct mask **m,
		      uint64_t *round, struct lasting **out)
{
	uint8_t(*key)[PRG_KEY_LEN] = secret_new(count * sizeof(*key));
	struct lasting *s;
	enum err e;

	*out = NULL;
	assert(t >= 1 && t <= count && members[count - 1] < SHAMIR_MOST);
	ALLOC(s, 1);
	*s = (struct lasting){ .own = secagg_setup_of(sa)->own, .t = t, .count = count };
	ALLOC(s->members, count);
	memcpy(s->members, members, count * sizeof(*members));
	s->kept = secret_new(count * sizeof(*s->kept));
	e = secagg_open_keeping(sa, members, count, transcript, m, round, key);
	if (e == ERR_OK) {
		for (size_t i = 0; i < count; i++)
			memcpy(s->kept[i].key, key[i], PRG_KEY_LEN);
		e = add_seed(s, *m);
		if (e != ERR_OK)
			mask_close(*m);
	}
	secret_free(key, count * sizeof(*key));
	if (e == ERR_OK)
		*out = s;
	else
		lasting_free(s);
	return e;
}

void lasting_share(const struct lasting *s, size_t j, uint8_t share[static SHAMIR_LEN])
{
	shamir_share(s->seed, place_of(j), share);
}

void lasting_keep(struct lasting *s, size_t j, const uint8_t share[static SHAMIR_LEN])
{
	assert(j != s->own);
	memcpy(s->kept[at(s, j)].share, share, SHAMIR_LEN);
}

enum err lasting_left(struct lasting *s, const size_t *left, size_t count)
{
	bool own = false;
	bool *is;
	size_t i = 0;

	if (s->left)
		return err_set(ERR_PEER,
			       "who is left in a sum was said before: it is answered once");
	if (count < s->t || count > s->count)
		return err_set(ERR_PEER, "%zu of %zu members are left, expected %zu or more", count,
			       s->count, s->t);
	ALLOC(is, s->count);
	for (size_t k = 0; k < count; k++) {
		while (i < s->count && s->members[i] < left[k])
			i++;
		if (i == s->count || s->members[i] != left[k]) {
			free(is);
			return err_set(ERR_PEER,
				       "party %zu is said to be left, which is no member, or not "
				       "in its order",
				       left[k]);
		}
		own |= left[k] == s->own;
		is[i++] = true;
	}
	if (!own) {
		free(is);
		return err_set(ERR_PEER, "this party is said to be lost");
	}
	s->left = is;
	return ERR_OK;
}

void lasting_answer(struct lasting *s, uint8_t *out)
{
	assert(s->left && !s->answered);
	s->answered = true;
	for (size_t i = 0; i < s->count; i++)
		if (s->left[i])
			out = mempcpy(out, s->kept[i].share, SHAMIR_LEN);
		else
			out = mempcpy(out, s->kept[i].key, PRG_KEY_LEN);
	wipe(s->kept, s->count * sizeof(*s->kept));
}

void lasting_free(struct lasting *s)
{
	if (!s)
		return;
	shamir_free(s->seed);
	secret_free(s->kept, s->count * sizeof(*s->kept));
	free(s->members);
	free(s->left);
	free(s);
}

/* ---- the coordinator's ---- */

/* The seed of the member at this place of answers: t shares of it. */
static void join_seed(const uint8_t *weight, size_t t, size_t offset, const uint8_t *const *answer,
		      uint8_t seed[static SHAMIR_LEN])
{
	uint8_t share[SHAMIR_MOST][SHAMIR_LEN];

	for (size_t i = 0; i < t; i++)
		memcpy(share[i], answer[i] + offset, SHAMIR_LEN);
	shamir_join(weight, share[0], t, seed);
	wipe(share, sizeof(share));
}

void lasting_lift(unsigned modulus_bits, size_t t, const size_t *members, size_t count,
		  const size_t *left, size_t left_count, const uint8_t *const *answer,
		  struct mask **list, struct mask **m)
{
	size_t place[SHAMIR_MOST], offset = 0, next = 0;
	uint8_t weight[SHAMIR_MOST], seed[SHAMIR_LEN], key[PRG_KEY_LEN];
	enum err e;

	assert(t <= left_count && left_count <= count && count <= SHAMIR_MOST);
	for (size_t i = 0; i < t; i++)
		place[i] = place_of(left[i]);
	e = shamir_weights(place, t, weight);
	assert(e == ERR_OK); /* they rise */
	(void)e;
	*m = mask_take(list, modulus_bits);
	for (size_t i = 0; i < count; i++) {
		bool is_left = next < left_count && left[next] == members[i];

		if (is_left) {
			join_seed(weight, t, offset, answer, seed);
			self_key(seed, key);
			mask_peer(*m, key, MASK_MINUS);
			next++;
		}
		for (size_t l = 0; l < left_count && !is_left; l++) /* the other way round */
			mask_peer(*m, answer[l] + offset,
				  members[i] > left[l] ? MASK_MINUS : MASK_PLUS);
		offset += is_left ? SHAMIR_LEN : PRG_KEY_LEN;
	}
	wipe(seed, sizeof(seed));
	wipe(key, sizeof(key));
}
