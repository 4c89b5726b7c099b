/* bench_exchange -- measures a round of FedSpectral without the parties' matrix products. The
 * coordinator sends a block (ROWS x COLUMNS numbers) to all parties, and gets a secure sum of as
 * many numbers. A coordinator process and L party processes use TLS on loopback, with the project's
 * own connections, channels, checks, masks and sums.
 *
 *   bench_exchange [ROWS [COLUMNS [PARTIES [REPEATS]]]]      default 100000 x 16, 4 parties
 *
 * Prints one line of name=value. Each round measures in turn the exchange, the plain transfer and
 * masking. The plain transfer sends the same bytes through the same channels; parties do not read
 * the block, and the coordinator adds unmasked words. Masking runs at as many parties at once as
 * there are cores. Ratios are medians over rounds of the ratio within a round, so they hold if the
 * machine's speed drifts.
 *
 *   elapsed_s  from the first byte of the block to the last word of the sum
 *   plain_s    the plain transfer
 *   bound_s    plain_s + L (L - 1) x bytes of a vector / (cores x masking rate of one)
 *   goal       elapsed_s at most 1.5 x bound_s
 *   cpu_...    the same in CPU time of all processes, which other users disturb less */
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "crypto/fixed.h"
#include "party/work/secure.h"
#include "server/run/sum.h"
#include "tests/bench/processes.h"

#include <math.h>
#include <sys/mman.h>

enum { REPEATS_MAX = 201, GROUP_MASKED = 1, GROUP_PLAIN = 2 };

struct results {
	double elapsed_s[REPEATS_MAX], plain_s[REPEATS_MAX];
	double masking[SIDE_PARTIES_MAX][REPEATS_MAX]; /* bytes per second of a mask stream */
	/* CPU seconds of each process; those of the coordinator are last. */
	double cpu_s[SIDE_PARTIES_MAX + 1][REPEATS_MAX];
	double plain_cpu_s[SIDE_PARTIES_MAX + 1][REPEATS_MAX];
};

static size_t rows, cols, words, repeats, cores;
static struct results *results; /* shared by all processes */

static size_t masking_parties(void)
{
	return cores < parties ? cores : parties;
}

/* Makes B with B'B = `rows` times the identity, as parties require. */
static void make_block(struct mat *B)
{
	mat_init(B, rows, cols);
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < cols; j++)
			MAT(B, i, j) = sqrt(2) * cos(M_PI * ((double)i + 0.5) * (double)(j + 1) /
						     (double)rows);
}

/* ---- a party ---- */

struct party {
	struct side side;
	struct work work;
	struct tree_node node;
	struct mat B;
	uint64_t *as_is; /* B as words */
	uint64_t plain_round;
};

static enum err exchange(struct party *p)
{
	TRY(work_recv_block(&p->work, &p->node, &p->B));
	return secure_send_wide(&p->work, &p->node, p->B.a, words);
}

static enum err exchange_plain(struct party *p)
{
	size_t all = words + 1, chunk = CHANNEL_CHUNK / sizeof(*p->as_is), done = 0;

	while (done < words) {
		struct msg m;

		TRY(channel_recv(p->work.channel, MSG_BLOCK, &m));
		done += m.reals.values.n / sizeof(float);
	}
	for (size_t at = 0; at < all; at += chunk) {
		size_t now = all - at < chunk ? all - at : chunk;
		struct msg m = { .type = MSG_MASKED,
				 .masked = { .group = GROUP_PLAIN,
					     .round = p->plain_round,
					     .count = all,
					     .offset = at,
					     .words = { (const uint8_t *)(p->as_is + at),
							now * sizeof(*p->as_is) } } };

		TRY(channel_send(p->work.channel, &m));
	}
	p->plain_round++;
	return ERR_OK;
}

static void await_start(struct party *p)
{
	struct msg m;

	need(channel_recv(p->work.channel, MSG_DONE, &m));
}

static void party_work(struct party *p)
{
	size_t own = p->work.own;
	struct msg m;

	for (size_t i = 0; i <= repeats; i++) { /* the first round is a warm-up */
		size_t at = i ? i - 1 : 0;

		for (int turn = 0; turn < 2; turn++) {
			bool masked = turn == (int)(i % 2);
			double cpu_s = bench_cpu_s();

			await_start(p);
			need(masked ? exchange(p) : exchange_plain(p));
			need(channel_flush(p->work.channel, 60));
			cpu_s = bench_cpu_s() - cpu_s;
			*(masked ? &results->cpu_s[own][at] : &results->plain_cpu_s[own][at]) =
			    cpu_s;
		}
		if (own < masking_parties()) {
			await_start(p);
			results->masking[own][at] = masking_rate(64, words);
			need(channel_send(p->work.channel, &(struct msg){ .type = MSG_DONE }));
		}
	}
	/* The coordinator leaves first: if a party left, the waits for other parties would fail. */
	while (channel_recv(p->work.channel, MSG_DONE, &m) == ERR_OK)
		;
}

static void party_main(size_t own, uint16_t port)
{
	static struct record record = { .phases = 1 };
	static struct party p = { .side = { .own = PARTY } };
	struct fixed f = run_fixed_wide(parties);

	p.node = (struct tree_node){ .id = GROUP_MASKED, .level = 1, .last = parties };
	p.work = (struct work){
		.L = parties, .own = own, .record = &record, .secagg = secagg[own], .threads = 1
	};
	p.work.job.modulus_bits = 64;
	memcpy(p.work.name[own], name[own], sizeof(name[own]));
	need(secagg_agree(secagg[own], adverts, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
	make_block(&p.B);
	ALLOC(p.as_is, words + 1);
	need(fixed_encode(&f, p.B.a, words, p.as_is, NULL));
	p.as_is[words] = 1; /* the canary word (sum.h), which follows the others */
	side_open(&p.side, &party_files[own], &ca);
	side_dial(&p.side, port);
	side_start(&p.side);
	side_await(&p.side, 1);
	p.work.mailbox = p.side.mailbox;
	p.work.channel = p.side.channel[0];
	party_work(&p);
}

/* ---- the coordinator ---- */

struct hub {
	struct side side;
	struct run run;
	struct tree_node node;
	uint64_t round[GROUP_PLAIN + 1];
	struct mat B;
	double *sum;
};

static void begin(struct hub *h, size_t first, size_t last)
{
	struct msg m = { .type = MSG_DONE };

	need(run_broadcast(&h->run, first, last, &m));
}

/* Checks the sum: a wrong one would make the figures meaningless. */
static void check_sum(const struct hub *h)
{
	for (size_t i = 0; i < words; i++)
		if (!(fabs(h->sum[i] - (double)parties * h->B.a[i]) < 1e-5))
			need(err_set(ERR_INTERNAL, "number %zu of the sum is %.17g, not %.17g", i,
				     h->sum[i], (double)parties * h->B.a[i]));
}

static double timed_round(struct hub *h, uint32_t group)
{
	double start;

	begin(h, 0, parties);
	start = clock_now_s();
	for (size_t l = 0; l < parties; l++)
		need(channel_send_reals(h->run.channel[l], MSG_BLOCK, GROUP_MASKED, h->B.a, words));
	h->node.id = group;
	need(secure_sum_wide(&h->run, &h->node, &h->round[group], h->sum, words));
	return clock_now_s() - start;
}

static void hub_work(struct hub *h)
{
	struct msg m;

	for (size_t i = 0; i <= repeats; i++) {
		size_t at = i ? i - 1 : 0;

		for (int turn = 0; turn < 2; turn++) {
			bool masked = turn == (int)(i % 2);
			double cpu_s = bench_cpu_s();
			double s = timed_round(h, masked ? GROUP_MASKED : GROUP_PLAIN);

			cpu_s = bench_cpu_s() - cpu_s;
			*(masked ? &results->elapsed_s[at] : &results->plain_s[at]) = s;
			*(masked ? &results->cpu_s[parties][at]
				 : &results->plain_cpu_s[parties][at]) = cpu_s;
			check_sum(h);
		}
		begin(h, 0, masking_parties());
		for (size_t l = 0; l < masking_parties(); l++)
			need(channel_recv(h->run.channel[l], MSG_DONE, &m));
	}
}

static void hub_main(int port_to)
{
	static struct record record = { .phases = 1 };
	static struct hub h = { .side = { .own = COORD } };
	uint16_t port;

	side_open(&h.side, &hub_files, &ca);
	port = side_listen(&h.side);
	if (write(port_to, &port, sizeof(port)) != sizeof(port))
		_exit(ERR_INTERNAL);
	make_block(&h.B);
	ALLOC(h.sum, words);
	h.node = (struct tree_node){ .level = 1, .last = parties };
	side_start(&h.side);
	side_await(&h.side, parties);
	h.run = (struct run){ .L = parties,
			      .name = names,
			      .channel = h.side.channel,
			      .mailbox = h.side.mailbox,
			      .record = &record };
	h.run.job.modulus_bits = 64;
	hub_work(&h);
}

/* ---- the report ---- */

/* Returns the median over rounds of a[i] / b[i], or of a[i] if b is NULL. */
static double typical(const double *a, const double *b)
{
	double ratio[REPEATS_MAX];

	for (size_t i = 0; i < repeats; i++)
		ratio[i] = a[i] / (b ? b[i] : 1);
	return bench_median(ratio, repeats);
}

static void report(void)
{
	const struct results *r = results;
	double masks = (double)(parties * (parties - 1)) * (double)words * sizeof(uint64_t);
	double rate[REPEATS_MAX] = { 0 }, bound_s[REPEATS_MAX], cpu_s[REPEATS_MAX] = { 0 },
	       bound_cpu_s[REPEATS_MAX] = { 0 };
	double over;

	for (size_t i = 0; i < repeats; i++) {
		for (size_t l = 0; l < masking_parties(); l++)
			rate[i] += r->masking[l][i] / (double)masking_parties();
		for (size_t l = 0; l <= parties; l++) {
			cpu_s[i] += r->cpu_s[l][i];
			bound_cpu_s[i] += r->plain_cpu_s[l][i];
		}
		bound_s[i] = r->plain_s[i] + masks / ((double)cores * rate[i]);
		bound_cpu_s[i] += masks / rate[i];
	}
	over = typical(r->elapsed_s, bound_s);
	printf("rows=%zu cols=%zu parties=%zu repeats=%zu cores=%zu", rows, cols, parties, repeats,
	       cores);
	printf(" elapsed_s=%.6f plain_s=%.6f bound_s=%.6f", typical(r->elapsed_s, NULL),
	       typical(r->plain_s, NULL), typical(bound_s, NULL));
	printf(" masking_gb_s=%.2f cpu_s=%.6f cpu_over_bound=%.3f", typical(rate, NULL) * 1e-9,
	       typical(cpu_s, NULL), typical(cpu_s, bound_cpu_s));
	printf(" over_bound=%.3f goal=over_bound<=1.5 met=%s\n", over, over <= 1.5 ? "yes" : "no");
}

int main(int argc, char **argv)
{
	log_init("bench_exchange", LOG_WARN);
	rows = argument(argc, argv, 1, 100000, 2, 100000000);
	cols = argument(argc, argv, 2, 16, 1, 1024);
	parties = argument(argc, argv, 3, 4, 2, SIDE_PARTIES_MAX);
	words = rows * cols;
	repeats = argument(argc, argv, 4,
			   words <= 200000    ? 61
			   : words <= 2000000 ? 21
					      : 9,
			   1, REPEATS_MAX);
	cores = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	results =
	    mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		need(err_set(ERR_INTERNAL, "mmap: %s", strerror(errno)));
	make_certificates();
	make_keys(64);
	run_processes(hub_main, party_main);
	report();
	for (size_t l = 0; l < parties; l++)
		secagg_free(secagg[l]);
	certs_ca_release(&ca);
	return 0;
}
