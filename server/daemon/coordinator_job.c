#include "server/daemon/coordinator_own.h"
#include "common/base/log.h"
#include "server/daemon/job.h"

#include <stdio.h>

static void job_thread(void *arg)
{
	struct coordinator *c = arg;

	c->result = job_serve(&c->run, c->config->common.output);
	snprintf(c->why, sizeof(c->why), "%s", c->result == ERR_OK ? "" : err_detail());
	uv_async_send(&c->job_done);
}

/* Channels are made only now: a party that leaves before has broken nothing. */
void coordinator_start_job(struct coordinator *c)
{
	coordinator_set_phase(c, RUNNING);
	uv_timer_stop(&c->join_timer);
	coordinator_keep_state(c);
	for (size_t l = 0; l < c->L; l++) {
		struct seat *seat = &c->seat[l];

		seat->channel = c->channel[l] = channel_new(c->post, COORD, seat->name);
		channel_of_job(seat->channel, c->run.job_id, c->run.attempt);
		if (c->config->common.reconnect_s)
			channel_keep(seat->channel);
		conn_attach(seat->conn, seat->channel, channel_job(seat->channel));
	}
	c->run.L = c->L;
	c->run.name = c->name;
	c->run.channel = c->channel;
	c->run.post = c->post;
	c->run.record = &c->record;
	if (c->again)
		log_info("all %zu parties are there, attempt %u begins", c->L, c->run.attempt);
	else
		log_info("all %zu parties are there, the job begins", c->L);
	if (uv_thread_create(&c->job_thread, job_thread, c) != 0) {
		coordinator_close(c, ERR_INTERNAL, "the job thread could not be started");
		return;
	}
	c->thread_started = true;
}

void coordinator_on_job_done(uv_async_t *async)
{
	struct coordinator *c = async->data;

	uv_thread_join(&c->job_thread);
	c->thread_started = false;
	if (c->phase == RUNNING && c->result != ERR_OK && *c->watch.stopped && c->run.more) {
		c->again = true; /* parties may have been told to come again */
		coordinator_close(c, ERR_CANCELLED, c->watch.stopped);
		return;
	}
	if (c->phase == RUNNING && c->result != ERR_OK && coordinator_goes_on(c)) {
		coordinator_begin_again(c);
		return;
	}
	coordinator_close(c, c->result, NULL);
}
