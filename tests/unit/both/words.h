/* words.h -- sums without parties that are lost (on_loss "sum"), word for word.
 *
 *   W(S)   the words of one sum, of the same question, without the parties of S
 *
 *   the sum over l of W({l})  =  (L - 1) W({})       mod 2^64, each word
 *   W({a, b})                 =  W({a}) + W({b}) - W({})
 *
 * All runs of a seed have the same sums until somebody goes; the first one after that has the same question, so
 * in each the others give the same terms, and those are all that it consists of.
 */
#ifndef TESTS_UNIT_BOTH_WORDS_H
#define TESTS_UNIT_BOTH_WORDS_H

#include "common/base/sanitized.h"
#include "tests/unit/both/federation.h"

/* One run: who goes when it has heard `after` sums, and the words of the next that the others are told. */
struct words {
	struct federation *f;
	bool gone[FED_MAX];
	size_t after, heard[FED_MAX];
	size_t watcher; /* the first that stays */
	uint64_t *word; /* owned; NULL: there was no such sum */
	size_t count;
};

static inline void words_keep(struct words *w, const struct msg_masked *m, size_t here)
{
	w->count = m->count;
	if (!w->word)
		w->word = alloc(m->count, sizeof(*w->word));
	memcpy(w->word + m->offset, m->words.p, here * sizeof(*w->word));
}

static inline void words_saw(void *arg, size_t l, enum msg_type type, struct bytes body)
{
	struct words *w = arg;
	struct msg m;
	size_t here;

	if (type != MSG_SUM)
		return;
	assert_ok(msg_decode(&m, (uint16_t)type, body));
	here = m.masked.words.n / sizeof(*w->word);
	if (l == w->watcher && w->heard[l] == w->after)
		words_keep(w, &m.masked, here);
	if (m.masked.offset + here < m.masked.count)
		return;
	w->heard[l]++;
	if (w->gone[l] && w->heard[l] == w->after) {
		channel_fail_lost(w->f->server.channel[l], ERR_PEER, "gone", true);
		channel_fail(w->f->party[l].channel[0], ERR_PEER, "gone");
	}
}

/* Of an opened federation, which is run to its end. S: whose bits are set. */
static inline void words_run(struct words *w, struct federation *f, unsigned S, size_t after)
{
	*w = (struct words){ .f = f, .after = after };
	for (size_t l = 0; l < f->server.L; l++)
		w->gone[l] = S >> l & 1;
	while (w->gone[w->watcher])
		w->watcher++;
	f->server.tell = true;
	for (size_t l = 0; l < f->server.L; l++) {
		f->party[l].tell = true;
		f->party[l].saw = words_saw;
		f->party[l].saw_arg = w;
	}
	federation_run(f);
}

/* How the caller makes and ends a federation of on_loss "sum", the same each time. */
struct words_of {
	struct federation *(*open)(const char *settings);
	void (*close)(struct federation *f);
	const char *settings;
};

static inline void words_without(const struct words_of *of, unsigned S, size_t after, struct words *w)
{
	struct federation *f = of->open(of->settings);

	words_run(w, f, S, after);
	if (!w->word)
		fail_msg("%s: without %x, no sum after %zu: %s", of->settings, S, after, f->server.why);
	assert_int_equal(f->server.record.losts, __builtin_popcount(S));
	of->close(f);
}

/* Of that sum; two: without parties 0 and L - 1 as well. */
static inline void words_add_up(const struct words_of *of, size_t L, size_t after, bool two)
{
	struct words all, without[FED_MAX], both;

	words_without(of, 0, after, &all);
	for (size_t l = 0; l < L; l++) {
		words_without(of, 1U << l, after, &without[l]);
		assert_int_equal(without[l].count, all.count);
	}
	for (size_t j = 0; j < all.count; j++) {
		uint64_t sum = 0;

		for (size_t l = 0; l < L; l++)
			sum += without[l].word[j];
		if (sum != (L - 1) * all.word[j])
			fail_msg("%s: word %zu of %zu of the sum after %zu", of->settings, j, all.count, after);
	}
	if (two) {
		words_without(of, 1U | 1U << (L - 1), after, &both);
		assert_int_equal(both.count, all.count);
		for (size_t j = 0; j < all.count; j++)
			if (both.word[j] != without[0].word[j] + without[L - 1].word[j] - all.word[j])
				fail_msg("%s: word %zu of %zu of the sum after %zu, without two", of->settings, j,
					 all.count, after);
		free(both.word);
	}
	for (size_t l = 0; l < L; l++)
		free(without[l].word);
	free(all.word);
}

/* At the first sums, at every so many, and at the last one; with a sanitizer at the first, a few and the last, as what it
 * looks for does not hang on which sum it is. */
static inline void words_at_sums(const struct words_of *of, size_t L, size_t every, bool two)
{
	struct words w;
	struct federation *f = of->open(of->settings);
	size_t sums;

	words_run(&w, f, 0, 0);
	sums = w.heard[0];
	free(w.word);
	of->close(f);
	print_message("%s: %zu sums\n", of->settings, sums);
	for (size_t after = 1; after < sums; after++)
		if (after <= (SANITIZED ? 1 : 3) || after % (SANITIZED ? 4 * every : every) == 0 || after == sums - 1)
			words_add_up(of, L, after, two);
}

#endif
