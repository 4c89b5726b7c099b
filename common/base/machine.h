/* machine.h -- memory and processors that this process may use: those of its host, or fewer where a
 * control group (container, systemd unit), its affinity or RLIMIT_AS grants fewer. */
#ifndef COMMON_BASE_MACHINE_H
#define COMMON_BASE_MACHINE_H

#include "common/base/err.h"

/* Bytes; at least 1. The first call of either reads both; a daemon makes it before its sandbox. */
double machine_memory(void);

/* Processors, at least 1: the least of the affinity mask and of the quota, rounded up. */
unsigned machine_cores(void);

struct machine {
	double memory; /* bytes */
	unsigned cores;
};

/* Lowers *m to what the control groups grant the process whose /proc/PID/cgroup is
 * ROOT/proc/self/cgroup, by cgroup v2 and v1 alike: each group from its own up to the root.
 * root: "" but in tests. */
void machine_groups(const char *root, struct machine *m);

/* "116 MB", "4.0 GB": of bytes, in powers of 1000. */
struct size_text {
	char s[24];
};
struct size_text size_text(double bytes);

/* ERR_INPUT where `what`, at `where` (a file), takes more bytes than machine_memory(): with both
 * numbers. Checked before the memory is allocated. */
enum err machine_fits(const char *where, const char *what, double bytes) MUST_CHECK;

#endif
