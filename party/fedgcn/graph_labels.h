/* graph_labels.h -- labels of graphs as a file. */
#ifndef PARTY_FEDGCN_GRAPH_LABELS_H
#define PARTY_FEDGCN_GRAPH_LABELS_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* labels.csv whose ids are the graphs' numbers in the set's files, from 1. Atomically. */
enum err graph_labels_write(const char *path, const uint32_t *label, size_t n) MUST_CHECK;

#endif
