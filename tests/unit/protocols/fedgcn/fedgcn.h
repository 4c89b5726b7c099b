/* fedgcn.h -- Runs a small federation of FedGCN in memory: parties of random graphs, few steps. */
#ifndef TESTS_UNIT_FEDGCN_FEDGCN_H
#define TESTS_UNIT_FEDGCN_FEDGCN_H

#include "tests/test.h"
#include "tests/unit/graph/graphs.h"
#include "protocols/fedgcn/coordinator.h"
#include "protocols/fedgcn/job.h"
#include "common/kind/own.h"

enum { PARTIES_MOST = 3 };

struct federation {
	struct graphs g[PARTIES_MOST];
	struct fedgcn_party party[PARTIES_MOST];
	struct memory memory;
	struct parties parties;
	struct fedgcn_report report;
};

static inline void quick(struct fedgcn_params *p, unsigned k)
{
	struct fedgcn_job job;

	kind_standards(&kind_fedgcn, &job, sizeof(job));
	job.clusters = k;
	job.seed = 1;
	assert_ok(fedgcn_params_of(&job, 2, p));
	p->rounds = 3;
	p->epochs = 2;
	p->batch = 16;
	p->min_cluster = 2;
}

static inline void open_federation(struct federation *f, const struct fedgcn_params *p,
				   size_t parties, uint64_t seed)
{
	for (size_t l = 0; l < parties; l++) {
		random_graphs(&f->g[l], 30 + 7 * l, 6 + 10 * l, 0.3, seed + l);
		assert_ok(fedgcn_party_init(&f->party[l], &f->g[l], p));
	}
	f->memory = (struct memory){
		.kind = &fedgcn_in_memory, .party = f->party, .count = parties, .fraction_bits = 24
	};
	parties_in_memory(&f->parties, &f->memory);
	f->report = (struct fedgcn_report){ 0 };
}

static inline void close_federation(struct federation *f)
{
	fedgcn_report_release(&f->report);
	for (size_t l = 0; l < f->memory.count; l++) {
		fedgcn_party_release(&f->party[l]);
		graphs_release(&f->g[l]);
	}
}

static inline void run_federation(struct federation *f, const struct fedgcn_params *p,
				  size_t parties, uint64_t seed)
{
	open_federation(f, p, parties, seed);
	assert_ok(fedgcn_run(&f->parties, p, &f->report));
}

#endif
