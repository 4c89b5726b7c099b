/* steps.h -- sends every message of the catalogue at every step of a recorded job, to both
 * sides. */
#ifndef TESTS_UNIT_BOTH_STEPS_H
#define TESTS_UNIT_BOTH_STEPS_H

#include "common/base/sanitized.h"
#include "tests/unit/both/replay.h"
#include "tests/unit/proto/samples.h"

/* Replays the script cut after each step in turn. The half must accept all its messages. */
static inline void check_prefixes(const struct listener *to)
{
	const struct script *full = listener_script(to);

	for (size_t step = 0; step < full->count; step++) {
		struct script s = { 0 };
		struct outcome out;

		script_copy(&s, full, step + 1);
		replay(to, &s, &out);
		assert_goes_on(to, step, "the right one", &out);
		assert_int_equal(out.taken[0], step + 1);
		script_release(&s);
	}
}

static inline void check_sample(const struct listener *to, size_t step, enum msg_type type,
				bool largest)
{
	const struct note *due = &listener_script(to)->note[step];
	struct script s = { 0 };
	struct outcome out;
	char exact[256];
	size_t len;
	uint8_t *body = sample_body(type, largest, &len);

	script_copy(&s, listener_script(to), step);
	script_add(&s, type, (struct bytes){ body, len }, "");
	replay(to, &s, &out);
	/* ABORT may end a job at any time, and so may a party's DECLINE */
	if (type == MSG_ABORT || (type == MSG_DECLINE && to->server)) {
		/* the sample ABORT is one that a coordinator sends, so a coordinator refuses it */
		bool refused = type == MSG_ABORT && to->server;

		/* the code of the largest sample is MSG_AGAIN, which the receiver returns as
		 * ERR_PEER */
		assert_int_equal(out.code, largest || refused ? ERR_PEER : ERR_JOB);
		assert_true(out.taken[0] <= step);
	} else if (type == due->type) { /* the sample has the right type, but wrong fields */
		assert_refused(to, step, msg_name(type), type, &out);
	} else {
		snprintf(exact, sizeof(exact), "%s sent %s, expected %s (during %s)",
			 listener_peer(to), msg_name(type), msg_name(due->type), due->step);
		if (out.code != ERR_PEER || strcmp(out.why, exact))
			fail_msg("%s: \"%s\"", listener_text(to, step, msg_name(type)), out.why);
		assert_int_equal(out.taken[0], step);
	}
	script_release(&s);
	free(body);
}

/* Sends bodies of the expected type that do not parse: one byte short, or one byte long. */
static inline void check_garbage(const struct listener *to, size_t step)
{
	const struct note *due = &listener_script(to)->note[step];
	uint8_t *longer = alloc(due->len + 1, 1);

	memcpy(longer, due->body, due->len);
	for (int more = -1; more <= 1; more += 2) {
		struct script s = { 0 };
		struct outcome out;

		script_copy(&s, listener_script(to), step);
		script_add(&s, due->type, (struct bytes){ longer, due->len + (size_t)more }, "");
		replay(to, &s, &out);
		assert_refused(to, step, "garbage", due->type, &out);
		script_release(&s);
	}
	free(longer);
}

/* Sends each type at this step, with the smallest and with the largest body. Under a sanitizer each
 * type has only one of the two bodies at a step, and the other one at the next step. */
static inline void check_types(const struct listener *to, size_t step)
{
	for (size_t t = 0; t < ALL_TYPES; t++)
		for (int largest = 0; largest <= 1; largest++)
			if (!SANITIZED || (step + t) % 2 == (size_t)largest)
				check_sample(to, step, all_types[t], largest);
}

/* Sends wrong messages at all steps from `first` on. */
static inline void check_all_from(const struct listener *to, size_t first)
{
	size_t steps = listener_script(to)->count;

	check_prefixes(to);
	for (size_t step = first; step < steps; step++) {
		check_types(to, step);
		check_garbage(to, step);
	}
}

static inline void check_all(const struct listener *to)
{
	check_all_from(to, 0);
}

/* Requires that the script has all these types, so that the tests of every step cover them. */
static inline void assert_holds(const struct script *s, const enum msg_type *types, size_t count)
{
	for (size_t t = 0; t < count; t++) {
		size_t seen = 0;

		for (size_t i = 0; i < s->count; i++)
			seen += s->note[i].type == types[t];
		if (!seen)
			fail_msg("no %s was sent", msg_name(types[t]));
	}
}

static inline void check_recording(struct recording *r, size_t l)
{
	check_all(&(struct listener){ r, l, false });
	check_all(&(struct listener){ r, l, true });
	recording_free(r);
}

#endif
