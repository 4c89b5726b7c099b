/* emulator.h -- the lab: hosts, each in its own namespace, and the network between them.
 *
 *     host 0: lab0 <-- frames --> .----------.
 *     host 1: lab0 <-- frames --> | one loop |  links (link.h) compute times; a queue holds
 *     ...                         '----------'  each packet until it is due
 */
#ifndef LAB_NETLAB_EMULATOR_H
#define LAB_NETLAB_EMULATOR_H

#include "lab/netlab/link.h"
#include "common/base/err.h"

struct emulator_options {
	int hosts;
	struct link_speed speed;
	int segments; /* most segments per super packet; 1: no super packets */
	double loss;  /* fraction of packets lost, independently, after SIGUSR1 */
	/* The host whose packets may be lost, in both directions; -1: all hosts. */
	int loss_host;
	/* Written when the lab is ready: a line "NAMESPACE ADDRESS" per host. */
	const char *ready_file;
	const char *stats_file; /* written at the end; or NULL */
};

/* Runs until SIGTERM, SIGINT or SIGHUP. SIGUSR1 restarts the counters. Before it returns, it
 * removes its namespaces and kills all processes in them. ERR_INPUT: set-up failed. ERR_JOB: a file
 * could not be written, or a namespace could not be removed. */
enum err emulator_run(const struct emulator_options *o) MUST_CHECK;

#endif
