/* split.h -- one data directory into those of several parties.
 *
 *   columns  same nodes, same graph, different features (kCAGC)
 *   rows     different nodes, same features; the edges within each party's nodes
 *   edges    same nodes, same features, different edges
 *
 * The parts are random, disjoint, and as equal as they can be; the seed is published in
 * OUT/split.json, so that anybody can make the same split. Nodes and columns keep their order
 * within a part.
 */
#ifndef CLI_SPLIT_H
#define CLI_SPLIT_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum split_by { SPLIT_COLUMNS, SPLIT_ROWS, SPLIT_EDGES };

struct split_params {
	enum split_by by;
	size_t parties;
	uint64_t seed;
	const char *data, *out; /* out/party-00, out/party-01, ... are made */
};

/* ERR_INPUT: data are wrong, or there is less to split than there are parties; ERR_JOB: cannot
 * be written. */
enum err split_data(const struct split_params *p) MUST_CHECK;

/* Items 0 .. n-1 in `parts` random disjoint parts whose sizes differ by at most 1: part[i] says
 * where item i is. */
void split_parts(size_t n, size_t parts, uint64_t seed, uint32_t *part);

#endif
