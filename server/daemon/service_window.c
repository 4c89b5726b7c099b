/* What a coordinator that serves shows by HTTP besides common/http/window.h: /api/queue, its last
 * jobs, the newest first, as jobs.db has them. On the HTTP library's thread, with a connection to
 * jobs.db of its own. */
#include "common/base/file.h"
#include "server/daemon/service.h"

#include <stdlib.h>

enum { QUEUE_MOST = 100 };

static void answer_queue(void *coordinator_config, const struct http_request *r,
			 struct http_answer *a)
{
	const struct coordinator_config *config = coordinator_config;
	char *path = file_join(config->common.output, "jobs.db");
	struct store_rows rows = { 0 };
	struct store *store = NULL;
	struct json *o, *list;
	enum err e = store_look(&store, path);

	(void)r;
	if (e == ERR_OK)
		e = store_last_jobs(store, QUEUE_MOST, &rows);
	if (e == ERR_OK) {
		o = json_object();
		list = json_put_array(o, "queue");
		for (size_t i = rows.n; i-- > 0;)
			json_free(service_put_job(json_append_object(list), &rows.job[i]));
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
