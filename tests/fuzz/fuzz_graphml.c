/* GraphML. */
#include "tests/fuzz/import.h"

FUZZ_IMPORT("graphml")
