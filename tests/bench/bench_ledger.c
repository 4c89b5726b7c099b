/* bench_ledger.c -- measures the cost of recording sent data, relative to sending them.
 *
 *   bench_ledger [DIRECTORY]      directory of the ledger (default .), whose disk is measured
 *
 * The first frame of a round waits until its first piece is hashed and committed. Later pieces are
 * hashed while earlier ones are sent. So only the first wait delays a round (limit: 2 % of a
 * round's time on the wire), if hashing and commits are faster than the wire (limit: twice as
 * fast). The bench also prints the share of CPU time. */
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "crypto/ledger.h"
#include "tests/bench/bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 201, CHUNK = 256 << 10 };

static uint8_t body[CHUNK];

static void note(struct ledger *l, size_t bytes)
{
	const struct ledger_row row = { .step = "level-1",
					.purpose = "masked term of a sum over party-00, party-01",
					.type = "MASKED",
					.masked = true,
					.words = bytes / 8 };

	body[0]++;
	ledger_note(l, &row, (struct bytes){ body, bytes });
}

/* Returns the median wall-clock seconds of a round of `chunks` chunks with a commit after each
 * `every` chunks. */
static double round_s(struct ledger *l, size_t chunks, size_t bytes, size_t every)
{
	static double s[RUNS];

	for (size_t i = 0; i < RUNS; i++) {
		double start = clock_now_s();

		for (size_t c = 1; c <= chunks; c++) {
			note(l, bytes);
			if (c % every == 0 || c == chunks)
				need(ledger_commit(l));
		}
		s[i] = clock_now_s() - start;
	}
	return bench_median(s, RUNS);
}

struct link {
	const char *name;
	double rtt_s, bytes_per_s;
	size_t chunks; /* per round, 256 KiB each */
};

/* Prints the ledger's delay and rate. Returns the delay divided by the time on the wire, or 1 if
 * the ledger is less than twice as fast as the wire. */
static double share(struct ledger *l, const struct link *link)
{
	size_t first = 1;
	double wire = link->rtt_s + (double)(link->chunks * CHUNK) / link->bytes_per_s;
	double delay = round_s(l, first, CHUNK, 1);
	double all = round_s(l, link->chunks, CHUNK, 1);
	double ahead = (double)(link->chunks * CHUNK) / all / link->bytes_per_s;

	printf("  %-40s first frame %6.2f ms later, of %7.1f ms: %.2f %%; %5.1f times the wire's "
	       "rate\n",
	       link->name, 1e3 * delay, 1e3 * wire, 100 * delay / wire, ahead);
	return ahead < 2 ? 1 : delay / wire;
}

static double cpu_per_mib(struct ledger *l)
{
	static double s[RUNS];

	for (size_t i = 0; i < RUNS; i++) {
		double start = bench_cpu_s();

		for (size_t c = 0; c < 4; c++)
			note(l, CHUNK);
		need(ledger_commit(l));
		s[i] = bench_cpu_s() - start;
	}
	return bench_median(s, RUNS);
}

static double measure(struct ledger *l, bool durable)
{
	static const struct link links[] = {
		{ "16 MiB a round, 1 Gbit/s, 0.2 ms", 2e-4, 1e9 / 8, 64 },
		{ "1 MiB a round, 1 Gbit/s, 20 ms", 2e-2, 1e9 / 8, 4 },
		{ "256 KiB a round, 400 Mbit/s, 200 ms", 0.2, 4e8 / 8, 1 },
	};
	double worst = 0;

	need(ledger_durable(l, durable));
	round_s(l, 1, 64, 1);
	printf("%s\n  %-40s %6.3f ms\n  %-40s %6.3f ms\n",
	       durable ? "commits that wait for the disk (once a second, and the last):"
		       : "commits that do not (each round):",
	       "a commit of one row", 1e3 * round_s(l, 1, 64, 1), "processor, per MiB and commit",
	       1e3 * cpu_per_mib(l));
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		double s = share(l, &links[i]);

		worst = s > worst ? s : worst;
	}
	return worst;
}

int main(int argc, char **argv)
{
	const struct ledger_job job = { .kind = "kcagc", .coordinator = "hub", .parties = "a b" };
	char path[512], wal[520];
	struct ledger *l;
	double worst, a_second;

	snprintf(path, sizeof(path), "%s/bench-ledger.%d.db", argc > 1 ? argv[1] : ".",
		 (int)getpid());
	need(ledger_open(&l, path, "bench"));
	ledger_begin(l, &job);
	measure(l, true);
	a_second = round_s(l, 1, 64, 1);
	worst = measure(l, false);
	printf("one commit a second that waits: %.2f %%\n", 100 * a_second);
	worst = a_second > worst ? a_second : worst;
	ledger_close(l);
	unlink(path);
	snprintf(wal, sizeof(wal), "%s-wal", path);
	unlink(wal);
	printf("bench_ledger: %s (floor: 2 %% of a run over 10 s)\n",
	       worst < 0.02 ? "ok" : "above");
	return 0;
}
