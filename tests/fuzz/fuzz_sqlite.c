/* A table of an SQLite database. */
#include "tests/fuzz/import.h"

FUZZ_IMPORT("sqlite")
