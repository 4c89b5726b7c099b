#include "common/job/memory_check.h"
#include "common/base/machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum err memory_check(double bytes, uint64_t max, const char *who, const char *setting)
{
	if (max && bytes > (double)max)
		return err_set(ERR_INPUT,
			       "this job takes about %s of memory at %s, %s is %s: raise it, or "
			       "offer a smaller job",
			       size_text(bytes).s, who, setting, size_text((double)max).s);
	if (bytes > machine_memory())
		return err_set(ERR_INPUT,
			       "this job takes about %s of memory at %s, which may use %s (host, "
			       "container, ulimit): raise that, or offer a smaller job (its "
			       "parameters that take memory: docs/SCALE.md)",
			       size_text(bytes).s, who, size_text(machine_memory()).s);
	return ERR_OK;
}

/* Returns the value of a line such as "VmRSS: 1234 kB" of /proc/self/status, in bytes. */
static double status_line(const char *key)
{
	char text[4096], *at;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	at = strstr(text, key);
	return at ? 1024 * strtod(at + strlen(key), NULL) : 0;
}

static double at_start;

__attribute__((constructor)) static void look_at_start(void)
{
	at_start = status_line("VmRSS:");
}

double memory_check_peak(void)
{
	double peak = status_line("VmHWM:") - at_start;

	return peak > 0 ? peak : 0;
}

void memory_check_begin(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return; /* the kernel cannot reset the peak, so it covers the life of the process */
	if (write(fd, "5", 1) != 1) {
	}
	close(fd);
}
