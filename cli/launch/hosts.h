/* hosts.h -- places the processes of a launch: all on loopback, or each on a host of the lab that
 * scripts/netlab has set up around this process. */
#ifndef CLI_LAUNCH_HOSTS_H
#define CLI_LAUNCH_HOSTS_H

#include "cli/launch/launch.h"

struct hosts {
	/* One entry for the coordinator, then one per party. Empty: all processes use loopback. */
	struct overrides space, address;
};

/* Returns the directory of the programs coordinator and party: $COTERIE_BIN, otherwise that of this
 * program. Owned by the caller. */
char *hosts_programs(void);

/* Reads the lab's hosts from COTERIE_LAB, "NAMESPACE=ADDRESS ...", if it is set. ERR_INPUT: there
 * are too few hosts. */
enum err hosts_open(struct hosts *h, struct launch *l) MUST_CHECK;
void hosts_close(struct hosts *h);

/* Inserts at the start of argv the words that run a command on host number `host`. */
void hosts_prefix(const struct hosts *h, size_t host, struct overrides *argv);

#endif
