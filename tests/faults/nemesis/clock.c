/* clock.c -- makes a host's clock jump while a daemon runs: LD_PRELOAD=clock.so COTERIE_CLOCK=FILE.
 *
 * FILE holds a 64-bit number of seconds, which the library adds to CLOCK_REALTIME. The library
 * maps FILE. So writing FILE in place, not by rename, moves the clock at once, without a system
 * call that the daemons' sandbox may refuse. CLOCK_MONOTONIC continues, as when a real clock is
 * set.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *jump;

static __attribute__((constructor)) void map_jump(void)
{
	const char *path = getenv("COTERIE_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*jump), PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED) {
		perror("clock.so: COTERIE_CLOCK");
		_exit(4);
	}
	close(fd);
	jump = at;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int status = (int)syscall(SYS_clock_gettime, id, t);

	if (!status && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) && jump)
		t->tv_sec += *jump;
	return status;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*t = (struct timeval){ .tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000 };
	return 0;
}

time_t time(time_t *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
