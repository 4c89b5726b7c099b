/* Fuzzes JSON, jobs and offers. Accepted JSON is written as JSON that reads back the same. An
 * accepted job is within its bounds. Its effective text does not change if it is read and written
 * again, and its offer is read as the same job. An offer is refused, or is written as an offer that
 * reads back the same. */
#include "common/base/json.h"
#include "common/job/job.h"
#include "protocols/kcagc/job.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(struct json *root)
{
	struct buf a = { 0 }, b = { 0 };
	struct json *again;

	json_write(root, &a);
	if (json_parse((struct bytes){ a.p, a.n }, "f", &again) != ERR_OK)
		abort();
	json_write(again, &b);
	if (a.n != b.n || memcmp(a.p, b.p, a.n) != 0)
		abort();
	json_free(again);
	buf_release(&a);
	buf_release(&b);
}

static void check_offer(const struct job *job)
{
	struct buf a = { 0 }, b = { 0 };
	char key[JOB_KEY_MAX + 1], why[256];
	struct job again;

	job_offer_write(job, &a);
	if (job_offer_parse(&again, (struct bytes){ a.p, a.n }, key) != ERR_OK ||
	    job_difference(job, &again, why, sizeof(why)))
		abort();
	job_offer_write(&again, &b);
	if (a.n != b.n || memcmp(a.p, b.p, a.n) != 0)
		abort();
	buf_release(&a);
	buf_release(&b);
}

static void check_job(const struct job *job)
{
	struct buf a = { 0 }, b = { 0 };
	const char *disclosure[32];
	struct job again;
	char why[256];

	if ((job->clusters < 2 && job->kind->clusters) || job->seed >> 53 ||
	    (job->modulus_bits != 32 && job->modulus_bits != 64))
		abort();
	if (job->kind == &kind_kcagc && (kcagc_local_clusters(kcagc_job(job)) < job->clusters ||
					 kcagc_dims(kcagc_job(job)) < 1 ||
					 (kcagc_job(job)->filter_order > 10000 &&
					  kcagc_job(job)->filter_order != KCAGC_ORDER_AUTO)))
		abort();
	for (size_t i = 0; i < job_disclosures(job, 3, disclosure, 32); i++)
		if (!*disclosure[i])
			abort();
	job_write(job, &a);
	if (job_parse(&again, (struct bytes){ a.p, a.n }, "f", NULL) != ERR_OK)
		abort();
	job_write(&again, &b);
	if (a.n != b.n || memcmp(a.p, b.p, a.n) != 0 ||
	    job_difference(job, &again, why, sizeof(why)))
		abort();
	check_offer(job);
	buf_release(&a);
	buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char key[JOB_KEY_MAX + 1];
	struct json *root;
	struct job job;

	if (json_parse((struct bytes){ data, size }, "f", &root) != ERR_OK)
		return 0;
	check_json(root);
	json_free(root);
	if (job_parse(&job, (struct bytes){ data, size }, "f", NULL) == ERR_OK)
		check_job(&job);
	if (job_offer_parse(&job, (struct bytes){ data, size }, key) == ERR_OK)
		check_job(&job);
	else if (strlen(key) > JOB_KEY_MAX)
		abort();
	return 0;
}
