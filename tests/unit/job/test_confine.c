/* Tests the limits of a confined process. Each attempt runs in a child, which confines itself,
 * makes the attempt, and exits with 0 if the result is right. */
#include "tests/test.h"
#include "common/base/log.h"
#include "common/job/confine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct daemon_common on = { .sandbox = true }, off = { .sandbox = false };
static char tmp[] = "/tmp";
static const struct daemon_common whole = { .sandbox = true, .output = tmp };

/* Runs the attempt in a child and returns the child's wait status. */
static int after(const struct daemon_common *c, int (*attempt)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		log_set_stream(open("/dev/null", O_WRONLY), false);
		if (c && confine(c) != ERR_OK)
			_exit(99);
		_exit(attempt());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static bool killed(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

static bool fine(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- calls that must end the process ---- */

static int runs_a_program(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}

static int makes_a_process(void)
{
	return fork() == 0 ? 0 : 0;
}

static int makes_a_process_the_old_way(void)
{
	return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) * 0;
}

static int traces(void)
{
	return ptrace(PTRACE_TRACEME, 0, 0, 0) ? 0 : 0;
}

static int reads_another(void)
{
	return (int)syscall(SYS_process_vm_readv, getppid(), 0, 0, 0, 0, 0) * 0;
}

static int opens_a_raw_socket(void)
{
	return socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP) * 0;
}

static int opens_a_raw_socket_of_ipv6(void)
{
	return socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6) * 0;
}

static int opens_a_packet_socket(void)
{
	return socket(AF_PACKET, SOCK_DGRAM, 0) * 0;
}

static int listens(void)
{
	return listen(0, 1) * 0;
}

static int kills(void)
{
	return kill(getppid(), SIGUSR1) * 0;
}

static int can_be_traced_again(void)
{
	return prctl(PR_SET_DUMPABLE, 1) * 0;
}

static int types_into_a_terminal(void)
{
	return ioctl(0, TIOCSTI, "x") * 0;
}

static int mounts(void)
{
	return (int)syscall(SYS_mount, 0, 0, 0, 0, 0) * 0;
}

static int (*const forbidden[])(void) = {
	runs_a_program,
	makes_a_process,
	traces,
	makes_a_process_the_old_way,
	reads_another,
	opens_a_raw_socket,
	listens,
	opens_a_raw_socket_of_ipv6,
	kills,
	opens_a_packet_socket,
	mounts,
	can_be_traced_again,
	types_into_a_terminal,
};

/* Without the filter the same attempts end no process, so it is the filter that ends them. */
static void what_is_not_listed_ends_the_process(void **state)
{
	(void)state;
	if (SANITIZED)
		skip();
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++) {
		int status = after(&on, forbidden[i]);

		if (!killed(status))
			fail_msg("attempt %zu: status %x", i, (unsigned)status);
		if (forbidden[i] != kills && !fine(after(&off, forbidden[i])))
			fail_msg("attempt %zu fails without the filter too", i);
	}
}

/* ---- calls that fail with an error ---- */

static int refusals(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (syscall(SYS_prlimit64, 0, 4, (uint64_t[]){ 1, 1 }, 0) != -1 || errno != EPERM)
		return 5;
	if (socket(AF_NETLINK, SOCK_RAW, 0) != -1 || errno != EAFNOSUPPORT)
		return 6;
	/* New system calls fail with ENOSYS, so libraries use their code for older kernels. */
	for (long call = 424; call < 600; call++) /* from pidfd_send_signal on */
		if (call != 424 && call != 428 && call != 429 && call != 430 && call != 432 &&
		    call != 434 && call != 438 && call != 439 && call != 441 && call != 442 &&
		    (syscall(call, -1, 0, 0, 0, 0, 0) != -1 || errno != ENOSYS))
			return 7;
	if (ioctl(0, 0x8912, NULL) != -1 || errno != ENOTTY)
		return 4;
	if (socket(AF_UNIX, SOCK_STREAM, 0) != -1 || errno != EAFNOSUPPORT)
		return 1;
	if (page == MAP_FAILED || mprotect(page, 4096, PROT_READ | PROT_EXEC) != -1 ||
	    errno != EPERM)
		return 2;
	if (mmap(NULL, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED ||
	    errno != EPERM)
		return 3;
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static int works(void)
{
	char path[] = "/tmp/coterie-confine-XXXXXX", renamed[64];
	pthread_t thread;
	int fd, one = socket(AF_INET, SOCK_STREAM, 0), two = socket(AF_INET6, SOCK_STREAM, 0);

	if (one < 0 || (two < 0 && errno != EAFNOSUPPORT))
		return 1;
	if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
		return 2;
	fd = mkstemp(path);
	snprintf(renamed, sizeof(renamed), "%s.new", path);
	if (fd < 0 || write(fd, "x", 1) != 1 || fsync(fd) || rename(path, renamed) ||
	    unlink(renamed))
		return 3;
	return 0;
}

static void what_daemons_do_goes_on(void **state)
{
	(void)state;
	if (SANITIZED)
		skip();
	assert_true(fine(after(&on, refusals)));
	assert_true(fine(after(&on, works)));
}

/* ---- the log of a forbidden call ---- */

static char said[] = "/tmp/coterie-confine-said-XXXXXX";

static int traces_and_logs(void)
{
	return log_open(said) == ERR_OK && confine(&on) == ERR_OK ? traces() : 1;
}

static void the_log_names_the_call(void **state)
{
	char line[4096] = "";
	int fd;

	(void)state;
	if (SANITIZED)
		skip();
	fd = mkstemp(said);
	assert_true(fd >= 0);
	assert_true(killed(after(NULL, traces_and_logs)));
	assert_true(read(fd, line, sizeof(line) - 1) > 0);
	close(fd);
	unlink(said);
	assert_non_null(strstr(line, "\"error\",\"text\":\"a system call that this daemon never "
				     "makes: ptrace\"}\n"));
}

/* ---- code ---- */

/* Writes to its own code, which is not writable memory, through /proc/self/mem. */
static int writes_its_code(void)
{
	uint8_t *code = (uint8_t *)(uintptr_t)writes_its_code;
	int fd = open("/proc/self/mem", O_RDWR);

	return fd < 0 ? 0 : pwrite(fd, code, 1, (off_t)(uintptr_t)code) == 1 ? 1 : 2;
}

static int writes_a_library(void)
{
	Dl_info of;

	return dladdr((void *)(uintptr_t)pthread_create, &of) && open(of.dli_fname, O_RDWR) < 0 &&
		       errno == EACCES
		   ? 0
		   : 1;
}

/* main() has called confine_code(). Without it, root could write to the code of the program and of
 * a library. */
static void nobody_writes_code(void **state)
{
	(void)state;
	if (SANITIZED)
		skip();
	assert_int_equal(after(&on, writes_its_code), 0);
	assert_int_equal(after(&on, writes_a_library), 0);
}

static int aborts(void)
{
	abort();
}

/* A failed assertion must not be reported as a forbidden call. */
static void abort_is_abort(void **state)
{
	int status;

	(void)state;
	if (SANITIZED)
		skip();
	status = after(&on, aborts);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* ---- threads started before confine() ---- */

static pthread_barrier_t confined;

static void *runs_a_program_later(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&confined);
	runs_a_program();
	return NULL;
}

static int has_a_thread_before(void)
{
	pthread_t thread;

	if (pthread_barrier_init(&confined, NULL, 2) ||
	    pthread_create(&thread, NULL, runs_a_program_later, NULL) || confine(&on) != ERR_OK)
		return 1;
	pthread_barrier_wait(&confined);
	pthread_join(thread, NULL);
	return 2;
}

static void threads_that_run_already_are_confined_too(void **state)
{
	(void)state;
	if (SANITIZED)
		skip();
	assert_true(killed(after(NULL, has_a_thread_before)));
}

/* ---- privileges ---- */

static int has_no_new_privileges(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 1;
}

static void no_new_privileges_without_the_filter_too(void **state)
{
	(void)state;
	assert_true(fine(after(&off, has_no_new_privileges)));
}

/* This variable is set before confine_code() executes the program again, which it must do if
 * another thread is running. */
#define AGAIN "COTERIE_TEST_CONFINE_AGAIN"

static void *waits(void *arg)
{
	(void)arg;
	while (pause() < 0)
		;
	return NULL;
}

int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_listed_ends_the_process),
		cmocka_unit_test(what_daemons_do_goes_on),
		cmocka_unit_test(the_log_names_the_call),
		cmocka_unit_test(nobody_writes_code),
		cmocka_unit_test(abort_is_abort),
		cmocka_unit_test(threads_that_run_already_are_confined_too),
		cmocka_unit_test(no_new_privileges_without_the_filter_too),
	};

	if (emulated())
		return tests_skip();
	if (geteuid() == 0 && !SANITIZED && !getenv(AGAIN)) {
		pthread_t thread;

		setenv(AGAIN, "1", 1);
		pthread_create(&thread, NULL, waits, NULL);
		(void)!confine_code(&whole, "/proc/self/exe", NULL, tests_argv);
		fprintf(stderr, "with a thread the program did not begin anew: %s\n", err_detail());
		return 1;
	}
	if (confine_code(&whole, "/proc/self/exe", NULL, tests_argv) != ERR_OK) {
		fprintf(stderr, "%s\n", err_detail());
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
