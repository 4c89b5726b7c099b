/* A table, packed by gzip. */
#include "tests/fuzz/import.h"

FUZZ_IMPORT("csv.gz")
