/* MATLAB's .mat. */
#include "tests/fuzz/isolated.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_isolated(import_mat, "mat", data, size);
}
