/* numpy's archives, and scipy's sparse matrices in them. */
#include "tests/fuzz/import.h"

FUZZ_IMPORT("npz")
