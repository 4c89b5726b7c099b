/* Sends the right message at the right step with a wrong field, to both sides of kCAGC. */
#include "tests/unit/both/replay.h"

static const struct plan plan = { .n = 48, .m = 16, .seed = 1, .noise = 1.5 };
#define FEW   "starts=3 restarts=2 screen=1 iterations=2 "
#define INNER "inner_restarts=2 inner_iterations=2 "
static const char tree[] = FEW INNER "method=tree polish=1";
static const char centre[] = FEW INNER "method=tree polish=0 virtual_nodes=centre";
static const char basic[] = FEW "method=basic";

/* A recorded message, decoded, with the data that the changes need. */
struct draft {
	struct msg m;
	const struct job *job;
	size_t entries; /* number of entries, if m is a vector of labels */
	uint32_t *label;
	uint32_t *own;    /* for the first CELLS: the party's own clusters; else NULL */
	struct buf bytes; /* storage for changed labels or words */
};

static bool is_labels(enum msg_type type)
{
	return type >= MSG_LOCAL_CLUSTERS;
}

static void draft_open(struct draft *d, const struct note *note, const struct job *job)
{
	size_t bad;

	*d = (struct draft){ .job = job };
	assert_ok(msg_decode(&d->m, (uint16_t)note->type, (struct bytes){ note->body, note->len }));
	if (!is_labels(note->type))
		return;
	d->entries = (size_t)d->m.labels.count;
	ALLOC(d->label, d->entries);
	assert_true(
	    labels_unpack(d->label, d->m.labels.values, d->m.labels.packed, d->entries, &bad));
}

static void draft_close(struct draft *d)
{
	free(d->label);
	free(d->own);
	buf_release(&d->bytes);
}

/* Packs entries [from, to) as the message's chunk. */
static void draft_pack(struct draft *d, size_t from, size_t to)
{
	size_t len = labels_bytes(d->m.labels.values, to - from);

	d->bytes.n = 0;
	labels_pack(buf_extend(&d->bytes, len), d->m.labels.values, d->label + from, to - from);
	d->m.labels.offset = from;
	d->m.labels.packed = (struct bytes){ d->bytes.p, len };
}

/* Sets the view to `len` bytes of the message from `from` on; zeros follow the message's end. */
static void draft_bytes(struct draft *d, struct bytes *view, size_t from, size_t len)
{
	struct bytes old = *view;

	d->bytes.n = 0;
	if (len)
		memset(buf_extend(&d->bytes, len), 0, len);
	if (len && from < old.n)
		memcpy(d->bytes.p, old.p + from, old.n - from < len ? old.n - from : len);
	*view = (struct bytes){ d->bytes.p, len };
}

/* ---- changes: each returns false if it does not apply to this message ---- */

typedef bool change(struct draft *d);

static bool label_group(struct draft *d)
{
	d->m.labels.group++;
	return true;
}

static bool label_values_more(struct draft *d)
{
	if (d->m.type == MSG_CELLS) /* the sender chooses `values`, up to the number of nodes */
		d->m.labels.values = (uint32_t)d->entries;
	d->m.labels.values++;
	return true;
}

static bool label_values_less(struct draft *d)
{
	d->m.labels.values--;
	return d->m.type != MSG_CELLS;
}

static bool label_values_none(struct draft *d)
{
	d->m.labels.values = 0;
	return true;
}

static bool label_values_huge(struct draft *d)
{
	d->m.labels.values = UINT32_MAX;
	return true;
}

static bool label_count_more(struct draft *d)
{
	d->m.labels.count++;
	return true;
}

static bool label_count_less(struct draft *d)
{
	d->m.labels.count--;
	return true;
}

static bool label_count_huge(struct draft *d)
{
	d->m.labels.count = MSG_ITEMS_MAX;
	return true;
}

static bool label_offset(struct draft *d)
{
	if (d->entries <= 8)
		return false;
	draft_pack(d, 8, d->entries);
	return true;
}

static bool label_short(struct draft *d)
{
	draft_bytes(d, &d->m.labels.packed, 0, d->m.labels.packed.n - 1);
	return d->bytes.n % labels_bits(d->m.labels.values) ||
	       d->bytes.n == 0; /* a chunk of fewer, but whole entries would be valid */
}

static bool label_long(struct draft *d)
{
	draft_bytes(d, &d->m.labels.packed, 0, d->m.labels.packed.n + 1);
	return true;
}

static bool label_nothing(struct draft *d)
{
	d->m.labels.packed.n = 0;
	return true;
}

/* Sets a bit after the last entry. */
static bool label_padding(struct draft *d)
{
	size_t bits = d->entries * labels_bits(d->m.labels.values);

	draft_bytes(d, &d->m.labels.packed, 0, d->m.labels.packed.n);
	d->bytes.p[d->bytes.n - 1] |= 0x80;
	return bits % 8 != 0;
}

/* Sets all bits of the first entries. They are then out of range, unless all bits of `values` are
 * ones. */
static bool label_range(struct draft *d)
{
	uint32_t values = d->m.labels.values;

	draft_bytes(d, &d->m.labels.packed, 0, d->m.labels.packed.n);
	memset(d->bytes.p, 0xff, labels_bits(values));
	return values & (values + 1);
}

/* Puts the last item in no cluster. STARTS and KEPT may have such items. */
static bool label_none(struct draft *d)
{
	if (d->m.type == MSG_STARTS || d->m.type == MSG_KEPT)
		return false;
	d->label[d->entries - 1] = d->m.labels.values;
	draft_pack(d, 0, d->entries);
	return true;
}

/* Declares one cell more than the cells that have nodes. */
static bool cell_empty(struct draft *d)
{
	if (d->m.type != MSG_CELLS || d->m.labels.values == d->entries)
		return false;
	d->m.labels.values++;
	draft_pack(d, 0, d->entries);
	return true;
}

/* Moves a node to a cell of another cluster of the party, without emptying a cell. */
static bool cell_mixed(struct draft *d)
{
	if (!d->own)
		return false;
	for (size_t i = 0; i < d->entries; i++)
		for (size_t j = 0; j < i; j++)
			for (size_t other = 0; other < d->entries; other++)
				if (d->label[i] == d->label[j] && d->own[other] != d->own[i]) {
					d->label[i] = d->label[other];
					draft_pack(d, 0, d->entries);
					return true;
				}
	return false;
}

static bool masked_group(struct draft *d)
{
	d->m.masked.group++;
	return true;
}

static bool masked_next_round(struct draft *d)
{
	d->m.masked.round++;
	return true;
}

static bool masked_last_round(struct draft *d)
{
	d->m.masked.round--;
	return true;
}

static bool masked_count_more(struct draft *d)
{
	d->m.masked.count++;
	return true;
}

static bool masked_count_less(struct draft *d)
{
	d->m.masked.count--;
	return true;
}

static bool masked_count_huge(struct draft *d)
{
	d->m.masked.count = MSG_WORDS_MAX;
	return true;
}

static bool masked_offset(struct draft *d)
{
	d->m.masked.offset++;
	return true;
}

static bool masked_half_word(struct draft *d)
{
	draft_bytes(d, &d->m.masked.words, 0, d->m.masked.words.n - d->job->modulus_bits / 16);
	return true;
}

static bool masked_word_more(struct draft *d)
{
	draft_bytes(d, &d->m.masked.words, 0, d->m.masked.words.n + d->job->modulus_bits / 8);
	return true;
}

static bool masked_nothing(struct draft *d)
{
	d->m.masked.words.n = 0;
	return true;
}

static bool masked_tagged(struct draft *d)
{
	static const uint8_t tag[MSG_SUM_TAG_LEN];

	d->m.masked.tag = (struct bytes){ tag, sizeof(tag) };
	return true;
}

static const struct {
	const char *what;
	change *change;
	bool labels;
} changes[] = {
	{ "another group", label_group, true },
	{ "values + 1", label_values_more, true },
	{ "values - 1", label_values_less, true },
	{ "values 0", label_values_none, true },
	{ "values 2^32 - 1", label_values_huge, true },
	{ "count + 1", label_count_more, true },
	{ "count - 1", label_count_less, true },
	{ "count 2^30", label_count_huge, true },
	{ "offset 8", label_offset, true },
	{ "a byte too few", label_short, true },
	{ "a byte too many", label_long, true },
	{ "no bytes", label_nothing, true },
	{ "a bit after the end", label_padding, true },
	{ "an entry out of range", label_range, true },
	{ "an item in no cluster", label_none, true },
	{ "an empty cell", cell_empty, true },
	{ "a cell across clusters", cell_mixed, true },
	{ "another group", masked_group, false },
	{ "the next round", masked_next_round, false },
	{ "the last round", masked_last_round, false },
	{ "count + 1", masked_count_more, false },
	{ "count - 1", masked_count_less, false },
	{ "count 2^33", masked_count_huge, false },
	{ "offset 1", masked_offset, false },
	{ "half a word less", masked_half_word, false },
	{ "a word more", masked_word_more, false },
	{ "no words", masked_nothing, false },
	{ "a tag", masked_tagged, false },
};
enum { CHANGES = sizeof(changes) / sizeof(*changes) };
static size_t tried[CHANGES];

static bool ninth_step(const struct script *s, size_t step)
{
	return s->note[step].type == MSG_ASSIGNMENT && step && s->note[step - 1].type == MSG_STARTS;
}

static void check_change(const struct listener *to, size_t step, size_t c)
{
	const struct script *full = listener_script(to);
	const struct note *note = &full->note[step];
	struct script s = { 0 };
	struct outcome out;
	struct draft d;

	if (changes[c].labels != is_labels(note->type))
		return;
	draft_open(&d, note, &to->r->job);
	if (note->type == MSG_CELLS && step == 0) {
		struct draft local;

		draft_open(&local, &to->r->from_party[to->l].note[0], &to->r->job);
		d.own = local.label;
		local.label = NULL;
		draft_close(&local);
	}
	if (changes[c].change(&d)) {
		tried[c]++;
		script_copy(&s, full, step);
		script_add_msg(&s, &d.m);
		replay(to, &s, &out);
		/* After the 1/9 step, too, items may be in no cluster. */
		if (changes[c].change == label_none && ninth_step(full, step))
			assert_goes_on(to, step, "an item in no cluster", &out);
		else
			assert_refused(to, step, changes[c].what, note->type, &out);
	}
	script_release(&s);
	draft_close(&d);
}

/* ---- chunks ---- */

/* Splits the note into two messages: the first has entries or words [0, cut), the second has those
 * from cut on and `more` after the end. With first_twice the second message repeats the first. */
static void draft_halves(struct script *s, const struct note *note, const struct job *job,
			 size_t more, bool first_twice)
{
	struct draft d;
	size_t word = job->modulus_bits / 8, cut;

	draft_open(&d, note, job);
	if (is_labels(note->type)) {
		cut = d.entries / 2 / 8 * 8;
		d.label = alloc_again(d.label, d.entries + more, sizeof(*d.label));
		memset(d.label + d.entries, 0, more * sizeof(*d.label));
		draft_pack(&d, 0, cut);
		script_add_msg(s, &d.m);
		if (!first_twice)
			draft_pack(&d, cut, d.entries + more);
	} else {
		cut = (size_t)d.m.masked.count / 2;
		d.m.masked.words.n = cut * word;
		script_add_msg(s, &d.m);
		if (!first_twice) {
			d.m.masked.offset = cut;
			d.m.masked.words.n = (size_t)d.m.masked.count * word;
			draft_bytes(&d, &d.m.masked.words, cut * word,
				    ((size_t)d.m.masked.count - cut + more) * word);
		}
	}
	script_add_msg(s, &d.m);
	draft_close(&d);
}

static void check_chunks(const struct listener *to, size_t step)
{
	const struct script *full = listener_script(to);
	const struct note *note = &full->note[step];
	struct draft d;
	bool divisible;

	draft_open(&d, note, &to->r->job);
	divisible = !is_labels(note->type) || d.entries >= 16;
	draft_close(&d);
	for (int kind = 0; divisible && kind < 3; kind++) {
		static const char *const what[] = { "two chunks", "a chunk twice",
						    "a chunk past the end" };
		struct script s = { 0 };
		struct outcome out;

		script_copy(&s, full, step);
		draft_halves(&s, note, &to->r->job, kind == 2 ? 9 : 0, kind == 1);
		replay(to, &s, &out);
		if (kind == 0)
			assert_goes_on(to, step, what[kind], &out);
		else
			assert_refused(to, step, what[kind], note->type, &out);
		script_release(&s);
	}
}

/* ---- */

static void check_side(struct recording *r, size_t l, bool server)
{
	struct listener to = { r, l, server };

	for (size_t step = 0; step < listener_script(&to)->count; step++) {
		for (size_t c = 0; c < CHANGES; c++)
			check_change(&to, step, c);
		check_chunks(&to, step);
	}
}

static void check_both(struct recording *r, size_t l)
{
	check_side(r, l, false);
	check_side(r, l, true);
	recording_free(r);
}

TEST(test_tree)
{
	check_both(recording_new(&plan, 4, tree, false), 1);
}

TEST(test_tree_of_centres)
{
	check_both(recording_new(&plan, 4, centre, false), 2);
}

TEST(test_basic)
{
	check_both(recording_new(&plan, 2, basic, false), 1);
}

TEST(test_words_of_32_bits)
{
	check_both(recording_new(&plan, 3,
				 FEW "secure_sum.modulus_bits=32 secure_sum.fraction_bits=12",
				 false),
		   0);
}

TEST(test_single)
{
	check_both(recording_new(&plan, 1, "polish=2", false), 0);
}

/* Runs after the other tests. */
TEST(test_each_change_was_tried)
{
	for (size_t c = 0; c < CHANGES; c++)
		if (!tried[c])
			fail_msg("%s was never tried", changes[c].what);
}
