/* Lists jobs that left a run.json, in the output directory or in a directory job-* below it. */
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/http/dashboard.h"
#include "common/job/results.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RECORD_MAX = 64 << 20, PAGE = 50, FILES_MAX = 10000 };

struct found {
	char *path;
	struct timespec when;
};

static int newest_first(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->when.tv_sec != y->when.tv_sec)
		return x->when.tv_sec < y->when.tv_sec ? 1 : -1;
	if (x->when.tv_nsec != y->when.tv_nsec)
		return x->when.tv_nsec < y->when.tv_nsec ? 1 : -1;
	return strcmp(y->path, x->path);
}

static void dashboard_jobs_add(struct found *list, size_t *n, const char *path)
{
	struct stat st;

	if (*n == FILES_MAX || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	list[(*n)++] = (struct found){ alloc_copy(path), st.st_mtim };
}

static struct found *dashboard_jobs_find(const char *output, size_t *n)
{
	struct found *list = alloc(FILES_MAX, sizeof(*list));
	char *own = file_join(output, "run.json"), *pattern = file_join(output, "job-*/run.json");
	glob_t below;

	*n = 0;
	dashboard_jobs_add(list, n, own);
	if (glob(pattern, GLOB_NOSORT, NULL, &below) == 0) {
		for (size_t i = 0; i < below.gl_pathc; i++)
			dashboard_jobs_add(list, n, below.gl_pathv[i]);
		globfree(&below);
	}
	qsort(list, *n, sizeof(*list), newest_first);
	free(pattern);
	free(own);
	return list;
}

static void dashboard_jobs_release(struct found *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].path);
	free(list);
}

/* Adds one job to the list. Accepts a run.json of any content, since its members are only
 * displayed. */
static void dashboard_jobs_summarise(struct json *list, const struct json *run)
{
	static const char *const texts[] = { "job_id", "status", "submitter", "started", "error" };
	static const char *const numbers[] = { "attempt", "elapsed_s", "exit_status" };
	const struct json *v, *result = json_get_as(run, "result", JSON_OBJECT);
	struct json *o = json_append_object(list);

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		json_put_string(o, texts[i], json_text(run, texts[i]));
	json_put_string(o, "kind", json_text(json_get_as(run, "job", JSON_OBJECT), "kind"));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		v = json_get_as(run, numbers[i], JSON_NUMBER);
		if (v)
			json_put_number(o, numbers[i], json_number(v));
	}
	v = json_get_as(result, "rows", JSON_NUMBER);
	if (v)
		json_put_number(o, "rows", json_number(v));
}

void dashboard_jobs(const char *output, const struct http_request *r, struct http_answer *a)
{
	const char *text = http_query(r, "from");
	struct json *o = json_object(), *list, *run;
	size_t n, from = *text ? strtoul(text, NULL, 10) : 0;
	struct found *found = dashboard_jobs_find(output, &n);

	json_put_number(o, "count", (double)n);
	list = json_put_array(o, "jobs");
	for (size_t i = from; i < n && i - from < PAGE; i++) {
		if (json_read(found[i].path, RECORD_MAX, &run) == ERR_OK &&
		    json_type(run) == JSON_OBJECT)
			dashboard_jobs_summarise(list, run);
		json_free(run);
	}
	dashboard_jobs_release(found, n);
	http_json(a, o);
}

static bool is_it(const char *path, const char *id, int attempt)
{
	struct json *run;
	bool is = false;

	if (json_read(path, RECORD_MAX, &run) == ERR_OK)
		is = !strcmp(json_text(run, "job_id"), id) &&
		     (attempt < 0 || json_number_of(run, "attempt", -1) == attempt);
	json_free(run);
	return is;
}

/* A coordinator with a queue gives the directories of jobs other names than results_name(). If
 * there is no run.json under that name, this searches all run.json files, newest first. */
char *dashboard_job_path(const char *output, const char *id, int attempt)
{
	char name[RESULTS_NAME_MAX], *dir, *path = NULL;
	struct found *found;
	size_t n;

	if (attempt >= 0) {
		results_name(id, (unsigned)attempt, name);
		dir = file_join(output, name);
		path = file_join(dir, "run.json");
		free(dir);
		if (file_exists(path))
			return path;
		free(path);
	}
	path = NULL;
	found = dashboard_jobs_find(output, &n);
	for (size_t i = 0; i < n && !path; i++)
		if (is_it(found[i].path, id, attempt))
			path = alloc_copy(found[i].path);
	dashboard_jobs_release(found, n);
	return path;
}

void dashboard_job(const char *output, const struct http_request *r, struct http_answer *a)
{
	unsigned attempt = 0;
	char id[33] = "", *path;
	enum err e;
	int end = 0;

	if (sscanf(r->rest, "%32[0-9a-f]-%4u%n", id, &attempt, &end) != 2 || r->rest[end] ||
	    strlen(id) != 32) {
		http_refuse(a, 400, "expected /api/jobs/ and a job's number, -, and the attempt");
		return;
	}
	path = dashboard_job_path(output, id, (int)attempt);
	e = path ? file_read(path, RECORD_MAX, &a->body) : ERR_INPUT;
	if (e != ERR_OK) {
		buf_release(&a->body);
		http_refuse(a, 404, "no run.json of job %s, attempt %u, is here", id, attempt);
	}
	free(path);
}
