/* Checks a party's data by loading them as a job would. */
#include "common/base/machine.h"
#include "cli/doctor/doctor.h"
#include "common/data/standard.h"
#include "common/job/job.h"
#include "common/job/kinds.h"
#include "party/daemon/api.h"
#include "party/daemon/daemon.h"
#include "party/ranks/mpirun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLUSTERS "10"

static void check_columns(struct checkup *c, const struct features *X, const struct columns *names)
{
	size_t m = features_cols(X), most, constant = 0;
	double *spread = standard_spread(X), total = 0, share;

	for (size_t j = 0; j < m; j++) {
		total += spread[j];
		constant += spread[j] == 0;
	}
	most = standard_dominant(spread, m, &share);
	if (total == 0)
		checkup_add(c, WRONG, "columns", "bring columns in which rows differ",
			    "all %zu are constant", m);
	else if (most < m)
		checkup_add(
		    c, NOTE, "columns",
		    "it decides nearly alone: check its unit, or set \"standardize\" in the job",
		    "column %s of %zu has %.3g %% of the variance", column_text(names, most).s, m,
		    100 * share);
	else if (constant)
		checkup_add(c, NOTE, "columns", "they carry no information, and may be left out",
			    "%zu of %zu are constant", constant, m);
	else
		checkup_add(c, FINE, "columns", "", "none of %zu dominates", m);
	free(spread);
}

static void check_nodes(struct checkup *c, const struct csr *A)
{
	size_t isolated = 0;

	for (size_t i = 0; i < A->rows; i++)
		isolated += A->start[i + 1] == A->start[i];
	checkup_add(c, isolated ? NOTE : FINE, "isolated nodes",
		    isolated ? "are their ids written differently in the edges?" : "",
		    "%zu of %zu nodes have no edge", isolated, A->rows);
}

/* Estimates memory for each permitted kind of job that the data allow, with default parameters.
 * Reports the largest estimate. */
static void check_memory(struct checkup *c, const struct party_config *config,
			 const struct party_data *d)
{
	double most = 0, there = doctor_memory_available(),
	       bound = (double)config->policy.max_memory;
	const char *which = NULL;

	for (const struct kind *const *k = kinds; *k; k++) {
		struct kind_sizes s = party_data_sizes(d, *k);
		struct job job;
		char text[128];
		double bytes;

		snprintf(text, sizeof(text), "{\"kind\":\"%s\"%s}", (*k)->name,
			 (*k)->clusters == CLUSTERS_NONE ? "" : ",\"clusters\":" CLUSTERS);
		if (!config_strings_has(&config->policy.jobs, (*k)->name) || s.n == 0 ||
		    job_parse(&job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "",
			      NULL) != ERR_OK)
			continue; /* not permitted, no data, or parameters without defaults */
		/* peers has one entry for the coordinator and one for each other party, so it has
		 * as many entries as there are parties */
		s.parties = (double)config->peers.count;
		bytes = (*k)->memory(&job, &s);
		if (bytes > most) {
			most = bytes;
			which = (*k)->name;
		}
	}
	if (!which) {
		checkup_add(c, FINE, "memory", "", "%s available", size_text(there).s);
		return;
	}
	checkup_add(c,
		    most > there                ? WRONG
		    : bound > 0 && most > bound ? NOTE
						: FINE,
		    "memory",
		    most > there ? "more memory, or smaller jobs"
		    : bound > 0 && most > bound
			? "above policy.max_memory: raise it, or smaller jobs"
			: "",
		    "a job %s of " CLUSTERS " clusters takes about %s, %s available", which,
		    size_text(most).s, size_text(there).s);
}

static void check_loaded(struct checkup *c, const struct party_config *config,
			 const struct party_data *d)
{
	const struct dataset *s = &d->dataset;
	size_t columns = features_cols(&s->X);

	if (d->tu.graphs.count)
		checkup_add(c, d->tu.edgeless ? NOTE : FINE, "graphs",
			    d->tu.edgeless ? "they have no shape: is the set whole?" : "",
			    "%zu graphs, %zu without edges", d->tu.graphs.count, d->tu.edgeless);
	if (s->n && config->data.edges)
		checkup_add(c, FINE, "data", "", "%zu nodes, %zu features, %zu edges", s->n,
			    columns, s->g.adjacency.start[s->n] / 2);
	else if (s->n)
		checkup_add(c, FINE, "data", "", "%zu rows, %zu features", s->n, columns);
	if (s->n)
		checkup_add(c, FINE, "ids", "", s->has_ids ? "%zu, none twice" : "row numbers, %zu",
			    s->n);
	if (columns) {
		checkup_add(c, FINE, "missing values", "", "none: each value is a finite number");
		check_columns(c, &s->X, &s->columns);
	}
	if (s->n && config->data.edges)
		check_nodes(c, &s->g.adjacency);
	check_memory(c, config, d);
}

static void doctor_check_data(struct checkup *c, const struct party_config *config)
{
	struct party_data d = { 0 };

	if (config->ranks.n) {
		if (!checkup_failed(c, mpirun_check(config), "ranks",
				    "install it, or correct ranks"))
			checkup_add(c, NOTE, "data", "the party checks them when it starts",
				    "on %u ranks, not read here", config->ranks.n);
		return;
	}
	if (!checkup_failed(c, party_data_bring(&d, config), "data",
			    "correct the file, or data in the configuration"))
		check_loaded(c, config, &d);
	party_data_release(&d);
}

static void check_api(struct checkup *c, const struct party_config *config)
{
	if (!config->api.listen)
		return;
	doctor_identity(c, &(struct doctor_identity){
			       .files = party_api_files(config),
			       .role = TLS_SERVER,
			       .key = "API key",
			       .chain = "API chain",
			       .certificate = "API certificate",
			       .remedy = "coterie pki request --role coordinator, then sign it" });
	doctor_api(c, &config->api, config->api.certificate);
}

void doctor_party(struct checkup *c, const struct party_config *config)
{
	const struct doctor_port ports[] = { doctor_port_api(&config->api),
					     doctor_port_dashboard(&config->common.http) };

	checkup_failed(c, daemon_check(config), "--check-config", "correct the configuration");
	doctor_host(c, &config->common, TLS_CLIENT, PARTY_FILES);
	doctor_directory(c, "state", config->state);
	doctor_check_data(c, config);
	doctor_ports(c, ports, sizeof(ports) / sizeof(*ports));
	doctor_dashboard(c, &config->common.http);
	check_api(c, config);
	doctor_clock(c);
	doctor_peer(c, config);
}
