/* picture.h -- a party's own points in two dimensions, with the clusters that a run gave them.
 *
 * The points are those that the party clusters with, computed again from its files: its features
 * prepared, filtered and projected as the run's effective job says (protocols/kcagc/embed.h). Of fedsc
 * and kmeans they are its features as they are, of kmeans.columns standardised if the job says so, of fedwalk
 * the embeddings in the run's directory, of fedgcn its graphs in the network's embedding. A coordinator has no points, and no picture.
 * They lie along their principal components, or as another program has laid them out.
 */
#ifndef CLI_REPORT_PICTURE_H
#define CLI_REPORT_PICTURE_H

#include "common/base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { PICTURE_MOST = 20000, PICTURE_LAYOUT_NAME_MAX = 40 };

/* Coordinates made elsewhere, of the points that picture_params.points names. */
struct picture_layout {
	const char *name; /* of the method, 1 to PICTURE_LAYOUT_NAME_MAX bytes; for the caption */
	const char *path; /* .npy, n x 2 */
};

struct picture_params {
	const char *run; /* the party's output directory: run.json and labels.csv */
	/* The party's files: a data directory, or its configuration. Both NULL: where run.json says. */
	const char *data, *config;
	struct picture_layout layout; /* path NULL: principal components */
	const char *points; /* NULL, or the file that gets the points (.npy, n x dims, mode 600) */
	size_t most;        /* points at most; 0: PICTURE_MOST */
	unsigned threads; /* the result does not depend on it; 0: as many as there are cores */
};

/* All owned; picture_release frees. A zeroed one is empty. */
struct picture {
	size_t n;           /* points here */
	size_t total;       /* rows of the party: n, or more if the points are a sample */
	double *xy;         /* n x 2: x, y of each point; finite, no unit */
	uint32_t *label;    /* n: the cluster of each, < clusters */
	uint32_t *row;      /* n, rising: its row in the party's files, from 0 */
	char **id;          /* n: its id; without ids.txt the row number as text */
	size_t clusters;    /* k of the job; some may be empty here */
	size_t dims;        /* d, from which the two were made */
	const char *method; /* "PCA", or params->layout.name, which is not copied */
	double share[2];    /* PCA: of the variance, along x and y; else 0 */
	char *caption; /* what is shown and how, in sentences for people; says if it is a sample */
};

/* *p is overwritten, and empty on failure. The same for any number of threads; a sample is chosen by
 * the job's seed and holds of each cluster its share. ERR_INPUT: no run.json or labels.csv, a
 * coordinator's or a failed run, no files named anywhere, files that are wrong, or whose ids are not
 * those of labels.csv, a layout of another size. Costs what the party's own embedding did. */
enum err picture_make(const struct picture_params *params, struct picture *p) MUST_CHECK;
void picture_release(struct picture *p);

#endif
