/* A table, packed by zstd. */
#include "tests/fuzz/import.h"

FUZZ_IMPORT("csv.zst")
