/* hosts.h -- where the processes of a launch run: on loopback, or each on a host of the lab that
 * scripts/netlab has put up around this process. */
#ifndef CLI_LAUNCH_HOSTS_H
#define CLI_LAUNCH_HOSTS_H

#include "cli/launch/launch.h"

struct hosts {
	struct overrides space, address; /* of the coordinator and each party; none: loopback */
};

/* The directory of coordinator and party: $COTERIE_BIN, else that of this program. Owned. */
char *hosts_programs(void);

/* Takes the lab's hosts from COTERIE_LAB, "NAMESPACE=ADDRESS ...", if there are any. ERR_INPUT: they
 * are too few. */
enum err hosts_open(struct hosts *h, struct launch *l) MUST_CHECK;
void hosts_close(struct hosts *h);

/* Begins a command with the words that run it on this host. */
void hosts_prefix(const struct hosts *h, size_t host, struct overrides *argv);

#endif
