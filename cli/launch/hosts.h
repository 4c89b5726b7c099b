/* hosts.h -- where the processes of a launch run: on loopback, or each on a host of a lab that
 * scripts/netlab puts up. */
#ifndef CLI_LAUNCH_HOSTS_H
#define CLI_LAUNCH_HOSTS_H

#include "cli/launch/launch.h"

struct hosts {
	struct overrides lab; /* options for netlab, as given */
	bool net;             /* --net */
	bool within;          /* this process was started by netlab */
	struct overrides space, address; /* of the coordinator and each party; none: loopback */
};

extern const struct argp hosts_argp;

/* The directory of coordinator and party: $COTERIE_BIN, else that of this program. Owned. */
char *hosts_programs(void);

/* With --net: starts this program again within netlab, and does not return. Within it, and without:
 * takes the lab's hosts from COTERIE_LAB, if there are any. ERR_INPUT. */
enum err hosts_open(struct hosts *h, struct launch *l, int argc, char **argv) MUST_CHECK;
void hosts_close(struct hosts *h);

/* Begins a command with the words that run it on this host. */
void hosts_prefix(const struct hosts *h, size_t host, struct overrides *argv);

#endif
