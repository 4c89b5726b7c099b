#include "server/run/run.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/machine.h"
#include "common/job/memory_check.h"

void run_step(struct run *run)
{
	struct link_times passed;

	mailbox_times(run->mailbox, &passed);
	record_step(run->record, &passed);
}

void run_phase(struct run *run, const char *name)
{
	run_step(run);
	record_phase(run->record, name);
	run->phase++;
	for (size_t l = 0; l < run->L; l++)
		channel_step(run->channel[l], record_now(run->record)->name);
	log_next(name);
}

enum err run_check_memory(struct run *run)
{
	struct kind_sizes sizes = { .n = (double)run->n,
				    .columns = (double)run->columns,
				    .parties = (double)run->L,
				    .coordinator = true };

	run->record->memory_estimate = run->job.kind->memory(&run->job, &sizes);
	log_info("this job will take about %s of memory here",
		 size_text(run->record->memory_estimate).s);
	return memory_check(run->record->memory_estimate, run->max_memory, run->record->name,
			    "max_memory");
}

void run_progress(struct run *run, unsigned iteration, size_t moved)
{
	struct log_progress p = { .phase = record_now(run->record)->name,
				  .iteration = iteration,
				  .moved = moved,
				  .elapsed_s = clock_now_s() - run->record->started_s };

	for (size_t l = 0; l < run->L; l++)
		p.bytes += channel_bytes(run->channel[l]);
	record_now(run->record)->iterations = iteration;
	log_progress(&p);
	run_step(run);
}

enum err run_broadcast(struct run *run, size_t first, size_t last, const struct msg *m)
{
	return channel_send_all(run->channel + first, last - first, m);
}

enum err run_broadcast_labels(struct run *run, size_t first, size_t last, enum msg_type type,
			      uint32_t group, uint32_t values, const uint32_t *label, size_t count)
{
	return channel_send_labels_all(run->channel + first, last - first, type, group, values,
				       label, count);
}

enum err run_warm(struct run *run)
{
	size_t need = job_burst(&run->job, run->n, true);

	for (size_t l = 0; need && l < run->L; l++)
		TRY(channel_warm(run->channel[l], need));
	return ERR_OK;
}

struct fixed run_fixed(const struct run *run, size_t members)
{
	return (struct fixed){ .modulus_bits = run->job.modulus_bits,
			       .fraction_bits = run->job.fraction_bits == JOB_AUTO
						    ? run->fraction
						    : (int)run->job.fraction_bits,
			       .parties = members };
}

struct fixed run_fixed_wide(size_t members)
{
	return (struct fixed){ .modulus_bits = 64,
			       .fraction_bits = JOB_WIDE_FRACTION,
			       .parties = members };
}
