/* check.h -- what the bounds of single parameters cannot say, kind by kind. */
#ifndef COMMON_JOB_CHECK_H
#define COMMON_JOB_CHECK_H

#include "common/job/job.h"

/* k is a number. */
enum err job_check_clusters(const struct job *job) MUST_CHECK;
/* A job of any kind but kcagc. */
enum err job_check_kind(const struct job *job) MUST_CHECK;
enum err job_check_fedsc(const struct job *job) MUST_CHECK; /* kmeans too */
enum err job_check_fedgcn(const struct job *job) MUST_CHECK;

/* Why nothing that a fedsc job asks for reads the parameter of this path: a clause of static text.
 * NULL: it is read. */
const char *job_fedsc_unread(const struct job *job, const char *path);
enum err job_check_fedwalk(const struct job *job) MUST_CHECK;
const char *job_fedwalk_unread(const struct job *job, const char *path); /* the same of fedwalk */
const char *job_fedgcn_unread(const struct job *job, const char *path); /* the same of fedgcn */

#endif
