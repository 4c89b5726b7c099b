/* choices.h -- Numbers all combinations of the settings that change an embedding. */
#ifndef TESTS_UNIT_FEDSC_CHOICES_H
#define TESTS_UNIT_FEDSC_CHOICES_H

#include "tests/unit/linalg/sample.h"
#include "protocols/kcagc/embed.h"

enum { CHOICES = 64 };

static inline struct embed_params choice(unsigned number)
{
	return (struct embed_params){
		.idf = number & 1,
		.filter = number & 2 ? FILTER_SPECTRAL : FILTER_HALF,
		.order = number & 4 ? 3 : 0,
		.unit_basis = number & 8,
		.unit_rows = number & 16,
		.row_power = number & 32 ? 0.5 : 1,
		.dims = 5,
		.threads = 1,
	};
}

#endif
