/* attempts.pml -- models attempts, lists of members, rounds and noise keys, with a coordinator that
 * may send anything.
 *
 * Parties 0 .. HONEST - 1 keep to the protocol; the coordinator controls the other parties of L.
 * It offers an honest party any attempt, with any list of members and any numbering, in any
 * order. It restarts parties at any time, and broadcasts something or nothing in each round.
 * Cryptography is perfect: a mask is its identity. A sum opens if and only if each of its honest
 * members has answered with masks that cancel.
 *
 *   lists    (HONEST > 1) A term opens under one list. If policy.allow_loss permits others, each
 *            list contains the next one and has at least allow_loss and min_parties members.
 *            Parties that go on have received the same broadcasts.
 *   masks    (HONEST = 1) No mask is used for two terms.
 *   noise    (HONEST = 1) No noise key is used for two questions. No more questions are answered
 *            than are paid for.
 *
 * A macro NO_..., ROUND_REUSED or KEYS_REUSED leaves out one guard of the implementation.
 * tests/integration/test-model.sh checks that spin then finds a fault, and finds none in the
 * whole model.
 */
#ifndef L
#define L 3 /* parties */
#endif
#ifndef HONEST
#define HONEST 2
#endif
#ifndef MIN_PARTIES /* policy.min_parties */
#define MIN_PARTIES L
#endif
#ifndef ALLOW_LOSS /* policy.allow_loss; 0: a loss ends the job */
#define ALLOW_LOSS 0
#endif
#ifndef NUMBERS /* attempts have numbers from 1 to NUMBERS */
#define NUMBERS 3
#endif
#ifndef MAX_ATTEMPTS /* policy.max_attempts */
#define MAX_ATTEMPTS 2
#endif
#ifndef MAX_PAID /* policy.max_eps_total, counted in answers */
#define MAX_PAID 3
#endif
#define ROUNDS 2
#define TOLDS (ROUNDS + 1)

#if L == 3
#define ALL 7
#elif L == 4
#define ALL 15
#else
#define ALL 31
#endif
#define OURS ((1 << HONEST) - 1)
#define HAS(u, i) (((u) >> (i)) & 1)
#define SIZE(u) (HAS(u, 0) + HAS(u, 1) + HAS(u, 2) + HAS(u, 3) + HAS(u, 4))
#define WITHIN(u, v) (((u) & (v)) == (u))

/* ---- state of honest parties ---- */

byte last[HONEST];   /* the highest attempt in state/served */
byte held[HONEST];   /* the list of that attempt; 0: none */
byte served[HONEST]; /* number of attempts */
/* For each attempt: the list that the key advertisement signs, and the answers. */
#define AT(i, a) ((i) * NUMBERS + (a) - 1)
byte list[HONEST * NUMBERS];
byte rounds[HONEST * NUMBERS];       /* number of rounds answered */
byte told[HONEST * NUMBERS * ROUNDS]; /* for each answer: number of broadcasts before it */
#define TOLD(i, a, r) told[AT(i, a) * ROUNDS + (r)]

/* ---- an offer ---- */

#ifdef NO_SERVED
#define RISES(i, a) true
#else
#define RISES(i, a) ((a) > last[i])
#endif
#ifdef NO_MAX_ATTEMPTS
#define COUNTED(i) true
#else
#define COUNTED(i) (served[i] < MAX_ATTEMPTS)
#endif
#ifdef NO_MIN_PARTIES
#define ENOUGH(u) true
#else
#define ENOUGH(u) (SIZE(u) >= MIN_PARTIES)
#endif
#ifdef NO_ALLOW_LOSS
#define MAY_LOSE(u) true
#else
#define MAY_LOSE(u) ((u) == ALL || (ALLOW_LOSS && SIZE(u) >= ALLOW_LOSS))
#endif
#if defined(NO_LIST_HELD) || defined(NO_SERVED) /* state/served has the lists too */
#define KEPT(i, u) true
#else
#define KEPT(i, u) (held[i] == 0 || WITHIN(u, held[i]))
#endif
#define TAKES(i, a, u) (u > 0 && HAS(u, i) && ENOUGH(u) && MAY_LOSE(u) && KEPT(i, u))

/* ---- keys, masks and confirmations between two honest members of a list ---- */

#ifdef NO_LIST_IN_KEYS
#define SAME_LIST(j, a, u) (list[AT(j, a)] != 0)
#else
#define SAME_LIST(j, a, u) (list[AT(j, a)] == (u))
#endif
#define KEYS_WITH(j, a, u) (j >= HONEST || !HAS(u, j) || SAME_LIST(j, a, u))
#ifdef NO_TOLD_WORDS
#define WORD_OF(j, i, a, u, r) true
#else
#define WORD_OF(j, i, a, u, r)                                                                     \
	(j >= HONEST || !HAS(u, j) || (rounds[AT(j, a)] >= (r) && TOLD(j, a, (r) - 1) == TOLD(i, a, (r) - 1)))
#endif
/* Party j, if it is an honest member of u, has answered round r with the mask that cancels i's. */
#define CANCELS(j, i, a, u, r)                                                                     \
	(j >= HONEST || !HAS(u, j) ||                                                              \
	 ((list[AT(j, a)] & OURS) == ((u) & OURS) && rounds[AT(j, a)] > (r) && TOLD(j, a, r) == TOLD(i, a, r)))

/* Macros name party j even if there are fewer parties. Arrays end at HONEST. */
#if HONEST == 1
#define EACH(F, ...) (F(0, __VA_ARGS__))
#elif HONEST == 2
#define EACH(F, ...) (F(0, __VA_ARGS__) && F(1, __VA_ARGS__))
#else
#define EACH(F, ...) (F(0, __VA_ARGS__) && F(1, __VA_ARGS__) && F(2, __VA_ARGS__))
#endif

/* ---- properties that must hold ---- */

#define QUESTIONS (ROUNDS * TOLDS)
#define QUESTION(r, t) ((r) * TOLDS + (t))

#if HONEST > 1
int opened[QUESTIONS]; /* each has a bit for each list under which its sum is open */

#define LISTED(j, a, u) (!HAS(u, j) || list[AT(j, a)] == (u))

/* Checks the lists when member i of list u has just answered. */
inline check_opened(i, a, u, r)
{
	if
	:: EACH(CANCELS, i, a, u, r) ->
		assert(EACH(LISTED, a, u));
		assert(SIZE(u) >= MIN_PARTIES);
		assert(u == ALL || (ALLOW_LOSS && SIZE(u) >= ALLOW_LOSS));
		d_step {
		v = 1;
		do
		:: v <= ALL ->
			assert(!HAS(opened[QUESTION(r, TOLD(i, a, r))], v) || WITHIN(u, v) || WITHIN(v, u));
			v++
		:: else -> break
		od;
		v = 0
		};
		opened[QUESTION(r, TOLD(i, a, r))] = opened[QUESTION(r, TOLD(i, a, r))] | (1 << u)
	:: else
	fi
}

/* A party goes on only if each other honest member that goes on received the same broadcasts. */
#define GOES_ON(i, a, u, r, t) (EACH(KEYS_WITH, a, u) && (r == 0 || EACH(WORD_OF, i, a, u, r)))
#define SAME_WORDS(j, i, a, u, r)                                                                  \
	(!HAS(u, j) || list[AT(j, a)] != (u) || rounds[AT(j, a)] < (r) || TOLD(j, a, (r) - 1) == TOLD(i, a, (r) - 1))

#else
byte numbering; /* of the attempt: the row of each node */
#define NUMBERINGS 2

/* The keys of attempt a, its list, round r and the t broadcasts before it determine a mask. Round,
 * broadcasts and numbering determine a term. */
#ifdef ROUND_REUSED
#define MASK(a, r, t) (((a) - 1) * TOLDS + (t))
#else
#define MASK(a, r, t) ((((a) - 1) * ROUNDS + (r)) * TOLDS + (t))
#endif
#define TERM(r, t) (1 + (QUESTION(r, t) * NUMBERINGS + numbering))
byte masked[NUMBERS * ROUNDS * TOLDS];

inline check_masks(i, a, u, r)
{
	assert(masked[MASK(a, r, TOLD(i, a, r))] == 0 || masked[MASK(a, r, TOLD(i, a, r))] == TERM(r, TOLD(i, a, r)));
	masked[MASK(a, r, TOLD(i, a, r))] = TERM(r, TOLD(i, a, r))
}

/* Two questions may have answers with the same bytes, so answers cannot separate noise keys. */
#ifdef NO_NUMBERING_IN_NOISE_KEY
#define KEY_NUMBERING 0
#else
#define KEY_NUMBERING numbering
#endif
#ifdef NO_MEMBERS_IN_NOISE_KEY
#define KEY_MEMBERS(u) 0
#else
#define KEY_MEMBERS(u) (u)
#endif
#ifdef NO_TOLD_IN_NOISE_KEY
#define KEY_TOLD(t) 0
#else
#define KEY_TOLD(t) (t)
#endif
#ifdef NO_RELEASE_IN_NOISE_KEY
#define KEY_RELEASE(r) 0
#else
#define KEY_RELEASE(r) (r)
#endif
#define ASKED(u, r, t, n) ((QUESTION(r, t) * NUMBERINGS + (n)) * (ALL + 1) + (u))
#define KEY(u, r, t) ASKED(KEY_MEMBERS(u), KEY_RELEASE(r), KEY_TOLD(t), KEY_NUMBERING)
#if L == 3
#define KEYS 96 /* QUESTIONS * NUMBERINGS * (ALL + 1) */
#elif L == 4
#define KEYS 192
#else
#define KEYS 384
#endif
short noise[KEYS]; /* for each key: 1 + the question it was used for */
byte paid, asked;

#ifdef NO_CHARGE /* a repeated attempt costs nothing */
#define COSTS(u, r, t) (served[0] == 1 && noise[KEY(u, r, t)] == 0)
#else
#define COSTS(u, r, t) (noise[KEY(u, r, t)] == 0)
#endif
#define GOES_ON(i, a, u, r, t) (!COSTS(u, r, t) || paid < MAX_PAID)

inline check_noise(i, a, u, r)
{
	assert(noise[KEY(u, r, TOLD(i, a, r))] == 0 || noise[KEY(u, r, TOLD(i, a, r))] == 1 + ASKED(u, r, TOLD(i, a, r), numbering));
	if
	:: noise[KEY(u, r, TOLD(i, a, r))] == 0 -> asked++
	:: else
	fi;
	if
	:: COSTS(u, r, TOLD(i, a, r)) -> paid++
	:: else
	fi;
	noise[KEY(u, r, TOLD(i, a, r))] = 1 + ASKED(u, r, TOLD(i, a, r), numbering);
	assert(asked <= MAX_PAID)
}
#endif

/* ---- the coordinator ---- */

inline choose(x, least, most)
{
	x = least;
	do
	:: x < (most) -> x++
	:: break
	od
}

inline forget(i, a)
{
	r = 0;
	do
	:: r < ROUNDS -> TOLD(i, a, r) = 0; r++
	:: else -> break
	od;
	rounds[AT(i, a)] = 0
}

init {
	byte i, a, u, r, t, v;

	do
	:: atomic { /* OFFER */
		choose(i, 0, HONEST - 1);
		choose(a, 1, NUMBERS);
		if
		:: RISES(i, a) && COUNTED(i) -> choose(u, 1, ALL)
		:: else
		fi;
		if
		:: TAKES(i, a, u) ->
			forget(i, a);
			list[AT(i, a)] = u;
			last[i] = a;
			held[i] = u;
			served[i]++;
			assert(served[i] <= MAX_ATTEMPTS);
#if HONEST == 1
			choose(numbering, 0, NUMBERINGS - 1);
#ifndef KEYS_REUSED
			/* New exponents: no mask of an earlier offer comes again. */
			r = 0;
			do
			:: r < ROUNDS * TOLDS -> masked[(a - 1) * ROUNDS * TOLDS + r] = 0; r++
			:: else -> break
			od
#endif
#endif
		:: else
		fi;
		i = 0; a = 0; u = 0; r = 0
	}
	:: atomic { /* a broadcast, or none, and the answer */
		choose(i, 0, HONEST - 1);
		a = last[i];
		if
		:: a > 0 && rounds[AT(i, a)] < ROUNDS ->
			u = list[AT(i, a)];
			r = rounds[AT(i, a)];
			if
			:: r > 0 -> t = TOLD(i, a, r - 1)
			:: else
			fi;
			if
			:: t++
			:: skip
			fi;
			if
			:: GOES_ON(i, a, u, r, t) ->
				TOLD(i, a, r) = t;
				rounds[AT(i, a)] = r + 1;
#if HONEST > 1
				assert(r == 0 || EACH(SAME_WORDS, i, a, u, r));
				check_opened(i, a, u, r)
#else
				check_masks(i, a, u, r);
				check_noise(i, a, u, r)
#endif
			:: else
			fi
		:: else
		fi;
		i = 0; a = 0; u = 0; r = 0; t = 0
	}
	od
}
