/* hosts.h -- placement of a launch's processes: on loopback, or each on a host of the lab that
 * scripts/netlab has set up around this process. */
#ifndef CLI_LAUNCH_HOSTS_H
#define CLI_LAUNCH_HOSTS_H

#include "cli/launch/launch.h"

struct hosts {
	/* of the coordinator, then of each party; empty: loopback */
	struct overrides space, address;
};

/* Directory of the programs coordinator and party: $COTERIE_BIN, otherwise that of this program.
 * Owned. */
char *hosts_programs(void);

/* Reads the lab's hosts from COTERIE_LAB, "NAMESPACE=ADDRESS ...", if set. ERR_INPUT if there are
 * too few. */
enum err hosts_open(struct hosts *h, struct launch *l) MUST_CHECK;
void hosts_close(struct hosts *h);

/* Adds the words that run a command on this host to the start of argv. */
void hosts_prefix(const struct hosts *h, size_t host, struct overrides *argv);

#endif
