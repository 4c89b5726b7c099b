/* kcagc: checks that concern several parameters, and parameters that the method ignores. */
#include "protocols/kcagc/job.h"
#include "common/kind/own.h"
#include "protocols/kcagc/slice.h"

#include <string.h>

const char *kcagc_unread(const void *p, const struct config_row *row)
{
	const struct kcagc_job *job = p;
	bool local = !job->dims.times_k && !job->dims.fixed;

	if (job->method == METHOD_BASIC && !local && !strcmp(row->path, "local_clusters"))
		return "by method \"basic\" where job.projection.dims is \"local\"";
	if (job->filter_order == 0 && !strcmp(row->path, "filter.kind"))
		return "where job.filter.order is not 0";
	if (!job->unit_rows && !strcmp(row->path, "projection.row_power"))
		return "where job.projection.unit_rows is true";
	return NULL;
}

const char *kcagc_one_k(const void *p)
{
	const struct kcagc_job *job = p;

	if (kcagc_is_bounded(job) || job->exchange == EXCHANGE_GRAM)
		return NULL;
	return "methods \"landmark\" and \"gcc\" choose k from a range, and exchange \"gram\"";
}

const char *kmeans_columns_one_k(const void *p)
{
	const struct kcagc_job *job = p;

	return job->exchange == EXCHANGE_GRAM ? NULL
					      : "only exchange \"gram\" chooses k from a range";
}

static enum err check_degrees(const struct kcagc_job *job)
{
	const char *given = job->degrees == DEGREES_ALONE  ? "alone"
			    : job->degrees == DEGREES_AUTO ? "auto"
							   : "beside";

	if (job->degrees == DEGREES_OFF)
		return ERR_OK;
	if (kcagc_is_bounded(job) && job->graphs == GRAPHS_OWN && job->degrees != DEGREES_AUTO)
		return err_set(ERR_INPUT,
			       "job.degrees is \"%s\", expected \"off\" where job.graphs is "
			       "\"own\": a node has a degree in each of them",
			       given);
	return ERR_OK;
}

enum err kcagc_check(const void *p)
{
	const struct kcagc_job *job = p;
	bool nodes = job->method == METHOD_BASIC || job->method == METHOD_GCC;
	unsigned local = kcagc_local_clusters(job);

	TRY(kind_check_align(job));
	if (local < job->clusters || local > JOB_CLUSTERS_MAX)
		return err_set(
		    ERR_INPUT,
		    "job.local_clusters is %u, expected at least job.clusters, %u, and at most %d",
		    local, job->clusters, JOB_CLUSTERS_MAX);
	if (kcagc_dims(job) > JOB_CLUSTERS_MAX)
		return err_set(ERR_INPUT, "job.projection.dims is %u, expected at most %d",
			       kcagc_dims(job), JOB_CLUSTERS_MAX);
	if (!kcagc_is_bounded(job) && job->restarts > job->starts)
		return err_set(ERR_INPUT, "job.restarts is %u, expected at most job.starts, %u",
			       job->restarts, job->starts);
	if (!kcagc_is_bounded(job) && job->joint_norm && !job->unit_rows)
		return err_set(ERR_INPUT,
			       "job.joint_norm is true, expected false where "
			       "job.projection.unit_rows is: it says how rows are scaled");
	if (job->min_cell > 1 && (nodes || job->polish))
		return err_set(
		    ERR_INPUT,
		    "job.min_cell is %u, expected 1 with %s%s%s: it sums over single nodes",
		    job->min_cell, nodes ? "method \"" : "polish",
		    nodes ? kcagc_method_names[job->method] : "", nodes ? "\"" : "");
	if (job->min_cell > 1 && job->joint_norm)
		return err_set(ERR_INPUT,
			       "job.min_cell is %u, expected 1 with joint_norm, which sums a norm "
			       "for each node",
			       job->min_cell);
	if (kcagc_is_bounded(job) && job->filter_order != KCAGC_ORDER_AUTO &&
	    (job->filter_order < 1 || job->filter_order > SLICE_ORDER_MAX))
		return err_set(ERR_INPUT,
			       "job.filter.order is %u, expected 1 to %d or \"auto\" with method "
			       "\"%s\", whose filter is not that of the others",
			       job->filter_order, SLICE_ORDER_MAX, kcagc_method_names[job->method]);
	return check_degrees(job);
}

enum err kcagc_predict_check(const void *p)
{
	return kind_check_align(p);
}
