/* The coordinator's half of landmark projection: landmark.h's, with parties to ask. */
#include "server/kcagc/landmark.h"
#include "common/kcagc/landmark.h"
#include "server/kcagc/questions.h"

enum err server_landmark(struct run *run, uint32_t *label)
{
	struct landmark_report report;
	struct landmark_params p;
	struct questions q;
	struct pool pool;
	enum err e;

	landmark_defaults(&p, run->job.clusters, kcagc_local_clusters(&run->job.kcagc),
			  run->job.seed, run->threads);
	p.order = questions_order(&run->job);
	p.power = run->job.kcagc.landmark_power;
	p.polish = run->job.kcagc.polish;
	p.min_cell = run->job.kcagc.min_cell;
	questions_open(&q, run, &pool);
	e = landmark_run(&pool, &p, label, &report);
	if (e == ERR_OK) {
		questions_record(&q, &(struct record_sum){ .items = report.sets,
							   .merged = report.merged,
							   .inertia = report.inertia });
		e = questions_result(&q, label);
	}
	questions_close(&q);
	return e;
}
