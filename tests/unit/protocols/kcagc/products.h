/* products.h -- Runs federated GCC and landmark projection in memory, and both methods without
 * messages for comparison. Also makes messages that a coordinator must not send. */
#ifndef TESTS_UNIT_KCAGC_PRODUCTS_H
#define TESTS_UNIT_KCAGC_PRODUCTS_H

#include "protocols/kcagc/gcc.h"
#include "protocols/kcagc/landmark.h"
#include "tests/unit/protocols/kcagc/predict.h"
#include "tests/unit/both/steps.h"

/* Returns a job over planted data like planted_job(), but without its filter order, which GCC and
 * landmark projection would use. */
static inline struct job products_job(const char *settings)
{
	static const char text[] = "{\"kind\":\"kcagc\",\"clusters\":3,\"allow_single\":true,"
				   "\"secure_sum\":{\"group\":\"x25519\"}}";

	return job_of(text, sizeof(text) - 1, settings);
}

/* The change of columns before the run: none, to words (0 and 1), or to words but for party 0. */
enum features_of { NUMBERS, WORDS, SOME_WORDS };

static inline void products_features(struct features *X, size_t l, enum features_of what)
{
	size_t count = X->dense.rows * X->dense.cols;

	if (what == NUMBERS || (what == SOME_WORDS && l == 0))
		return;
	for (size_t i = 0; i < count; i++)
		X->dense.a[i] = X->dense.a[i] > 0.8;
}

/* The slices of a federation's parties, without messages. Both methods run on these slices to give
 * the expected results. */
struct twin {
	struct slice slice[FED_MAX];
	struct memory memory;
	struct parties parties;
	size_t n;
};

static inline void twin_init(struct twin *t, const struct planted *p, size_t L,
			     enum features_of what)
{
	*t = (struct twin){ .n = p->g.adjacency.rows };
	for (size_t l = 0; l < L; l++) {
		struct features X;

		planted_slice(p, l, L, &X);
		products_features(&X, l, what);
		assert_ok(slice_init(&t->slice[l], &X, &p->g, 1));
	}
	t->memory = (struct memory){ .kind = &slices_in_memory, .party = t->slice, .count = L };
	parties_in_memory(&t->parties, &t->memory);
}

static inline void twin_degrees(struct twin *t, enum degrees degrees)
{
	for (size_t l = 0; l < t->memory.count; l++)
		t->slice[l].degrees = degrees == DEGREES_AUTO ? DEGREES_OFF : degrees;
}

static inline void twin_release(struct twin *t)
{
	for (size_t l = 0; l < t->memory.count; l++)
		slice_release(&t->slice[l]);
}

/* Runs a federation. The caller frees it with products_end(). */
static inline struct federation *products_run(const struct planted *p, size_t L,
					      const struct job *job, enum features_of what)
{
	struct federation *f = alloc(1, sizeof(*f));

	federation_init(f, p, L, job);
	for (size_t l = 0; l < L; l++)
		products_features(&f->party[l].X, l, what);
	federation_run(f);
	federation_succeeded(f);
	return f;
}

static inline void products_end(struct federation *f)
{
	federation_release(f);
	free(f);
}

static inline void assert_phases(const struct half *h, const char *phases)
{
	char seen[256] = "";

	for (size_t i = 0; i < h->record.phases; i++) {
		strcat(seen, i ? " " : "");
		strcat(seen, h->record.phase[i].name);
	}
	assert_string_equal(seen, phases);
}

static inline struct recording *products_recording_of(const struct plan *plan, size_t L,
						      const char *settings, enum features_of what)
{
	struct features X;
	struct recording *r;

	ALLOC(r, 1);
	planted_make(&r->data, plan);
	X = (struct features){ .dense = r->data.X };
	products_features(&X, 1, what);
	r->job = products_job(settings);
	recording_init(r, L);
	federation_run(&r->f);
	federation_succeeded(&r->f);
	return r;
}

static inline struct recording *products_recording(const struct plan *plan, size_t L,
						   const char *settings)
{
	return products_recording_of(plan, L, settings, NUMBERS);
}

/* Checks that the coordinator recorded k = 3, the number of planted classes, if the job has a range
 * of k. */
static inline void products_selection(const struct federation *f, const struct job *job)
{
	const struct facts *facts = &f->server.record.facts;
	double k = 0;

	for (size_t i = 0; i < facts->count; i++)
		if (!strcmp(facts->item[i].name, "selection_k"))
			k = facts->item[i].value[0];
	assert_true(k == (job->clusters_from ? 3 : 0));
}

/* ---- changes of one message in a script ---- */

/* Returns the step of the nth message of this type to the party. */
static inline size_t step_of(const struct script *s, enum msg_type type, size_t nth)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->note[i].type == type && nth-- == 0)
			return i;
	fail_msg("no such %s in the script", msg_name(type));
	return 0;
}

/* Replays to party l with m in place of message `step`. The party must refuse m with these words.
 */
static inline void assert_party_refuses(struct recording *r, size_t l, size_t step,
					const struct msg *m, const char *words)
{
	struct listener to = { r, l, false };
	struct script s = { 0 };
	struct outcome out;

	script_copy(&s, &r->to_party[l], step);
	script_add_msg(&s, m);
	replay(&to, &s, &out);
	assert_refused(&to, step, words, m->type, &out);
	if (!strstr(out.why, words))
		fail_msg("refused with \"%s\", expected \"%s\"", out.why, words);
	script_release(&s);
}

static inline void assert_refuses_choice(struct recording *r, size_t nth, uint64_t value,
					 const char *words)
{
	size_t step = step_of(&r->to_party[0], MSG_CHOICE, nth);
	struct msg m;

	assert_ok(msg_decode(
	    &m, MSG_CHOICE,
	    (struct bytes){ r->to_party[0].note[step].body, r->to_party[0].note[step].len }));
	m.choice.value = value;
	assert_party_refuses(r, 0, step, &m, words);
}

/* Changes the numbers of a MATRIX or BLOCK, as doubles. */
typedef void change_reals(double *x, size_t count);

static inline void assert_refuses_reals_of(struct recording *r, size_t l, enum msg_type type,
					   size_t nth, change_reals *change, const char *words)
{
	size_t step = step_of(&r->to_party[l], type, nth), size = type == MSG_BLOCK ? 4 : 8;
	struct msg m;
	double *x;
	uint8_t *bytes;

	assert_ok(msg_decode(
	    &m, type,
	    (struct bytes){ r->to_party[l].note[step].body, r->to_party[l].note[step].len }));
	ALLOC(x, m.reals.count);
	bytes = alloc(m.reals.count, size);
	for (size_t i = 0; i < m.reals.count; i++) {
		float single;

		memcpy(&single, m.reals.values.p + i * size, sizeof(single));
		if (size == 4)
			x[i] = (double)single;
		else
			memcpy(&x[i], m.reals.values.p + i * size, size);
	}
	change(x, m.reals.count);
	for (size_t i = 0; i < m.reals.count; i++) {
		float single = (float)x[i];

		memcpy(bytes + i * size, size == 4 ? (void *)&single : (void *)&x[i], size);
	}
	m.reals.values.p = bytes;
	assert_party_refuses(r, l, step, &m, words);
	free(bytes);
	free(x);
}

static inline void assert_refuses_reals(struct recording *r, enum msg_type type, size_t nth,
					change_reals *change, const char *words)
{
	assert_refuses_reals_of(r, 0, type, nth, change, words);
}

/* Replaces the nth message of this type by `count` other labels. The party must refuse it with
 * these words. */
static inline void assert_refuses_labels(struct recording *r, enum msg_type type, size_t nth,
					 uint32_t values, const uint32_t *label, size_t count,
					 const char *words)
{
	size_t step = step_of(&r->to_party[0], type, nth), len = labels_bytes(values, count);
	struct msg m;
	uint8_t *packed = alloc(len, 1);

	assert_ok(msg_decode(
	    &m, type,
	    (struct bytes){ r->to_party[0].note[step].body, r->to_party[0].note[step].len }));
	labels_pack(packed, values, label, count);
	m.labels.values = values;
	m.labels.count = count;
	m.labels.packed = (struct bytes){ packed, len };
	assert_party_refuses(r, 0, step, &m, words);
	free(packed);
}

/* Changes one random bit of each SUM of a run in turn, in a word or in its tag. Party l must refuse
 * each one. l must not be 0, so that the party gets the group key in a message. */
static inline void assert_refuses_sums(struct recording *r, size_t l, struct rng *rng, size_t least)
{
	const struct script *full = &r->to_party[l];
	size_t sums = 0;

	for (size_t step = 0; step < full->count; step++) {
		const struct note *note = &full->note[step];
		struct script s = { 0 };
		struct outcome out;
		struct msg m;
		uint8_t *words;

		if (note->type != MSG_SUM)
			continue;
		assert_ok(msg_decode(&m, note->type, (struct bytes){ note->body, note->len }));
		words = alloc(m.masked.words.n + m.masked.tag.n, 1);
		memcpy(words, m.masked.words.p, m.masked.words.n);
		memcpy(words + m.masked.words.n, m.masked.tag.p, m.masked.tag.n);
		words[rng_below(rng, m.masked.words.n + m.masked.tag.n)] ^=
		    (uint8_t)(1 << rng_below(rng, 8));
		m.masked.words.p = words;
		m.masked.tag.p = words + m.masked.words.n;
		script_copy(&s, full, step);
		script_add_msg(&s, &m);
		for (size_t i = step + 1; i < full->count; i++) /* further chunks of this sum */
			script_add(&s, full->note[i].type,
				   (struct bytes){ full->note[i].body, full->note[i].len }, "");
		replay(&(struct listener){ r, l, false }, &s, &out);
		if (out.code != ERR_PEER || !strstr(out.why, "hub sent SUM") ||
		    !strstr(out.why, "is not the sum of the parties' terms and tags"))
			fail_msg("SUM in step %zu: %s \"%s\"", step, err_name(out.code), out.why);
		script_release(&s);
		free(words);
		sums++;
	}
	assert_true(sums >= least);
}

#endif
