/* picture_graphs.h -- the points of a party of a job of kind fedgcn: its graphs, as the network
 * that the run has left embeds them. */
#ifndef CLI_REPORT_PICTURE_GRAPHS_H
#define CLI_REPORT_PICTURE_GRAPHS_H

#include "common/base/err.h"
#include "common/linalg/mat.h"

/* set: a directory in TU format; run: the party's output directory, which has model.fedgcn. Z
 * (graphs x FEDGCN_Z, initialised here), in the order of the set. ERR_INPUT: neither is what it
 * must be. */
enum err picture_graphs(const char *set, const char *run, unsigned threads,
			struct mat *Z) MUST_CHECK;

#endif
