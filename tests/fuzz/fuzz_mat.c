/* MATLAB's matrices. */
#include "tests/fuzz/import.h"

FUZZ_IMPORT("mat")
