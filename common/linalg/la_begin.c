#include "common/linalg/la.h"
#include "common/linalg/simd.h"

#include <cblas.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char KERNELS[] = "OPENBLAS_CORETYPE";

static bool taken_for_an_old_one(void)
{
	return simd_avx2_fma() && !strcmp(openblas_get_corename(), "Prescott");
}

void la_begin(char **argv)
{
	char program[PATH_MAX];
	ssize_t n;

	if (getenv(KERNELS) || !taken_for_an_old_one())
		return;
	n = readlink("/proc/self/exe", program, sizeof program - 1);
	if (n < 0)
		return;
	program[n] = 0;
	if (setenv(KERNELS, "Haswell", 0) == 0)
		execv(program, argv); /* by its own path, which becomes the name of the process */
}
