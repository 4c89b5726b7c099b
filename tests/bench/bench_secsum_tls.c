/* bench_secsum_tls -- measures whole secure sums: L party processes and a coordinator process over
 * TLS on loopback, with the project's own connections, channels, masks and sums.
 *
 *   bench_secsum_tls [WORDS [PARTIES [REPEATS]]]      default 1000000 words; 2 and then 4 parties
 *
 * Prints one line of name=value per cell. Each round measures in turn the secure sum, the plain
 * sum, memcpy of the same bytes, and masking. The plain sum sends the same bytes through the same
 * channels; the coordinator adds unmasked words. Masking runs at as many parties at once as there
 * are cores. Ratios are medians over rounds of the ratio within a round, so they hold if the
 * machine's speed drifts.
 *
 *   elapsed_s  from the coordinator's start message to the last word of the sum
 *   cpu_s      CPU time of all processes in that time, which other users disturb less
 *   plain_s    elapsed_s of the plain sum
 *   gmp_s      Protocol 4 of kCAGC word by word in GMP: a sample, scaled, without network
 *   bound_s    plain_s + L (L - 1) x bytes of a vector / (cores x masking rate of one)
 *   goal       elapsed_s at most 1.3 x plain_s (L = 2), 1.5 x plain_s (L up to 4), 1.2 x bound_s
 *   peak_mib   the coordinator's largest resident set (VmHWM), at most 64 MiB + 2 accumulators */
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "crypto/fixed.h"
#include "crypto/mask.h"
#include "party/work/secure.h"
#include "server/run/sum.h"
#include "tests/bench/per_scalar.h"
#include "tests/bench/processes.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	REPEATS_MAX = 201,
	GROUP_MASKED = 1,
	GROUP_PLAIN = 2,
	MODULUS_BITS = 64,
	FRACTION_BITS = 16
};

/* Figures that the child processes send to their parent. */
struct results {
	double masked_s[REPEATS_MAX], plain_s[REPEATS_MAX], copy_s[REPEATS_MAX];
	double masking[SIDE_PARTIES_MAX][REPEATS_MAX]; /* bytes per second of a mask stream */
	double masked_cpu_s[SIDE_PARTIES_MAX + 1][REPEATS_MAX]; /* by process, coordinator last */
	double plain_cpu_s[SIDE_PARTIES_MAX + 1][REPEATS_MAX];
	uint64_t bytes; /* on the wire, for one secure sum */
	long peak_kib;
};

static size_t words, repeats, cores;
static struct results *results; /* shared by all processes */
/* Returns party l's value: a multiple of 2^-7, so that sums are exact. */
static double value(size_t l, size_t i)
{
	return ((double)(i % 1000) - 500) / 128 + (double)l;
}

static struct fixed encoding(void)
{
	return (struct fixed){ MODULUS_BITS, FRACTION_BITS, parties };
}

static size_t masking_parties(void)
{
	return cores < parties ? cores : parties;
}

/* ---- a party ---- */

struct party {
	struct side side;
	struct work work;
	struct tree_node node;
	double *x;
	uint64_t *as_is, *copy; /* x as words; where party 0 copies them */
	uint64_t plain_round;
};

static enum err send_masked(struct party *p)
{
	struct secure *s;
	enum err e;

	TRY(secure_begin(&p->work, &p->node, words, false, &s));
	e = secure_add(s, p->x, words);
	if (e == ERR_OK)
		e = secure_end(s);
	secure_free(s);
	return e;
}

static enum err send_as_is(struct party *p)
{
	size_t all = words + 1, chunk = CHANNEL_CHUNK / sizeof(*p->as_is);

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

static double copy_all(struct party *p)
{
	double start = clock_now_s();

	for (size_t l = 0; l < parties; l++) {
		memcpy(p->copy, p->as_is, words * sizeof(*p->copy));
		__asm__ volatile("" ::: "memory");
	}
	return clock_now_s() - start;
}

/* Waits for the coordinator's message to start the next measurement. */
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
			need(masked ? send_masked(p) : send_as_is(p));
			need(channel_flush(p->work.channel, 60));
			cpu_s = bench_cpu_s() - cpu_s;
			*(masked ? &results->masked_cpu_s[own][at]
				 : &results->plain_cpu_s[own][at]) = cpu_s;
		}
		if (own == 0) {
			await_start(p);
			results->copy_s[at] = copy_all(p);
			need(channel_send(p->work.channel, &(struct msg){ .type = MSG_DONE }));
		}
		if (own < masking_parties()) {
			await_start(p);
			results->masking[own][at] = masking_rate(MODULUS_BITS, words);
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
	struct fixed f = encoding();

	p.node = (struct tree_node){ .id = GROUP_MASKED, .level = 1, .last = parties };
	p.work =
	    (struct work){ .L = parties, .own = own, .record = &record, .secagg = secagg[own] };
	p.work.job.modulus_bits = MODULUS_BITS;
	p.work.job.fraction_bits = FRACTION_BITS;
	memcpy(p.work.name[own], name[own], sizeof(name[own]));
	need(secagg_agree(secagg[own], adverts, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
	ALLOC(p.x, words);
	ALLOC(p.as_is, words + 1);
	for (size_t i = 0; i < words; i++)
		p.x[i] = value(own, i);
	need(fixed_encode(&f, p.x, words, p.as_is, NULL));
	p.as_is[words] = 1; /* the canary word (sum.h), which follows the others */
	if (own == 0)
		ALLOC(p.copy, words);
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
	uint64_t round[GROUP_PLAIN + 1];
	uint64_t *acc;
	double *sum;
};

static void begin(struct hub *h, size_t first, size_t last)
{
	struct msg m = { .type = MSG_DONE };

	need(run_broadcast(&h->run, first, last, &m));
}

static void answered(struct hub *h, size_t first, size_t last)
{
	struct msg m;

	for (size_t l = first; l < last; l++)
		need(channel_recv(h->run.channel[l], MSG_DONE, &m));
}

static double timed_sum(struct hub *h, uint32_t group)
{
	struct sum s = { .group = group,
			 .last = parties,
			 .round = &h->round[group],
			 .count = words,
			 .acc = h->acc };
	double start = clock_now_s();

	begin(h, 0, parties);
	need(secure_sums(&h->run, &s, 1));
	return clock_now_s() - start;
}

/* Checks the sum: a wrong one would make the figures meaningless. */
static void check_sum(struct hub *h)
{
	struct fixed f = encoding();
	double all = (double)(parties * (parties - 1)) / 2;

	fixed_decode(&f, h->acc, words, h->sum);
	for (size_t i = 0; i < words; i++)
		if (h->sum[i] != (double)parties * value(0, i) + all)
			need(err_set(ERR_INTERNAL, "word %zu of the sum is %.17g, not %.17g", i,
				     h->sum[i], (double)parties * value(0, i) + all));
}

static uint64_t masked_bytes(struct hub *h)
{
	struct link_state link;
	uint64_t n = 0;

	for (size_t l = 0; l < parties; l++) {
		channel_link(h->run.channel[l], &link);
		for (size_t i = 0; i < link.types; i++)
			if (link.type[i].number == MSG_MASKED)
				n += link.type[i].bytes_received;
	}
	return n;
}

static long own_peak_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static void hub_work(struct hub *h)
{
	for (size_t i = 0; i <= repeats; i++) {
		size_t at = i ? i - 1 : 0;

		for (int turn = 0; turn < 2; turn++) {
			bool masked = turn == (int)(i % 2);
			uint64_t before = masked_bytes(h);
			double cpu_s = bench_cpu_s();
			double s = timed_sum(h, masked ? GROUP_MASKED : GROUP_PLAIN);

			cpu_s = bench_cpu_s() - cpu_s;
			if (masked) {
				results->masked_s[at] = s;
				results->masked_cpu_s[parties][at] = cpu_s;
				results->bytes = masked_bytes(h) - before;
			} else {
				results->plain_s[at] = s;
				results->plain_cpu_s[parties][at] = cpu_s;
			}
			check_sum(h);
		}
		begin(h, 0, 1);
		answered(h, 0, 1);
		begin(h, 0, masking_parties());
		answered(h, 0, masking_parties());
	}
	results->peak_kib = own_peak_kib();
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
	ALLOC(h.acc, words);
	ALLOC(h.sum, words);
	side_start(&h.side);
	side_await(&h.side, parties);
	h.run = (struct run){ .L = parties,
			      .name = names,
			      .channel = h.side.channel,
			      .mailbox = h.side.mailbox,
			      .record = &record };
	h.run.job.modulus_bits = MODULUS_BITS;
	h.run.job.fraction_bits = FRACTION_BITS;
	hub_work(&h);
}

/* ---- a cell ---- */

/* Returns the median over rounds of a[i] / b[i], or of a[i] if b is NULL. */
static double typical(const double *a, const double *b)
{
	double ratio[REPEATS_MAX];

	for (size_t i = 0; i < repeats; i++)
		ratio[i] = a[i] / (b ? b[i] : 1);
	return bench_median(ratio, repeats);
}

/* Adds the CPU seconds of all processes in each round. */
static void add_cpu(double (*by_process)[REPEATS_MAX], double *all)
{
	for (size_t i = 0; i < repeats; i++) {
		all[i] = 0;
		for (size_t l = 0; l <= parties; l++)
			all[i] += by_process[l][i];
	}
}

/* Computes the rate of one stream while all cores mask, and the time of the plain sum plus masks at
 * that rate. */
static void find_bound(double *rate, double *bound_s, const double *plain_cpu_s,
		       double *bound_cpu_s)
{
	double masks = (double)(parties * (parties - 1)) * (double)words * sizeof(uint64_t);

	for (size_t i = 0; i < repeats; i++) {
		rate[i] = 0;
		for (size_t l = 0; l < masking_parties(); l++)
			rate[i] += results->masking[l][i] / (double)masking_parties();
		bound_s[i] = results->plain_s[i] + masks / ((double)cores * rate[i]);
		bound_cpu_s[i] = plain_cpu_s[i] + masks / rate[i];
	}
}

static void report(double gmp_s)
{
	const struct results *r = results;
	double rate[REPEATS_MAX], bound_s[REPEATS_MAX], cpu_s[REPEATS_MAX],
	    plain_cpu_s[REPEATS_MAX], bound_cpu_s[REPEATS_MAX];
	double seconds = typical(r->masked_s, NULL), over_plain = typical(r->masked_s, r->plain_s);
	double peak = (double)r->peak_kib / 1024;
	double room = 64 + 2 * (double)words * sizeof(uint64_t) / (1 << 20);
	double over_bound, goal = parties <= 2 ? 1.3 : parties <= 4 ? 1.5 : 1.2;

	add_cpu(results->masked_cpu_s, cpu_s);
	add_cpu(results->plain_cpu_s, plain_cpu_s);
	find_bound(rate, bound_s, plain_cpu_s, bound_cpu_s);
	over_bound = typical(r->masked_s, bound_s);
	printf("words=%zu parties=%zu repeats=%zu cores=%zu", words, parties, repeats, cores);
	printf(" elapsed_s=%.6f bytes=%llu", seconds, (unsigned long long)r->bytes);
	printf(" plain_s=%.6f over_plain=%.3f", typical(r->plain_s, NULL), over_plain);
	printf(" cpu_s=%.6f cpu_over_plain=%.3f cpu_over_bound=%.3f", typical(cpu_s, NULL),
	       typical(cpu_s, plain_cpu_s), typical(cpu_s, bound_cpu_s));
	printf(" memcpy_s=%.6f over_memcpy=%.2f", typical(r->copy_s, NULL),
	       typical(r->masked_s, r->copy_s));
	printf(" gmp_s=%.3f gmp_sample=%d gmp_over=%.1f", gmp_s, PER_SCALAR_SAMPLE,
	       gmp_s / seconds);
	printf(" masking_gb_s=%.2f bound_s=%.6f over_bound=%.3f", typical(rate, NULL) * 1e-9,
	       typical(bound_s, NULL), over_bound);
	printf(" goal=%s<=%.1f met=%s", parties <= 4 ? "over_plain" : "over_bound", goal,
	       (parties <= 4 ? over_plain : over_bound) <= goal ? "yes" : "no");
	printf(" peak_mib=%.1f peak_goal_mib=%.1f peak_met=%s\n", peak, room,
	       peak <= room ? "yes" : "no");
	fflush(stdout);
}

static void cell(void)
{
	double each;

	memset(results, 0, sizeof(*results));
	make_keys(MODULUS_BITS);
	run_processes(hub_main, party_main);
	each = per_scalar_s(parties - 1, 3);
	report(each * (double)words * (double)parties / (double)masking_parties());
	for (size_t l = 0; l < parties; l++)
		secagg_free(secagg[l]);
}

int main(int argc, char **argv)
{
	log_init("bench_secsum_tls", LOG_WARN);
	words = argument(argc, argv, 1, 1000000, 1, 100000000);
	parties = argument(argc, argv, 2, 0, 2, SIDE_PARTIES_MAX);
	/* Chooses repeats so that every size takes about equally long. If a sum takes 1 ms, there
	 * are still enough repeats for a median. */
	repeats = argument(argc, argv, 3,
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
	if (parties) {
		cell();
	} else {
		for (parties = 2; parties <= 4; parties += 2)
			cell();
	}
	certs_ca_release(&ca);
	return 0;
}
