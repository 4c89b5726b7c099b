#include "cli/audit/budget.h"
#include "common/privacy/account.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHORT = 8, SET_TEXT = 80 };

struct budget {
	struct ledger *ledger;
	const struct party_config *config;
	double delta;
	char set[SET_TEXT];
};

static void print_unit(const struct budget *b, const struct ledger_unit *unit)
{
	double max = b->config ? b->config->policy.max_eps_total : 0, mu, left;

	printf("  of each %-6s eps %.4g at delta %g (mu %.4g), claimed %" PRIu64 " time%s",
	       unit->name, account_eps(sqrt(unit->square), b->delta), b->delta, sqrt(unit->square),
	       unit->claims, unit->claims == 1 ? "" : "s");
	if (max > 0 && account_mu(max, b->delta, &mu) == ERR_OK) {
		left = unit->square < mu * mu ? account_eps(sqrt(mu * mu - unit->square), b->delta)
					      : 0;
		printf("; of policy.max_eps_total %g eps %.3g is left for one more job", max,
		       floor(left * 1000) / 1000);
	}
	printf("\n");
}

/* Prints a data set's name, the privacy that the jobs of all coordinators have spent of it, and the
 * number of attempts without a claim. */
static enum err begin_set(struct budget *b, const struct ledger_job *job)
{
	struct ledger_account a;
	uint64_t bare;

	TRY(ledger_account(b->ledger, job, &a));
	TRY(ledger_bare(b->ledger, job, &bare));
	printf("%s\n", b->set);
	for (size_t u = 0; u < a.units; u++)
		print_unit(b, &a.unit[u]);
	if (bare)
		printf("  claimed no differential privacy: %" PRIu64
		       " attempt%s that got something\n",
		       bare, bare == 1 ? "" : "s");
	return ERR_OK;
}

static void print_spent(const char *what, uint64_t spent, const char *setting, uint64_t max)
{
	printf(", %" PRIu64, spent);
	if (max)
		printf(" of %s %" PRIu64, setting, max);
	printf(" %s", what);
}

static enum err print_line(void *arg, const struct ledger_job *job, const struct ledger_spent *s)
{
	static const struct party_config none;
	struct budget *b = arg;
	const struct party_config *c = b->config ? b->config : &none;
	char hex[2 * SHORT + 1], set[SET_TEXT];

	hex_write(job->data, SHORT, hex);
	snprintf(set, sizeof(set), *job->set ? "data set \"%s\"" : "data %s, which have no name",
		 *job->set ? job->set : hex);
	if (strcmp(set, b->set) != 0) {
		memcpy(b->set, set, sizeof(set));
		TRY(begin_set(b, job));
	}
	hex_write(job->key, SHORT, hex);
	printf("  %s (key %s)", job->coordinator, hex);
	print_spent("jobs", s->jobs, "policy.max_jobs", c->policy.max_jobs);
	print_spent("secure sums", s->rounds, "", 0);
	print_spent("numbers", s->words, "policy.max_words", c->policy.max_words);
	printf("\n");
	return ERR_OK;
}

enum err budget_print(struct ledger *l, const struct party_config *config, double delta)
{
	struct budget b = { .ledger = l,
			    .config = config,
			    .delta = config ? config->policy.max_delta_total : delta };

	TRY(ledger_read_spent(l, print_line, &b));
	if (!*b.set)
		printf("no egress from %s yet\n", ledger_name(l));
	return ERR_OK;
}
