/* bench_align -- measures the matching of rows that all parties have: L party processes and a
 * coordinator process over TLS on loopback, with the project's own roles. The measurement starts
 * with agreed keys and ends with numbered rows; ids are in memory.
 *
 *   bench_align [IDS [PARTIES [REPEATS]]]      default 1000000 ids each, 4 parties, 3 repeats
 *
 * All parties share 7 in 10 of their ids. Prints one line of name=value. First measures all
 * matchings, then as often the transfer of the tables' bytes, and hashing. The transfer uses the
 * same channels; the coordinator adds the words unmasked. For hashing, each party computes HMACs of
 * its ids and of the common ids. A ratio is the median over i of the i-th matching divided by the
 * i-th transfer, or hashing.
 *
 *   elapsed_s    from the coordinator's start message until the last party has its rows
 *   cpu_s        CPU time of all processes in that time
 *   over_plain   elapsed_s divided by that of the transfer
 *   over_hashing cpu_s divided by that of the HMACs at all parties
 *   bytes_an_id  largest growth of a party's resident set in the first matching, without its ids,
 *                divided by the number of its ids */
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/data/dataset.h"
#include "common/kind/align.h"
#include "crypto/hmac.h"
#include "crypto/okvs.h"
#include "party/work/intersect.h"
#include "server/run/intersect.h"
#include "server/run/sum.h"
#include "tests/bench/processes.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REPEATS_MAX = 15, GROUP_PLAIN = 2, ID_ROOM = 24 };

struct results {
	double align_s[REPEATS_MAX], plain_s[REPEATS_MAX];
	double align_cpu_s[SIDE_PARTIES_MAX + 1][REPEATS_MAX]; /* the coordinator's is last */
	double hash_cpu_s[SIDE_PARTIES_MAX][REPEATS_MAX];
	double grown[SIDE_PARTIES_MAX]; /* bytes */
};

static size_t ids, repeats;
static struct results *results; /* shared by all processes */

static size_t common(void)
{
	return ids * 7 / 10;
}

static size_t table_words(void)
{
	uint32_t step[ALIGN_STEPS_MAX];
	size_t k = 0;

	align_scale(0, step);
	while (step[k] < ids)
		k++;
	return okvs_words(step[k] + ALIGN_CANARIES);
}

static struct job the_job(void)
{
	static const char text[] = "{\"kind\":\"align\",\"min_common\":1}";
	struct job job;

	need(job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "bench", NULL));
	return job;
}

static double status_kib(const char *what)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256], format[32];
	double kib = -1;

	snprintf(format, sizeof(format), "%s: %%lf", what);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, format, &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

/* ---- a party ---- */

struct party {
	struct side side;
	struct work work;
	struct dataset d;
	uint64_t round;
};

static void make_ids(struct party *p)
{
	struct ids *all = &p->d.ids;
	char *text = alloc(ids, ID_ROOM);

	ALLOC(all->id, ids);
	for (size_t i = 0; i < ids; i++, text += ID_ROOM) {
		if (i < common())
			snprintf(text, ID_ROOM, "+49%011u", (unsigned)i);
		else
			snprintf(text, ID_ROOM, "own-%02u-%08u", (unsigned)p->work.own % 100,
				 (unsigned)i);
		all->id[i] = text;
	}
	p->d.n = all->n = ids;
	p->d.has_ids = true;
}

static enum err send_as_is(struct party *p, const uint64_t *table)
{
	size_t words = table_words(), all = words + 1, chunk = CHANNEL_CHUNK / sizeof(*table);

	for (size_t at = 0; at < all; at += chunk) {
		size_t now = all - at < chunk ? all - at : chunk;
		struct msg m = { .type = MSG_MASKED,
				 .masked = {
				     GROUP_PLAIN,
				     p->round,
				     all,
				     at,
				     { (const uint8_t *)(table + at), now * sizeof(*table) } } };

		TRY(channel_send(p->work.channel, &m));
	}
	p->round++;
	return ERR_OK;
}

static double hash_all(const struct party *p)
{
	static const uint8_t key[32] = { 1 };
	struct hmac *h = hmac_new((struct bytes){ key, sizeof(key) });
	double start = bench_cpu_s();
	uint8_t mac[HMAC_LEN];

	for (size_t i = 0; i < ids + common(); i++) {
		const char *id = p->d.ids.id[i % ids];

		hmac_add(h, id, strlen(id));
		hmac_end(h, mac);
	}
	hmac_free(h);
	return bench_cpu_s() - start;
}

static void say_done(struct party *p)
{
	need(channel_send(p->work.channel, &(struct msg){ .type = MSG_DONE }));
	need(channel_flush(p->work.channel, 600));
}

static void await_start(struct party *p)
{
	struct msg m;

	need(channel_recv(p->work.channel, MSG_DONE, &m));
}

static void align_once(struct party *p, size_t at)
{
	double cpu_s = bench_cpu_s();
	uint32_t *row;
	size_t n;

	need(party_intersect(&p->work, &p->d, &row, &n));
	say_done(p);
	results->align_cpu_s[p->work.own][at] = bench_cpu_s() - cpu_s;
	if (n != common())
		need(err_set(ERR_INTERNAL, "%zu common rows, not %zu", n, common()));
	free(row);
}

static void party_main(size_t own, uint16_t port)
{
	static struct record record;
	static struct party p = { .side = { .own = PARTY } };
	uint64_t *table;
	double before;
	struct msg m;

	record_init(&record, "party", names[own]);
	p.work = (struct work){ .job = the_job(),
				.L = parties,
				.own = own,
				.record = &record,
				.secagg = secagg[own],
				.threads = 1 };
	for (size_t l = 0; l < parties; l++)
		memcpy(p.work.name[l], name[l], sizeof(name[l]));
	need(secagg_agree(secagg[own], adverts, (const uint8_t(*)[SECAGG_HASH_LEN])pins));
	make_ids(&p);
	side_open(&p.side, &party_files[own], &ca);
	side_dial(&p.side, port);
	side_start(&p.side);
	side_await(&p.side, 1);
	p.work.mailbox = p.side.mailbox;
	p.work.channel = p.side.channel[0];
	before = status_kib("VmRSS");
	for (size_t i = 0; i < repeats; i++) {
		await_start(&p);
		align_once(&p, i);
		if (i == 0)
			results->grown[own] = (status_kib("VmHWM") - before) * 1024;
	}
	table = alloc(table_words() + 1, sizeof(*table));
	memset(table, 1, table_words() * sizeof(*table));
	table[table_words()] = 1; /* the canary word (sum.h), which follows the others */
	for (size_t i = 0; i < repeats; i++) {
		await_start(&p);
		need(send_as_is(&p, table));
		results->hash_cpu_s[own][i] = hash_all(&p);
	}
	while (channel_recv(p.work.channel, MSG_DONE, &m) == ERR_OK)
		;
}

/* ---- the coordinator ---- */

static void hub_main(int port_to)
{
	static struct record record;
	static struct side side = { .own = COORD };
	struct msg m = { .type = MSG_DONE }, done;
	struct run run;
	uint64_t round = 0, *sum;
	uint16_t port;

	record_init(&record, "coordinator", "hub");
	side_open(&side, &hub_files, &ca);
	port = side_listen(&side);
	if (write(port_to, &port, sizeof(port)) != sizeof(port))
		_exit(ERR_INTERNAL);
	sum = alloc(table_words(), sizeof(*sum));
	side_start(&side);
	side_await(&side, parties);
	run = (struct run){ .job = the_job(),
			    .L = parties,
			    .name = names,
			    .channel = side.channel,
			    .mailbox = side.mailbox,
			    .record = &record };
	for (size_t i = 0; i < repeats; i++) {
		double start = clock_now_s(), cpu_s = bench_cpu_s();

		need(run_broadcast(&run, 0, parties, &m));
		need(server_intersect(&run));
		for (size_t l = 0; l < parties; l++)
			need(channel_recv(run.channel[l], MSG_DONE, &done));
		results->align_s[i] = clock_now_s() - start;
		results->align_cpu_s[parties][i] = bench_cpu_s() - cpu_s;
	}
	for (size_t i = 0; i < repeats; i++) {
		struct sum s = { .group = GROUP_PLAIN,
				 .last = parties,
				 .round = &round,
				 .count = table_words(),
				 .acc = sum,
				 .wide = true };
		double start = clock_now_s();

		need(run_broadcast(&run, 0, parties, &m));
		need(secure_sums(&run, &s, 1));
		results->plain_s[i] = clock_now_s() - start;
	}
}

/* ---- the report ---- */

static void report(void)
{
	double cpu_s[REPEATS_MAX] = { 0 }, hash_s[REPEATS_MAX] = { 0 };
	double over_plain[REPEATS_MAX], over_hashing[REPEATS_MAX], grown = 0;
	struct results *r = results;

	for (size_t i = 0; i < repeats; i++) {
		for (size_t l = 0; l <= parties; l++)
			cpu_s[i] += r->align_cpu_s[l][i];
		for (size_t l = 0; l < parties; l++)
			hash_s[i] += r->hash_cpu_s[l][i];
		over_plain[i] = r->align_s[i] / r->plain_s[i];
		over_hashing[i] = cpu_s[i] / hash_s[i];
	}
	for (size_t l = 0; l < parties; l++)
		grown = r->grown[l] > grown ? r->grown[l] : grown;
	printf("ids=%zu parties=%zu repeats=%zu bytes=%zu", ids, parties, repeats,
	       table_words() * sizeof(uint64_t));
	printf(" elapsed_s=%.4f cpu_s=%.4f", bench_median(r->align_s, repeats),
	       bench_median(cpu_s, repeats));
	printf(" over_plain=%.2f over_hashing=%.2f", bench_median(over_plain, repeats),
	       bench_median(over_hashing, repeats));
	printf(" bytes_an_id=%.1f\n", grown / (double)ids);
}

int main(int argc, char **argv)
{
	log_init("bench_align", LOG_WARN);
	ids = argument(argc, argv, 1, 1000000, 10, ALIGN_IDS_MAX);
	parties = argument(argc, argv, 2, 4, 2, SIDE_PARTIES_MAX);
	repeats = argument(argc, argv, 3, 3, 1, REPEATS_MAX);
	results =
	    mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		need(err_set(ERR_INTERNAL, "mmap: %s", strerror(errno)));
	make_certificates();
	make_keys(64);
	run_processes(hub_main, party_main);
	report();
	certs_ca_release(&ca);
	return 0;
}
