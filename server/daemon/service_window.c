/* What a coordinator that serves shows by HTTP besides common/http/window.h: /api/queue, its last
 * jobs, the newest first, as jobs.db has them. On the HTTP library's thread, with a connection to
 * jobs.db of its own. */
#include "common/base/clock.h"
#include "common/base/file.h"
#include "server/daemon/service.h"

#include <stdlib.h>
#include <string.h>

enum { QUEUE_MOST = 100 };

static void put_when(struct json *o, const char *key, time_t t)
{
	char text[32];

	clock_utc_of(t, text, sizeof(text));
	json_put_string(o, key, t ? text : "");
}

static void put_job(struct json *list, const struct store_job *j)
{
	struct json *o = json_append_object(list), *text = NULL, *parties;

	json_put_number(o, "id", (double)j->id);
	json_put_string(o, "state", store_state_name[j->state]);
	if (json_parse((struct bytes){ (const uint8_t *)j->text, strlen(j->text) }, "jobs.db",
		       &text) == ERR_OK)
		json_put_string(o, "kind", json_text(text, "kind"));
	json_free(text);
	json_put_string(o, "submitter", j->submitter);
	parties = json_put_array(o, "parties");
	for (size_t l = 0; l < j->parties; l++)
		json_append_string(parties, j->party[l]);
	put_when(o, "submitted", j->submitted);
	put_when(o, "began", j->began);
	put_when(o, "ended", j->ended);
	json_put_number(o, "attempts", j->attempts);
	json_put_string(o, "job_id", j->job_id);
	json_put_string(o, "cause", j->cause);
}

static void answer_queue(void *coordinator_config, const struct http_request *r,
			 struct http_answer *a)
{
	const struct coordinator_config *config = coordinator_config;
	char *path = file_join(config->common.output, "jobs.db");
	struct store_rows rows = { 0 };
	struct store *store = NULL;
	struct json *o, *list;
	enum err e = store_open(&store, path);

	(void)r;
	if (e == ERR_OK)
		e = store_last_jobs(store, QUEUE_MOST, &rows);
	if (e == ERR_OK) {
		o = json_object();
		list = json_put_array(o, "queue");
		for (size_t i = rows.n; i-- > 0;)
			put_job(list, &rows.job[i]);
		store_rows_release(&rows);
		http_json(a, o);
	} else {
		http_refuse(a, 500, "%s", err_detail());
	}
	store_close(store);
	free(path);
}

const struct http_route service_routes[] = { { .path = "/api/queue", .answer = answer_queue },
					     { 0 } };
