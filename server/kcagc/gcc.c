/* The coordinator's half of federated GCC: gcc.h's, with parties to ask. */
#include "server/kcagc/gcc.h"
#include "common/kcagc/gcc.h"
#include "server/kcagc/questions.h"

enum err server_gcc(struct run *run, uint32_t *label)
{
	struct gcc_report report;
	struct questions q;
	struct gcc_params p;
	struct pool pool;
	enum err e;

	gcc_defaults(&p, run->job.clusters, run->job.seed, run->threads);
	p.order = questions_order(&run->job);
	questions_open(&q, run, &pool);
	e = gcc_run(&pool, &p, label, &report);
	if (e == ERR_OK) {
		questions_record(&q, &(struct record_sum){ .items = run->n,
							   .iterations = report.iterations,
							   .inertia = report.loss });
		e = questions_result(&q, label);
	}
	questions_close(&q);
	return e;
}
