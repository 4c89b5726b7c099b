#include "common/job/kinds.h"
#include "common/fedgcn/kind.h"
#include "common/fedsc/kind.h"
#include "common/fedspectral/kind.h"
#include "common/fedwalk/kind.h"
#include "common/kcagc/kind.h"

#include <string.h>

const struct kind *const kinds[] = { &kind_kcagc,       &kind_kcagc_predict,
				     &kind_fedsc,       &kind_kmeans,
				     &kind_fedspectral, &kind_fedwalk,
				     &kind_fedgcn,      NULL };

const struct kind *kind_named(const char *name)
{
	for (size_t i = 0; kinds[i]; i++)
		if (!strcmp(kinds[i]->name, name))
			return kinds[i];
	return NULL;
}

const struct kind *job_kind(const struct job *job)
{
	return kinds[job->kind];
}
