/* Runs two jobs at once in one state directory. In every order of their steps, no budget is
 * exceeded, and at least one of the two jobs succeeds. */
#include "tests/unit/party/consent/desk.h"
#include "common/base/clock.h"
#include "party/consent/aligned.h"

#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 5, ORDERS = 252 /* (10 choose 5) */, TIMES = 50, VECTOR = 8, CHUNK = 4 };

#define NOISY                                                                                      \
	"{\"kind\":\"kmeans\",\"clusters\":3,\"noise\":{\"on\":\"sums\",\"eps\":1,\"delta\":1e-5," \
	"\"clip\":1}}"

/* Each budget is enough for one job but not for both. */
static const struct budget {
	const char *policy, *job;
	bool fewer_parties; /* the second job has fewer parties */
	bool parts;         /* the job that is refused may have sent some of its numbers */
	uint64_t most_words;
	const char *sentence;
} budgets[] = {
	{ "\"allow_subsets\":false", KCAGC, true, false, VECTOR, "policy.allow_subsets of p0" },
	{ "\"max_eps_total\":1.2", NOISY, false, false, VECTOR,
	  "policy.max_eps_total of p0 is 1.2" },
	{ "\"max_jobs\":1", KCAGC, false, false, VECTOR, "policy.max_jobs of p0 is 1" },
	{ "\"max_words\":12", KCAGC, false, true, 12, "policy.max_words of p0 is 12" },
};
enum { BUDGETS = sizeof(budgets) / sizeof(*budgets) };

static char state[64];
static unsigned round_no; /* each round has its own data, so that one ledger serves all rounds */

/* ---- one job ---- */

static struct desk *desk[2];

static void open_desks(const struct budget *b)
{
	lab_dir(state);
	for (int j = 0; j < 2; j++) {
		open_desk(b->policy, b->job);
		free(d->config.state);
		d->config.state = alloc_copy(state);
		d->work.job_id[0] = j ? 0xb2 : 0xa1;
		d->work.L = j && b->fewer_parties ? 2 : 3;
		desk[j] = d;
	}
}

static void next_round(void)
{
	round_no++;
	for (int j = 0; j < 2; j++) {
		d = desk[j];
		connect_desk();
		memcpy(&d->data[1], &round_no, sizeof(round_no));
		memcpy(&d->work.job_id[1], &round_no, sizeof(round_no));
	}
}

static void close_desks(void)
{
	for (int j = 0; j < 2; j++) {
		d = desk[j];
		close_desk();
	}
	lab_remove(state);
}

static enum err chunk(uint64_t offset)
{
	static const uint8_t words[8 * CHUNK];
	struct msg m = {
		.type = MSG_MASKED,
		.masked = { .count = VECTOR, .offset = offset, .words = { words, sizeof(words) } }
	};
	enum err e;

	d->work.sum = (struct work_sum){ { 0, 1 }, 2, 8 };
	e = channel_send(d->work.channel, &m);
	return e == ERR_OK ? channel_release(d->work.channel) : e;
}

static enum err check_past(void)
{
	enum err e = leaving_check_past(d->work.leaving);

	d->work.ending = e == ERR_OK ? 0 : ENDING_POLICY; /* offer.c does the same */
	return e;
}

static enum err send_key(void)
{
	struct msg key = { .type = MSG_KEY,
			   .key = { .public_key = { (const uint8_t *)"k", 1 },
				    .spki = { (const uint8_t *)"k", 1 },
				    .signature = { (const uint8_t *)"k", 1 } } };
	enum err e = channel_send(d->work.channel, &key);

	return e == ERR_OK ? channel_release(d->work.channel) : e;
}

/* Takes one step: offer, operator's consent, keys, first numbers, or later numbers. Sends ABORT
 * after an error. */
static enum err take_step(int step)
{
	struct msg over = { .type = MSG_ABORT, .abort = { ERR_PEER, ENDING_POLICY, { 0 } } };
	enum err e = ERR_OK;

	switch (step) {
	case 0:
		e = leaving_open(&d->work.leaving, &d->config, &d->work, true, d->data);
		if (e == ERR_OK) {
			d->work.leaving->durable_s =
			    clock_now_s(); /* so that no commit waits for the disk */
			e = check_past();
		}
		break;
	case 1:
		e = check_past();
		break;
	case 2:
		e = send_key();
		break;
	default:
		e = chunk(step == 3 ? 0 : CHUNK);
	}
	if (e != ERR_OK) {
		struct err_saved end = err_save(e);

		(void)!channel_send(d->work.channel, &over);
		e = err_restore(&end);
	}
	return e;
}

/* ---- contents of the ledger ---- */

struct had {
	uint64_t words, rounds;
	unsigned claims;
};

static enum err add_row(void *arg, const struct ledger_line *line)
{
	struct had *had = arg;

	had->words += line->row.words;
	had->rounds += line->row.rounds;
	had->claims += line->row.eps > 0;
	return ERR_OK;
}

static struct had read_had(struct ledger *l, int j)
{
	struct had had = { 0 };
	char id[LEDGER_JOB_TEXT];

	hex_write(desk[j]->work.job_id, JOB_ID_LEN, id);
	assert_ok(ledger_read(l, id, 0, add_row, &had));
	return had;
}

static struct ledger *open_ledger(void)
{
	char path[96];
	struct ledger *l;

	snprintf(path, sizeof(path), "%s/ledger.db", state);
	assert_ok(ledger_open(&l, path, "p0"));
	return l;
}

static void assert_kept(const struct budget *b, struct ledger *l)
{
	struct had first = read_had(l, 0), second = read_had(l, 1);

	assert_true(first.words + second.words <= b->most_words);
	assert_true(first.words == VECTOR || second.words == VECTOR); /* a job has finished */
	assert_true(b->parts || !first.words || !second.words);
	assert_true(b->parts || first.rounds + second.rounds == 1);
	assert_true(first.claims + second.claims <= 1);
}

/* ---- all orders ---- */

/* Bit i of `order` is the job that takes step i. */
static void run_order(const struct budget *b, struct ledger *l, unsigned order)
{
	bool over[2] = { false, false };
	int step[2] = { 0, 0 };

	next_round();
	for (int i = 0; i < 2 * STEPS; i++) {
		int j = order >> i & 1, now = step[j]++;

		d = desk[j];
		if (over[j] || take_step(now) == ERR_OK)
			continue;
		over[j] = true;
		assert_non_null(strstr(err_detail(), b->sentence));
		assert_int_equal(d->work.ending, ENDING_POLICY);
	}
	assert_int_not_equal(over[0], over[1]);
	assert_kept(b, l);
}

static void test_all_orders(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < BUDGETS; b++) {
		int orders = 0;

		/* This process keeps the ledger open: the last process to close it waits for the
		 * disk. */
		struct ledger *l;

		open_desks(&budgets[b]);
		l = open_ledger();
		for (unsigned order = 0; order < 1u << (2 * STEPS); order++) {
			/* each job takes STEPS steps; skips orders that only exchange the jobs */
			if (__builtin_popcount(order) != STEPS ||
			    (order & 1 && !budgets[b].fewer_parties))
				continue;
			if (in_sample((size_t)orders + b, 3))
				run_order(&budgets[b], l, order);
			orders++;
		}
		assert_int_equal(orders, budgets[b].fewer_parties ? ORDERS : ORDERS / 2);
		ledger_close(l);
		close_desks();
	}
}

/* ---- two processes that start together ---- */

enum { DONE = 0, REFUSED = 1, ODD = 2 };

static int run_job(const void *arg, bool second)
{
	const struct budget *b = arg;

	d = desk[second];
	for (int step = 0; step < STEPS; step++) {
		if (take_step(step) != ERR_OK)
			return d->work.ending == ENDING_POLICY && strstr(err_detail(), b->sentence)
				   ? REFUSED
				   : ODD;
		usleep((useconds_t)(rand() % 2000)); // NOLINT: the pause may be of any length
	}
	return DONE;
}

/* Notes 3000 ids; the second job replaces three of them. */
static int run_matching(const void *arg, bool second)
{
	uint8_t data[SHA256_LEN] = { second };
	struct buf text = { 0 };
	struct ids ids;

	(void)arg;
	for (int i = 0; i < 3000; i++)
		buf_printf(&text, "id%d\n", second && i < 3 ? 3000 + i : i);
	if (ids_parse((struct bytes){ text.p, text.n }, "ids", &ids) != ERR_OK)
		return ODD;
	switch (aligned_note(state, "p0", &ids, data)) {
	case ERR_OK:
		return DONE;
	case ERR_PEER:
		return strstr(err_detail(), "or 10 different ones") ? REFUSED : ODD;
	default:
		return ODD;
	}
}

/* Runs two processes. Both wait at a pipe, and start when it is closed. */
static void run_both(int (*run)(const void *arg, bool second), const void *arg, unsigned seed)
{
	int gate[2], status[2], count[3] = { 0 };
	pid_t pid[2];

	assert_int_equal(pipe(gate), 0);
	for (int j = 0; j < 2; j++) {
		char byte;

		pid[j] = fork();
		assert_true(pid[j] >= 0);
		if (pid[j])
			continue;
		close(gate[1]);
		alarm(120);
		srand(2 * seed + (unsigned)j);
		if (read(gate[0], &byte, 1) != 0)
			_exit(ODD);
		_exit(run(arg, j));
	}
	close(gate[0]);
	close(gate[1]);
	for (int j = 0; j < 2; j++) {
		assert_int_equal(waitpid(pid[j], &status[j], 0), pid[j]);
		assert_true(WIFEXITED(status[j]) && WEXITSTATUS(status[j]) <= ODD);
		count[WEXITSTATUS(status[j])]++;
	}
	assert_int_equal(count[ODD], 0);
	assert_int_equal(count[DONE], 1);
	assert_int_equal(count[REFUSED], 1);
}

static void test_two_processes(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < BUDGETS; b++) {
		struct ledger *l;

		open_desks(&budgets[b]);
		for (unsigned i = 0; i < TIMES / BUDGETS; i++) {
			next_round();
			run_both(run_job, &budgets[b], i);
			l = open_ledger();
			assert_kept(&budgets[b], l);
			ledger_close(l);
		}
		close_desks();
	}
}

/* ---- second questions ---- */

#define ONE_MORE "\"max_eps_total\":1.84" /* three claims of eps 1 cost 1.835 */

/* Asks the party of desk `d` a question about a release of the current attempt. */
static enum err ask(uint32_t release, uint8_t question)
{
	const uint8_t hash[SHA256_LEN] = { question };

	return d->work.question(&d->work, release, hash);
}

static enum err first_question(void)
{
	TRY(leaving_open(&d->work.leaving, &d->config, &d->work, true, d->data));
	TRY(check_past());
	TRY(ask(0, 0));
	return chunk(0);
}

/* Starts two jobs. Each has a claim from a first attempt, and is now at its second attempt. */
static void ask_first_questions(void)
{
	next_round();
	for (int j = 0; j < 2; j++) {
		d = desk[j];
		d->work.attempt = 1;
		assert_ok(first_question());
		connect_desk();
		d->work.attempt = 2;
	}
}

static void assert_one_more(void)
{
	struct ledger *l = open_ledger();

	assert_int_equal(read_had(l, 0).claims + read_had(l, 1).claims, 3);
	ledger_close(l);
}

/* Both jobs ask a question, and the budget has one claim left. The ledger books the claim for the
 * job that answers first. */
static void test_second_questions(void **unused)
{
	(void)unused;
	open_desks(&(struct budget){ .policy = ONE_MORE, .job = NOISY });
	ask_first_questions();
	for (int j = 0; j < 2; j++) {
		d = desk[j];
		assert_ok(first_question());
	}
	for (int j = 0; j < 2; j++) {
		d = desk[j];
		assert_ok(ask(1, 1)); /* release 1's first question costs no new claim */
		assert_ok(chunk(0));
	}
	for (int j = 0; j < 2; j++) {
		d = desk[j];
		connect_desk();
		d->work.attempt = 3;
		assert_ok(first_question());
		assert_ok(ask(1, 2));
	}
	d = desk[1];
	assert_ok(chunk(0));
	d = desk[0];
	assert_err(chunk(0), ERR_PEER, "policy.max_eps_total of p0 is 1.84");
	assert_int_equal(d->work.ending, ENDING_POLICY);
	assert_one_more();
	close_desks();
}

static int run_second_question(const void *arg, bool second)
{
	enum err e;

	(void)arg;
	d = desk[second];
	e = leaving_open(&d->work.leaving, &d->config, &d->work, true, d->data);
	if (e == ERR_OK)
		e = check_past();
	if (e == ERR_OK)
		e = ask(0, 1);
	usleep((useconds_t)(rand() % 2000)); // NOLINT: the pause may be of any length
	if (e == ERR_OK)
		e = chunk(0);
	if (e == ERR_OK)
		return DONE;
	return d->work.ending == ENDING_POLICY && strstr(err_detail(), "policy.max_eps_total of p0")
		   ? REFUSED
		   : ODD;
}

static void test_second_questions_of_two_processes(void **unused)
{
	(void)unused;
	open_desks(&(struct budget){ .policy = ONE_MORE, .job = NOISY });
	for (unsigned i = 0; i < TIMES / 2; i++) {
		ask_first_questions();
		run_both(run_second_question, NULL, i);
		assert_one_more();
	}
	close_desks();
}

static void test_two_matchings(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < TIMES; i++) {
		lab_dir(state);
		run_both(run_matching, NULL, i);
		lab_remove(state);
	}
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_orders),
		cmocka_unit_test(test_two_processes),
		cmocka_unit_test(test_second_questions),
		cmocka_unit_test(test_second_questions_of_two_processes),
		cmocka_unit_test(test_two_matchings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
