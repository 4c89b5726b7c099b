#include "common/base/machine.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool group_line(const char *root, const char *mount, const char *group, const char *file,
		       char line[static 64])
{
	char path[PATH_MAX];
	bool read;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s%s/%s", root, mount, group, file) >=
	    (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	read = fgets(line, 64, f) != NULL;
	fclose(f);
	return read;
}

/* Returns the first number in a control group's file if it is positive; otherwise 0 ("max", -1, no
 * such file). *second becomes the second number. */
static double group_number(const char *root, const char *mount, const char *group, const char *file,
			   double *second)
{
	char line[64], *end;
	double x;

	if (!group_line(root, mount, group, file, line))
		return 0;
	x = strtod(line, &end);
	if (second)
		*second = strtod(end, NULL);
	return end != line && isfinite(x) && x > 0 ? x : 0;
}

static void lower_memory(double bytes, struct machine *m)
{
	if (bytes > 0 && bytes < m->memory)
		m->memory = bytes;
}

static void lower_cores(double quota, double period, struct machine *m)
{
	if (quota > 0 && period > 0 && ceil(quota / period) < (double)m->cores)
		m->cores = (unsigned)ceil(quota / period);
}

static void group_limits(const char *root, const char *mount, const char *group, struct machine *m)
{
	double quota, period = 0;

	lower_memory(group_number(root, mount, group, "memory.max", NULL), m);
	lower_memory(group_number(root, mount, group, "memory.limit_in_bytes", NULL), m);
	quota = group_number(root, mount, group, "cpu.max", &period);
	lower_cores(quota, period, m);
	quota = group_number(root, mount, group, "cpu.cfs_quota_us", NULL);
	period = group_number(root, mount, group, "cpu.cfs_period_us", NULL);
	lower_cores(quota, period, m);
}

/* True if the comma-separated names ("cpu,cpuacct") contain name. */
static bool lists(const char *names, const char *name)
{
	size_t n = strlen(name);

	for (; names; names = strchr(names, ','), names = names ? names + 1 : NULL)
		if (!strncmp(names, name, n) && (!names[n] || names[n] == ','))
			return true;
	return false;
}

/* Lowers *m to the limits of one line "ID:CONTROLLERS:GROUP" of /proc/self/cgroup. With cgroup
 * version 2, CONTROLLERS is empty. In a container the line may name the group by its path on the
 * host, while only the container's group is mounted, at the root. */
static void line_limits(const char *root, char *line, struct machine *m)
{
	char *controllers = strchr(line, ':'), *group, mount[128];

	group = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!group)
		return;
	*group++ = 0;
	controllers++;
	group[strcspn(group, "\n")] = 0;
	if (*controllers && !lists(controllers, "memory") && !lists(controllers, "cpu"))
		return;
	if (snprintf(mount, sizeof(mount), "%s%s", *controllers ? "/" : "", controllers) >=
	    (int)sizeof(mount))
		return;
	for (;;) {
		char *slash = strrchr(group, '/');

		group_limits(root, mount, strcmp(group, "/") ? group : "", m);
		if (!slash || !*group)
			return;
		*slash = 0;
	}
}

void machine_groups(const char *root, struct machine *m)
{
	char path[PATH_MAX], line[PATH_MAX + 64];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/proc/self/cgroup", root) >= (int)sizeof(path))
		return;
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		line_limits(root, line, m);
	fclose(f);
}

static struct machine machine;
static pthread_once_t machine_once = PTHREAD_ONCE_INIT;

static unsigned affinity(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return (unsigned)CPU_COUNT(&set);
	/* sched_getaffinity() fails if there are more than 1024 processors. */
	return cores > 0 ? (unsigned)cores : 1;
}

static void machine_read(void)
{
	machine.memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	machine.cores = affinity();
	machine_groups("", &machine);
}

double machine_memory(void)
{
	struct machine m;
	struct rlimit limit;

	pthread_once(&machine_once, machine_read);
	m = machine;
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		lower_memory((double)limit.rlim_cur, &m);
	return m.memory;
}

unsigned machine_cores(void)
{
	pthread_once(&machine_once, machine_read);
	return machine.cores;
}

struct size_text size_text(double bytes)
{
	struct size_text t;

	if (bytes < 1e9)
		snprintf(t.s, sizeof(t.s), "%.0f MB", bytes < 1e6 ? 1 : bytes / 1e6);
	else
		snprintf(t.s, sizeof(t.s), "%.1f GB", bytes / 1e9);
	return t;
}

enum err machine_fits(const char *where, const char *what, double bytes)
{
	if (bytes <= machine_memory())
		return ERR_OK;
	return err_set(ERR_INPUT,
		       "%s: %s takes %s of memory, this process may use %s (host, container, "
		       "ulimit): raise that, or bring less data",
		       where, what, size_text(bytes).s, size_text(machine_memory()).s);
}
