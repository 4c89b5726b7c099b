/* models.h -- models of runs for test_model.c and test_model_jobs.c. */
#ifndef TESTS_UNIT_PROTOCOLS_KCAGC_MODELS_H
#define TESTS_UNIT_PROTOCOLS_KCAGC_MODELS_H

#include "common/base/alloc.h"
#include "protocols/kcagc/job.h"
#include "protocols/kcagc/party/model.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 7, DIMS = 3, K = 4, ID = 0x5a };

static inline struct model *sample(bool kept)
{
	struct model *m = alloc(1, sizeof(*m));

	memset(m->job_id, ID, sizeof(m->job_id));
	m->L = 3;
	m->own = 1;
	for (int l = 0; l < 3; l++)
		snprintf(m->name[l], sizeof(m->name[l]), "bank-%c", 'a' + l);
	m->method = kept ? METHOD_FLAT : METHOD_GCC;
	m->min_cell = 1;
	m->clusters = K;
	m->fraction_bits = 16;
	m->nodes = 10;
	if (!kept)
		return m;
	m->kept = true;
	m->how = (struct embedding){ .word = 1,
				     .filter = FILTER_SPECTRAL,
				     .order = 5,
				     .unit_rows = true,
				     .row_power = 0.5,
				     .mean_norm = 0.25 };
	ALLOC(m->how.idf, COLUMNS);
	mat_init(&m->how.map, COLUMNS, DIMS);
	mat_init(&m->centre, K, DIMS);
	ALLOC(m->size, K);
	for (int j = 0; j < COLUMNS; j++)
		m->how.idf[j] = 1 + j;
	for (int i = 0; i < COLUMNS * DIMS; i++)
		m->how.map.a[i] = -0.1 * i;
	for (int i = 0; i < K * DIMS; i++)
		m->centre.a[i] = 1e-300 * i;
	m->size[0] = 7;
	m->size[3] = 3;
	return m;
}

/* Makes a model of kmeans.columns with four columns, of which the third was left out. */
static inline struct model *sample_of_columns(void)
{
	static const double unit[] = { 2, 1e300, 0, 0.5 };
	struct model *m = sample(false);

	m->kept = true;
	m->method = METHOD_TREE;
	m->columns = 4;
	ALLOC(m->by.shift, 4);
	ALLOC(m->by.unit, 4);
	memcpy(m->by.unit, unit, sizeof(unit));
	for (int j = 0; j < 4; j++)
		m->by.shift[j] = -1.5 * j;
	mat_init(&m->centre, K, 3);
	for (int i = 0; i < K * 3; i++)
		m->centre.a[i] = 0.1 * i;
	ALLOC(m->size, K);
	m->size[0] = 4;
	m->size[3] = 6;
	return m;
}

#endif
