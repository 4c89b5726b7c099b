/* Confines a process while its N-th allocation fails, for many N. The process must exit with an
 * error, or afterwards be able to make each permitted call. */
#include "tests/test.h"
#include "common/job/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STRIDE = 11, SAMPLE_STRIDE = 43, LIMIT_S = 60, NOBODY = 65534 };

/* The functions below replace the allocator of this program and all its libraries. An allocation
 * fails when `left` reaches 0. A sanitizer has its own allocator. */
static long left, asked;

#if !SANITIZED
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static bool strikes(void)
{
	asked++;
	if (left == 0 || --left != 0)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return strikes() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return strikes() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return strikes() ? NULL : __libc_realloc(p, n);
}
#endif

static enum err confine_here(void)
{
	static const struct daemon_common sandbox = { .sandbox = true };

	if (geteuid() == 0 &&
	    (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		return ERR_INTERNAL;
	return confine(&sandbox);
}

/* Makes some of the permitted system calls. */
static int calls_what_is_listed(void)
{
	struct sigaction a;
	struct timespec now;
	struct utsname name;
	char byte;
	int file = open("/dev/zero", O_RDONLY);

	if (file < 0 || read(file, &byte, 1) != 1 || lseek(file, 0, SEEK_SET) != 0 || close(file))
		return 1;
	if (sigaction(SIGSEGV, NULL, &a) || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) ||
	    uname(&name))
		return 1;
	return access("/dev/zero", R_OK) || getuid() != geteuid() || getpid() <= 1;
}

static int after_failure(long n)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		alarm(LIMIT_S); /* libseccomp may loop forever after a failed allocation */
		close(STDERR_FILENO);
		left = n;
		if (confine_here() != ERR_OK)
			_exit(ERR_INPUT);
		left = 0;
		_exit(calls_what_is_listed());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

TEST(a_list_is_whole_or_the_process_ends)
{
	int pipe_of[2], out = 0;
	long all = 0;

	if (SANITIZED || emulated())
		skip();
	assert_int_equal(pipe(pipe_of), 0);
	if (fork() == 0) { /* counts the allocations */
		asked = 0;
		_exit(confine_here() != ERR_OK ||
		      write(pipe_of[1], &asked, sizeof(asked)) != sizeof(asked));
	}
	wait(NULL);
	assert_int_equal(read(pipe_of[0], &all, sizeof(all)), sizeof(all));
	assert_true(all > 100);
	for (long n = 1; n <= all; n += sampling() ? SAMPLE_STRIDE : STRIDE) {
		int status = after_failure(n);

		if (!WIFEXITED(status) ||
		    (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != ERR_INTERNAL))
			fail_msg("allocation %ld of %ld: status %#x", n, all, (unsigned)status);
		out += WEXITSTATUS(status) != 0;
	}
	assert_true(out > 0);
	close(pipe_of[0]);
	close(pipe_of[1]);
}
