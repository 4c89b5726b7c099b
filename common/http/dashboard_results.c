/* Serves results of jobs to readers, operators and the job's submitter: the list of a job's files,
 * and each file in pieces. */
#include "common/base/file.h"
#include "common/http/dashboard.h"
#include "common/job/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 4 << 20, RECORD_MAX = 64 << 20, NAME_MAX_TEXT = 64 };

/* True if the user is a reader, an operator or, at a coordinator, the job's submitter. Otherwise
 * false, and `a` is the refusal. */
static bool dashboard_results_may(const struct http_request *r, const struct json *run,
				  struct http_answer *a)
{
	const char *submitter = json_text(run, "submitter");

	if (r->role == ROLE_READER || r->role == ROLE_OPERATOR ||
	    (r->role == ROLE_SUBMITTER && !strcmp(r->who, submitter)))
		return true;
	if (!*r->who)
		http_refuse(a, 403,
			    "results are read at api.listen, with a certificate whose name has the "
			    "role reader in api.roles");
	else if (r->role == ROLE_SUBMITTER)
		http_refuse(a, 403,
			    "this job was submitted by %s: its results need the role reader, and "
			    "%s is a submitter: its operator can change that in api.roles",
			    *submitter ? submitter : "nobody elsewhere", r->who);
	else
		http_refuse(a, 403,
			    "results need the role reader, and %s has the role %s: the operator "
			    "can change that in api.roles",
			    r->who, role_name[r->role]);
	return false;
}

static void dashboard_results_put_file(struct json *list, const char *dir, const char *name)
{
	char *path = file_join(dir, name);
	struct json *o;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		o = json_append_object(list);
		json_put_string(o, "name", name);
		json_put_number(o, "bytes", (double)st.st_size);
	}
	free(path);
}

static void dashboard_results_list(const char *dir, const struct json *run, struct http_answer *a)
{
	struct json *o = json_object(), *list;
	char *names = results_list(dir), *at = NULL;

	json_put_string(o, "job_id", json_text(run, "job_id"));
	json_put_string(o, "state", json_text(run, "status"));
	list = json_put_array(o, "files");
	dashboard_results_put_file(list, dir, "run.json");
	for (char *name = strtok_r(names, ", ", &at); name; name = strtok_r(NULL, ", ", &at))
		dashboard_results_put_file(list, dir, name);
	free(names);
	http_json(a, o);
}

/* True if `name` is run.json or in the directory's list of results. Other names are refused, so
 * that no path leads out of the directory. */
static bool dashboard_results_has(const char *dir, const char *name)
{
	char *names = results_list(dir), *at = NULL;
	bool has = !strcmp(name, "run.json");

	for (char *n = strtok_r(names, ", ", &at); n && !has; n = strtok_r(NULL, ", ", &at))
		has = !strcmp(n, name);
	free(names);
	return has;
}

static void dashboard_results_piece(const char *dir, const char *name, const struct http_request *r,
				    struct http_answer *a)
{
	unsigned long long from = strtoull(http_query(r, "from"), NULL, 10);
	char *path = file_join(dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = -1;

	if (fd >= 0 && from <= INT64_MAX) {
		n = pread(fd, buf_extend(&a->body, PIECE), PIECE, (off_t)from);
	}
	if (n >= 0) {
		a->body.n = (size_t)n;
		a->type = "application/octet-stream";
	} else {
		http_refuse(a, 500, "%s cannot be read: %s", path, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

/* Parses "ID" or "ID/NAME"; false if it is neither. */
static bool dashboard_results_parse(const char *rest, char id[static 33],
				    char name[static NAME_MAX_TEXT + 1])
{
	size_t n = strspn(rest, "0123456789abcdef");

	*name = '\0';
	if (n != 32 || (rest[n] && rest[n] != '/'))
		return false;
	snprintf(id, 33, "%.32s", rest);
	if (rest[n] && (!rest[n + 1] || strlen(rest + n + 1) > NAME_MAX_TEXT))
		return false;
	snprintf(name, NAME_MAX_TEXT + 1, "%s", rest[n] ? rest + n + 1 : "");
	return true;
}

void dashboard_results(const char *output, const struct http_request *r, struct http_answer *a)
{
	char id[33], name[NAME_MAX_TEXT + 1], *path, *dir;
	struct json *run = NULL;

	if (!dashboard_results_parse(r->rest, id, name)) {
		http_refuse(
		    a, 400,
		    "expected /api/results/ and a job's id, 32 digits as run.json has them, "
		    "and perhaps / and a file's name");
		return;
	}
	path = dashboard_job_path(output, id, -1);
	if (!path || json_read(path, RECORD_MAX, &run) != ERR_OK) {
		http_refuse(
		    a, 404,
		    "no results of job %s are here: no such job was done here, or they have "
		    "been removed (keep_days, keep_gib, coterie prune); submit it again",
		    id);
	} else if (dashboard_results_may(r, run, a)) {
		dir = file_dir(path);
		if (!strcmp(json_text(run, "status"), "running"))
			http_refuse(a, 409, "job %s is not over: wait for it", id);
		else if (!*name)
			dashboard_results_list(dir, run, a);
		else if (dashboard_results_has(dir, name))
			dashboard_results_piece(dir, name, r, a);
		else
			http_refuse(a, 404, "job %s has left no file %s here", id, name);
		free(dir);
	}
	json_free(run);
	free(path);
}
