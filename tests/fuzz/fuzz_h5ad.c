/* AnnData in HDF5. */
#include "tests/fuzz/import.h"

FUZZ_IMPORT("h5ad")
