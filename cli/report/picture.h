/* picture.h -- makes a picture of a party's own points in two dimensions, with their clusters in a
 * run, and adds the data of explore.h.
 *
 * The points are those that the party clusters, recomputed from its files: features prepared,
 * filtered and projected as in the run's effective job (protocols/kcagc/embed.h). For fedsc, kmeans
 * and kmeans.columns they are the features themselves, standardised if the job says so. For fedwalk
 * they are the embeddings in the run's directory, for fedgcn the graphs in the network's embedding.
 * A coordinator has no points. The layout uses principal components, or another program's
 * coordinates.
 */
#ifndef CLI_REPORT_PICTURE_H
#define CLI_REPORT_PICTURE_H

#include "common/base/err.h"
#include "common/base/json.h"

#include <stddef.h>
#include <stdint.h>

enum { PICTURE_MOST = 20000, PICTURE_SIDE = 10000, PICTURE_LAYOUT_NAME_MAX = 40 };

/* Coordinates from another program for the points in picture_params.points. */
struct picture_layout {
	/* Name of the method, for the caption: 1 to PICTURE_LAYOUT_NAME_MAX bytes. */
	const char *name;
	const char *path; /* path of an .npy file, n x 2 */
};

struct picture_params {
	const char *run; /* party's output directory with run.json and labels.csv */
	/* The party's data directory or configuration. If both are NULL, run.json names the
	 * files. */
	const char *data, *config;
	struct picture_layout layout; /* its path is NULL: principal components */
	const char *points; /* NULL, or an output file for the points (.npy, n x dims, mode 600) */
	const char *by;     /* NULL, or the name of a column for the cross table */
	size_t most;        /* maximum number of points; 0: PICTURE_MOST */
	unsigned threads;   /* 0: number of processors; does not affect the result */
};

/* A picture. All members are owned; picture_release() frees them. A zero-initialised object is
 * empty. */
struct picture {
	size_t n;           /* number of points in the picture */
	size_t total;       /* number of the party's rows; more than n if the points are a sample */
	double *xy;         /* n x 2: x, y of each point; finite, no unit */
	uint32_t *place;    /* xy scaled by one factor to 0 .. PICTURE_SIDE */
	uint32_t *label;    /* n clusters, each below `clusters` */
	uint32_t *row;      /* n row numbers in the party's files, from 0, ascending */
	char **id;          /* n ids; without ids.txt row numbers as text */
	size_t clusters;    /* k of the job; some clusters may be empty here */
	size_t dims;        /* number of dimensions before the projection */
	const char *method; /* "PCA", or params->layout.name, borrowed */
	double share[2];    /* PCA: fraction of the variance along x and y; otherwise 0 */
	char *caption;      /* description for the user; states whether it is a sample */
	struct json *more;  /* a JSON object with the data that explore.h adds */
};

/* Makes the picture. Overwrites *p, which is empty after errors. The result is the same for any
 * number of threads. A sample keeps each cluster's share. ERR_INPUT: no run.json or labels.csv; the
 * run failed or is a coordinator's; no files are named, or they are invalid or have other ids than
 * labels.csv; the layout has another size; the column of `by` does not exist. Costs as much as the
 * party's own embedding. */
enum err picture_make(const struct picture_params *params, struct picture *p) MUST_CHECK;
void picture_release(struct picture *p);

#endif
