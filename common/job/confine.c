#include "common/job/confine.h"
#include "common/base/log.h"
#include "common/base/sanitized.h"
#include "common/job/share.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/* ---- the list ---- */

/* Names of allowed calls, and not their numbers, since some architectures lack some of these
 * calls. */
static const char *const allowed[] = {
	/* memory; mmap and mprotect have rules below */
	"brk", "munmap", "mremap", "madvise", "mlock", "mlock2", "munlock",
	/* threads; clone and tgkill have rules below */
	"futex", "set_robust_list", "rseq", "exit", "exit_group", "sched_yield",
	"sched_getaffinity", "gettid", "getpid", "membarrier", "restart_syscall",
	/* signals */
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
	/* files: data, certificates, results, log, ledger */
	"open", "openat", "close", "read", "readv", "pread64", "preadv", "write", "writev",
	"pwrite64", "pwritev", "lseek", "fstat", "stat", "lstat", "newfstatat", "statx", "access",
	"faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "getdents64", "fcntl",
	"flock", "fsync", "fdatasync", "ftruncate", "fallocate", "fadvise64", "rename", "renameat",
	"renameat2", "symlink", "symlinkat", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir",
	"utimensat", "umask", "fchmod", "fstatfs", "statfs", "dup", "dup3",
	/* time */
	"clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
	/* waiting */
	"epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd2",
	"pipe2", "poll", "ppoll", "select", "pselect6",
	/* connections; socket has rules below */
	"connect", "accept", "accept4", "getsockopt", "setsockopt", "getsockname", "getpeername",
	"shutdown", "sendto", "recvfrom", "sendmsg", "sendmmsg", "recvmsg",
	/* queries by libraries */
	"getrandom", "uname", "sysinfo", "getrusage", "getuid", "geteuid", "getgid", "getegid"
};

/* Calls that no daemon makes, but that an intruder might make. Such a call ends the process, and
 * the log names the call. Calls on neither list fail with ENOSYS, as on a kernel without them.
 * Newer libraries may try such calls, and work without them. */
static const char *const never[] = { "execve",
				     "execveat",
				     "fork",
				     "vfork",
				     "tkill",
				     "ptrace",
				     "process_vm_readv",
				     "process_vm_writev",
				     "pidfd_open",
				     "pidfd_getfd",
				     "pidfd_send_signal",
				     "mount",
				     "umount2",
				     "move_mount",
				     "open_tree",
				     "fsopen",
				     "fsmount",
				     "mount_setattr",
				     "pivot_root",
				     "chroot",
				     "setns",
				     "unshare",
				     "kexec_load",
				     "kexec_file_load",
				     "reboot",
				     "init_module",
				     "finit_module",
				     "delete_module",
				     "bpf",
				     "perf_event_open",
				     "userfaultfd",
				     "add_key",
				     "request_key",
				     "keyctl",
				     "iopl",
				     "ioperm",
				     "personality",
				     "swapon",
				     "settimeofday",
				     "clock_settime",
				     "setuid",
				     "setreuid",
				     "setresuid",
				     "setgid",
				     "setregid",
				     "setresgid",
				     "setgroups",
				     "capset",
				     "listen" };

struct rule {
	int syscall;
	uint32_t action; /* applied if the arguments of a call match */
	unsigned arguments;
	struct scmp_arg_cmp argument[2];
};

/* clang-format off */
#define ALLOW     SCMP_ACT_ALLOW
#define END       SCMP_ACT_TRAP
#define REFUSE(e) SCMP_ACT_ERRNO(e)
#define IS(v)     SCMP_CMP_EQ, (v), 0
#define NOT(v)    SCMP_CMP_NE, (v), 0
#define BIT(v)    SCMP_CMP_MASKED_EQ, (v), (v)
#define NO_BIT(v) SCMP_CMP_MASKED_EQ, (v), 0
#define TYPE(v)   SCMP_CMP_MASKED_EQ, 0xf, (v) /* type of a socket, without its flags */
#define SOCKETS(family) /* TCP, and UDP to resolve names */ \
	{ SCMP_SYS(socket), ALLOW, 2, { { 0, IS(family) }, { 1, TYPE(SOCK_STREAM) } } }, \
	{ SCMP_SYS(socket), ALLOW, 2, { { 0, IS(family) }, { 1, TYPE(SOCK_DGRAM) } } }, \
	{ SCMP_SYS(socket), END, 2, { { 0, IS(family) }, { 1, TYPE(SOCK_RAW) } } }
static const struct rule rules[] = {
	{ SCMP_SYS(mmap), ALLOW, 1, { { 2, NO_BIT(PROT_EXEC) } } },
	{ SCMP_SYS(mmap), REFUSE(EPERM), 1, { { 2, BIT(PROT_EXEC) } } },
	{ SCMP_SYS(mprotect), ALLOW, 1, { { 2, NO_BIT(PROT_EXEC) } } },
	{ SCMP_SYS(mprotect), REFUSE(EPERM), 1, { { 2, BIT(PROT_EXEC) } } },
	{ SCMP_SYS(clone), ALLOW, 1, { { 0, BIT(CLONE_THREAD) } } },
	{ SCMP_SYS(clone), END, 1, { { 0, NO_BIT(CLONE_THREAD) } } },
	{ SCMP_SYS(prctl), ALLOW, 1, { { 0, IS(PR_SET_NAME) } } },
	{ SCMP_SYS(prctl), END, 1, { { 0, IS(PR_SET_DUMPABLE) } } },
	{ SCMP_SYS(prlimit64), ALLOW, 1, { { 2, IS(0) } } }, /* may read a limit, but not set it */
	{ SCMP_SYS(prlimit64), REFUSE(EPERM), 1, { { 2, NOT(0) } } },
	{ SCMP_SYS(kill), ALLOW, 1, { { 1, IS(0) } } },      /* tests if a process exists */
	{ SCMP_SYS(kill), END, 1, { { 1, NOT(0) } } },
	{ SCMP_SYS(ioctl), ALLOW, 1, { { 1, IS(FIONBIO) } } },
	{ SCMP_SYS(ioctl), ALLOW, 1, { { 1, IS(FIOCLEX) } } },
	{ SCMP_SYS(ioctl), ALLOW, 1, { { 1, IS(FIONREAD) } } },
	{ SCMP_SYS(ioctl), ALLOW, 1, { { 1, IS(TCGETS) } } }, /* tests for a terminal */
	{ SCMP_SYS(ioctl), ALLOW, 1, { { 1, IS(TIOCGWINSZ) } } },
	{ SCMP_SYS(ioctl), END, 1, { { 1, IS(TIOCSTI) } } },
	/* Requests outside 0x54xx (terminals, and those above) are for devices, network interfaces
	 * and file systems. They fail as on a file that does not support them. */
	{ SCMP_SYS(ioctl), REFUSE(ENOTTY), 1, { { 1, SCMP_CMP_LT, 0x5400, 0 } } },
	{ SCMP_SYS(ioctl), REFUSE(ENOTTY), 1, { { 1, SCMP_CMP_GT, 0x54ff, 0 } } },
	{ SCMP_SYS(socketpair), ALLOW, 1, { { 0, IS(AF_UNIX) } } },
	SOCKETS(AF_INET),
	SOCKETS(AF_INET6),
	{ SCMP_SYS(socket), END, 1, { { 0, IS(AF_PACKET) } } },
	{ SCMP_SYS(socket), REFUSE(EAFNOSUPPORT), 1, { { 0, IS(AF_UNIX) } } },
	{ SCMP_SYS(socket), REFUSE(EAFNOSUPPORT), 1, { { 0, IS(AF_NETLINK) } } },
};
/* clang-format on */

/* Calls whose rules may end the process, depending on the arguments. */
static const char *const by_argument[] = { "clone", "prctl", "kill", "tgkill", "ioctl", "socket" };

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Names and numbers of the calls in `never` and `by_argument`. The signal handler needs the names,
 * since it may not resolve them. */
static struct ended {
	const char *name;
	int number;
} ended[COUNT(never) + COUNT(by_argument)];

/* Adds a rule for a call by its name. If the name has no number on this system, the call does not
 * exist and needs no rule. */
static int add_named(scmp_filter_ctx f, uint32_t action, const char *name)
{
	int number = seccomp_syscall_resolve_name(name);

	return number < 0 ? 0 : seccomp_rule_add_array(f, action, number, 0, NULL);
}

static int add_rule_list(scmp_filter_ctx f, const struct rule *rule, size_t count)
{
	int bad = 0;

	for (size_t i = 0; i < count && !bad; i++)
		bad = seccomp_rule_add_array(f, rule[i].action, rule[i].syscall, rule[i].arguments,
					     rule[i].argument);
	return bad;
}

/* Forbids changes of a file's owner, which SQLite tries as root, and of its group, except to
 * results_group. */
static int add_fchown(scmp_filter_ctx f)
{
	const scmp_datum_t nobody = (uid_t)-1;
	gid_t group;
	bool shares = share_group(&group);
	const struct rule some[] = {
		{ SCMP_SYS(fchown), ALLOW, 2, { { 1, IS(nobody) }, { 2, IS(group) } } },
		{ SCMP_SYS(fchown), REFUSE(EPERM), 2, { { 1, IS(nobody) }, { 2, NOT(group) } } },
		{ SCMP_SYS(fchown), REFUSE(EPERM), 1, { { 1, NOT(nobody) } } },
	};
	const struct rule none = { SCMP_SYS(fchown), REFUSE(EPERM), 0, { { 0 } } };

	return shares ? add_rule_list(f, some, COUNT(some)) : add_rule_list(f, &none, 1);
}

static int add_rules(scmp_filter_ctx f)
{
	/* abort() and raise() signal this process only */
	scmp_datum_t own = (scmp_datum_t)getpid();
	const struct rule signals[] = {
		{ SCMP_SYS(tgkill), ALLOW, 1, { { 0, IS(own) } } },
		{ SCMP_SYS(tgkill), END, 1, { { 0, NOT(own) } } },
	};
	int bad = add_rule_list(f, signals, COUNT(signals));

	for (size_t i = 0; i < COUNT(allowed) && !bad; i++)
		bad = add_named(f, ALLOW, allowed[i]);
	for (size_t i = 0; i < COUNT(never) && !bad; i++)
		bad = add_named(f, END, never[i]);
	if (!bad)
		bad = add_fchown(f);
	return bad ? bad : add_rule_list(f, rules, COUNT(rules));
}

/* ---- the filter ---- */

/* libseccomp 2.5 does not check its allocations while it compiles a filter. If one fails, the
 * library crashes (SIGSEGV, SIGABRT), loops for ever, or makes a program without some of the calls.
 * The timer of make_whole() ends a loop by SIGVTALRM. */
static const int faults[] = { SIGSEGV, SIGABRT, SIGVTALRM };

static void on_fault(int sig)
{
	static const char text[] = "out of memory: none for the filter of system calls\n";

	(void)sig;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(ERR_INTERNAL);
}

struct program {
	struct sock_filter step[BPF_MAXINSNS];
	size_t bytes;
};

/* Returns 0 or a negative errno. -ENOSYS: the kernel lacks seccomp() or SCMP_ACT_KILL_PROCESS, or
 * this process may not call it. */
static int confine_make_program(struct program *p)
{
	scmp_filter_ctx f;
	int file, bad;
	ssize_t n = 0;

	f = seccomp_init(REFUSE(ENOSYS));
	if (!f)
		return -ENOMEM;
	file = memfd_create("filter", MFD_CLOEXEC);
	bad = file < 0 ? -errno : 0;
	/* seccomp_attr_set() asks the kernel if it supports SCMP_ACT_KILL_PROCESS. */
	if (!bad && seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS))
		bad = -ENOSYS;
	if (!bad)
		bad = add_rules(f);
	if (!bad)
		bad = seccomp_export_bpf(f, file);
	if (!bad)
		n = pread(file, p->step, sizeof(p->step), 0);
	seccomp_release(f);
	if (file >= 0)
		close(file);
	p->bytes = n > 0 ? (size_t)n : 0;
	return bad ? bad : n < 0 ? -errno : 0;
}

/* Compiles the filter twice. Returns -ENOMEM if the two programs differ: an allocation failed
 * halfway, and one of them refuses allowed calls. */
static int make_whole(struct program *p)
{
	/* Limit of processor time. Compiling two filters takes a hundredth of it. */
	static const struct itimerval limit = { .it_value.tv_usec = 200000 }, none;
	static struct program again;
	struct sigaction before[COUNT(faults)], ours = { .sa_handler = on_fault };
	int bad;

	for (size_t i = 0; i < COUNT(faults); i++)
		sigaction(faults[i], &ours, &before[i]);
	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	bad = confine_make_program(p);
	if (!bad)
		bad = confine_make_program(&again);
	setitimer(ITIMER_VIRTUAL, &none, NULL);
	for (size_t i = 0; i < COUNT(faults); i++)
		sigaction(faults[i], &before[i], NULL);
	if (!bad && (p->bytes != again.bytes || memcmp(p->step, again.step, p->bytes) != 0))
		bad = -ENOMEM;
	return bad;
}

/* Handles SIGSYS, which the kernel sends instead of running a call that the filter ends (END). Logs
 * the call's name, and ends this process by SIGSYS. Async-signal-safe. */
static void on_never(int sig, siginfo_t *info, void *context)
{
	const char *name = "not on the list of those it may make";

	(void)context;
	for (size_t i = 0; i < COUNT(ended); i++)
		if (ended[i].number == info->si_syscall)
			name = ended[i].name;
	log_dying("a system call that this daemon never makes: ", name);
	raise(sig); /* ends the process: SA_RESETHAND has restored the default action */
	_exit(ERR_INTERNAL);
}

static void name_never(void)
{
	struct sigaction ours = { .sa_sigaction = on_never,
				  .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER };
	size_t n = 0;

	for (size_t i = 0; i < COUNT(never); i++)
		ended[n++] = (struct ended){ never[i], seccomp_syscall_resolve_name(never[i]) };
	for (size_t i = 0; i < COUNT(by_argument); i++)
		ended[n++] =
		    (struct ended){ by_argument[i], seccomp_syscall_resolve_name(by_argument[i]) };
	sigaction(SIGSYS, &ours, NULL);
}

/* Sets no_new_privs and installs the filter. Returns 0 or a negative errno. */
static int install(const struct sock_fprog *program)
{
	long refused;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	refused = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program);
	/* a positive value is the id of a thread that cannot get the filter */
	return refused < 0 ? -errno : refused > 0 ? -ESRCH : 0;
}

void confine_no_uring(const struct daemon_common *c)
{
	struct sock_filter step[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { COUNT(step), step };

	if (c->sandbox && !SANITIZED)
		(void)install(&program); /* confine() reports a kernel without filters */
}

/* Filters all threads of this process at once, since OpenBLAS has threads of its own. */
static enum err confine_load_program(void)
{
	static struct program p;
	int bad = make_whole(&p);
	struct sock_fprog loaded = { (unsigned short)(p.bytes / sizeof(*p.step)), p.step };

	if (bad == -ENOMEM || bad == -EFAULT) /* libseccomp itself failed for lack of memory */
		on_fault(SIGSEGV);
	if (bad == -ENOSYS)
		return err_set(ERR_INPUT,
			       "sandbox: the system call seccomp, by which a process confines "
			       "itself, is not to be had: the kernel is older than 4.14, or what "
			       "starts this process forbids it (a unit's SystemCallFilter, a "
			       "container's profile), which then has to allow it; "
			       "\"sandbox\": \"off\" runs without");
	name_never();
	if (!bad)
		bad = install(&loaded);
	if (bad)
		return err_set(ERR_INPUT,
			       "sandbox: the kernel refuses the filter of system calls (%s); "
			       "\"sandbox\": \"off\" runs without",
			       strerror(-bad));
	return ERR_OK;
}

enum err confine(const struct daemon_common *c)
{
	if (geteuid() == 0)
		log_warn("running as root: start as another user");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_set(ERR_INPUT, "sandbox: no_new_privs: %s", strerror(errno));
	if (!c->sandbox || SANITIZED) { /* a sanitizer's runtime needs more calls */
		log_info("system calls are not confined: %s",
			 SANITIZED ? "built with a sanitizer" : "sandbox is off");
		return ERR_OK;
	}
	if (geteuid() == 0)
		TRY(confine_code_check());
	TRY(confine_load_program());
	log_info("system calls are confined");
	return ERR_OK;
}
