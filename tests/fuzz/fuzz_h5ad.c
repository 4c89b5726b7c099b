/* AnnData's .h5ad. */
#include "tests/fuzz/isolated.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_isolated(import_h5ad, "h5ad", data, size);
}
