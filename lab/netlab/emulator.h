/* emulator.h -- the lab itself: hosts in namespaces of their own, and the network between them.
 *
 *     host 0: lab0 <-- frames --> .----------.
 *     host 1: lab0 <-- frames --> | one loop |  links (link.h) say when, the queue (queue.h) keeps
 *     ...                         '----------'
 */
#ifndef LAB_NETLAB_EMULATOR_H
#define LAB_NETLAB_EMULATOR_H

#include "lab/netlab/link.h"
#include "common/base/err.h"

struct emulator_options {
	int hosts;
	struct link_speed speed;
	int segments;           /* of a super packet; 1: there are none */
	double loss;            /* share of packets that get lost, each for itself, from SIGUSR1 on */
	int loss_host;          /* to and from this host; -1: everywhere */
	const char *ready_file; /* written when all is up: a line "NAMESPACE ADDRESS" per host */
	const char *stats_file; /* written at the end; NULL: not */
};

/* Until SIGTERM, SIGINT or SIGHUP. SIGUSR1: what is counted is counted from here. Removes its
 * namespaces, and what runs in them, before it returns. ERR_INPUT: they could not be set up;
 * ERR_JOB: a file could not be written, a namespace not removed. */
enum err emulator_run(const struct emulator_options *o) MUST_CHECK;

#endif
