#include "common/job/confine.h"
#include "common/base/log.h"
#include "common/base/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
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

/* Names, since not every architecture has them all. */
static const char *const allowed[] = {
	/* memory; mmap and mprotect below */
	"brk", "munmap", "mremap", "madvise", "mlock", "mlock2", "munlock",
	/* threads; clone and tgkill below */
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
	/* connections; socket below */
	"connect", "accept", "accept4", "getsockopt", "setsockopt", "getsockname", "getpeername",
	"shutdown", "sendto", "recvfrom", "sendmsg", "sendmmsg", "recvmsg",
	/* what libraries want to know */
	"getrandom", "uname", "sysinfo", "getrusage", "getuid", "geteuid", "getgid", "getegid"
};

struct rule {
	int syscall;
	uint32_t action; /* for a call whose argument fits */
	struct scmp_arg_cmp argument;
};

/* clang-format off */
#define ALLOW     SCMP_ACT_ALLOW
#define REFUSE(e) SCMP_ACT_ERRNO(e)
#define IS(v)     SCMP_CMP_EQ, (v), 0
#define BIT(v)    SCMP_CMP_MASKED_EQ, (v), (v)
#define NO_BIT(v) SCMP_CMP_MASKED_EQ, (v), 0
static const struct rule rules[] = {
	{ SCMP_SYS(mmap), ALLOW, { 2, NO_BIT(PROT_EXEC) } },
	{ SCMP_SYS(mmap), REFUSE(EPERM), { 2, BIT(PROT_EXEC) } },
	{ SCMP_SYS(mprotect), ALLOW, { 2, NO_BIT(PROT_EXEC) } },
	{ SCMP_SYS(mprotect), REFUSE(EPERM), { 2, BIT(PROT_EXEC) } },
	{ SCMP_SYS(clone), ALLOW, { 0, BIT(CLONE_THREAD) } },
	{ SCMP_SYS(prctl), ALLOW, { 0, IS(PR_SET_NAME) } },
	{ SCMP_SYS(prctl), REFUSE(EINVAL), { 0, IS(PR_SET_VMA) } }, /* names for memory */
	{ SCMP_SYS(prlimit64), ALLOW, { 2, IS(0) } }, /* to ask, not to set */
	{ SCMP_SYS(kill), ALLOW, { 1, IS(0) } },      /* does it still run */
	{ SCMP_SYS(ioctl), ALLOW, { 1, IS(FIONBIO) } },
	{ SCMP_SYS(ioctl), ALLOW, { 1, IS(FIOCLEX) } },
	{ SCMP_SYS(ioctl), ALLOW, { 1, IS(FIONREAD) } },
	{ SCMP_SYS(ioctl), ALLOW, { 1, IS(TCGETS) } }, /* is it a terminal */
	{ SCMP_SYS(ioctl), ALLOW, { 1, IS(TIOCGWINSZ) } },
	/* 0x54xx are those of terminals, TIOCSTI among them; the others ask devices and file systems. */
	{ SCMP_SYS(ioctl), REFUSE(ENOTTY), { 1, SCMP_CMP_LT, 0x5400, 0 } },
	{ SCMP_SYS(ioctl), REFUSE(ENOTTY), { 1, SCMP_CMP_GT, 0x54ff, 0 } },
	{ SCMP_SYS(socketpair), ALLOW, { 0, IS(AF_UNIX) } },
	{ SCMP_SYS(socket), ALLOW, { 0, IS(AF_INET) } },
	{ SCMP_SYS(socket), ALLOW, { 0, IS(AF_INET6) } },
	{ SCMP_SYS(socket), REFUSE(EAFNOSUPPORT), { 0, IS(AF_UNIX) } },
	{ SCMP_SYS(socket), REFUSE(EAFNOSUPPORT), { 0, IS(AF_NETLINK) } },
};

/* Tried by libraries, which get on without. */
static const struct {
	const char *name;
	int error;
} unknown[] = {
	{ "clone3", ENOSYS },         /* glibc then calls clone */
	{ "io_uring_setup", ENOSYS }, /* libuv then reads and writes */
	{ "mbind", ENOSYS },          /* OpenBLAS: a wish */
	{ "fchown", EPERM },          /* SQLite as root: its side files stay ours */
};
/* clang-format on */

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* What this system does not know by that name it cannot call either. */
static int add_named(scmp_filter_ctx f, uint32_t action, const char *name)
{
	int number = seccomp_syscall_resolve_name(name);

	return number < 0 ? 0 : seccomp_rule_add_array(f, action, number, 0, NULL);
}

static int add_lists(scmp_filter_ctx f, const char *const *name, size_t names,
		     const struct rule *rule, size_t count)
{
	int bad = 0;

	for (size_t i = 0; i < names && !bad; i++)
		bad = add_named(f, ALLOW, name[i]);
	for (size_t i = 0; i < count && !bad; i++)
		bad = seccomp_rule_add_array(f, rule[i].action, rule[i].syscall, 1,
					     &rule[i].argument);
	return bad;
}

static int add_rules(scmp_filter_ctx f)
{
	int bad = add_lists(f, allowed, COUNT(allowed), rules, COUNT(rules));

	for (size_t i = 0; i < COUNT(unknown) && !bad; i++)
		bad = add_named(f, SCMP_ACT_ERRNO((uint32_t)unknown[i].error), unknown[i].name);
	if (!bad) /* abort(), raise(): this process alone */
		bad =
		    seccomp_rule_add_array(f, ALLOW, SCMP_SYS(tgkill), 1,
					   &(struct scmp_arg_cmp){ 0, IS((scmp_datum_t)getpid()) });
	return bad;
}

/* ---- the user ---- */

static enum err find_user(const struct daemon_common *c, uid_t *uid, gid_t *gid)
{
	struct passwd *entry;

	errno = 0;
	entry = getpwnam(c->user);
	if (!entry)
		return err_set(ERR_INPUT, "user: there is no user \"%s\" on this host%s%s", c->user,
			       errno ? ": " : "", errno ? strerror(errno) : "");
	if (entry->pw_uid == 0)
		return err_set(ERR_INPUT, "user: \"%s\" is root, expected another one", c->user);
	if (geteuid() != 0 && geteuid() != entry->pw_uid)
		return err_set(ERR_INPUT,
			       "user: only root can become \"%s\", and this process is neither",
			       c->user);
	*uid = entry->pw_uid;
	*gid = entry->pw_gid;
	return ERR_OK;
}

enum err confine_as_user(const struct daemon_common *c)
{
	uid_t uid;
	gid_t gid;

	if (!c->user)
		return ERR_OK;
	TRY(find_user(c, &uid, &gid));
	if (geteuid() == 0 && (setegid(gid) || seteuid(uid))) {
		int why = errno;

		confine_as_before();
		return err_set(ERR_INPUT, "user: becoming \"%s\": %s", c->user, strerror(why));
	}
	return ERR_OK;
}

void confine_as_before(void)
{
	if (getuid() == 0 && geteuid() != 0)
		(void)!seteuid(0);
	if (getgid() != getegid())
		(void)!setegid(getgid());
}

enum err confine_user(const struct daemon_common *c)
{
	uid_t uid;
	gid_t gid;

	if (c->user)
		TRY(find_user(c, &uid, &gid));
	if (!c->user || geteuid() != 0)
		return ERR_OK;
	if (initgroups(c->user, gid) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return err_set(ERR_INPUT, "user: becoming \"%s\": %s", c->user, strerror(errno));
	if (!setuid(0) || !seteuid(0)) /* there must be no way back */
		return err_set(ERR_INTERNAL, "user: root could be had again");
	prctl(PR_SET_DUMPABLE, !c->sandbox); /* the change of user has set it anew */
	return ERR_OK;
}

/* libseccomp 2.5 does not look whether it got memory for the program that it makes of a filter:
 * without, it ends by one of these signals, or goes round for ever, or makes a program that lacks
 * calls. */
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

/* 0, or an error as libseccomp has them; -ENOSYS: the kernel does not know what it is asked for. */
static int make(int (*add)(scmp_filter_ctx f), struct program *p)
{
	scmp_filter_ctx f;
	int file, bad;
	ssize_t n = 0;

	errno = 0;
	f = seccomp_init(SCMP_ACT_KILL_PROCESS);
	if (!f) /* the library has asked the kernel whether it knows the action */
		return errno == ENOMEM ? -ENOMEM : -ENOSYS;
	file = memfd_create("filter", MFD_CLOEXEC);
	bad =
	    file < 0 ? -errno : seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (!bad)
		bad = add(f);
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

/* Made twice, since an allocation that fails on the way can leave one that would end this process
 * at a call on the list. */
static int make_whole(int (*add)(scmp_filter_ctx f), struct program *p)
{
	/* Of processor time; two filters take a hundredth of that. */
	static const struct itimerval limit = { .it_value.tv_usec = 200000 }, none;
	static struct program again;
	struct sigaction before[COUNT(faults)], ours = { .sa_handler = on_fault };
	int bad;

	for (size_t i = 0; i < COUNT(faults); i++)
		sigaction(faults[i], &ours, &before[i]);
	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	bad = make(add, p);
	if (!bad)
		bad = make(add, &again);
	setitimer(ITIMER_VIRTUAL, &none, NULL);
	for (size_t i = 0; i < COUNT(faults); i++)
		sigaction(faults[i], &before[i], NULL);
	if (!bad && (p->bytes != again.bytes || memcmp(p->step, again.step, p->bytes) != 0))
		bad = -ENOMEM;
	return bad;
}

/* For all threads of this process at once (OpenBLAS has its own); no_new_privs goes with it. */
static enum err load(int (*add)(scmp_filter_ctx f))
{
	static struct program p;
	int bad = make_whole(add, &p);
	struct sock_fprog loaded = { (unsigned short)(p.bytes / sizeof(*p.step)), p.step };

	if (bad == -ENOMEM)
		on_fault(SIGSEGV);
	if (bad == -ENOSYS)
		return err_set(ERR_INPUT,
			       "sandbox: the system call seccomp, by which a process confines "
			       "itself, is not to be had: the kernel is older than 4.14, or what "
			       "starts this process forbids it (a unit's SystemCallFilter, a "
			       "container's profile), which then has to allow it; "
			       "\"sandbox\": \"off\" runs without");
	if (!bad && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		bad = -errno;
	if (!bad) { /* positive: the thread that is in the way */
		long refused = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				       SECCOMP_FILTER_FLAG_TSYNC, &loaded);

		bad = refused < 0 ? -errno : refused > 0 ? -ESRCH : 0;
	}
	if (bad)
		return err_set(ERR_INPUT,
			       "sandbox: the kernel refuses the filter of system calls (%s); "
			       "\"sandbox\": \"off\" runs without",
			       strerror(-bad));
	return ERR_OK;
}

enum err confine(const struct daemon_common *c)
{
	TRY(confine_user(c));
	if (geteuid() == 0)
		log_warn("running as root: start as another user, or let \"user\" name one");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_set(ERR_INPUT, "sandbox: no_new_privs: %s", strerror(errno));
	if (!c->sandbox || SANITIZED) { /* whose runtime needs more than the list */
		log_info("system calls are not confined: %s",
			 SANITIZED ? "built with a sanitizer" : "sandbox is off");
		return ERR_OK;
	}
	TRY(load(add_rules));
	log_info("system calls are confined");
	return ERR_OK;
}

/* ---- a process that reads a file ---- */

static int add_reader_rules(scmp_filter_ctx f)
{
	static const char *const names[] = {
		"brk",           "munmap",       "mremap",         "madvise",
		"futex",         "exit",         "exit_group",     "gettid",
		"getpid",        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
		"sigaltstack",   "close",        "read",           "readv",
		"pread64",       "lseek",        "fstat",          "stat",
		"lstat",         "newfstatat",   "statx",          "access",
		"faccessat",     "faccessat2",   "readlink",       "getcwd",
		"flock",         "fcntl",        "write",          "writev",
		"clock_gettime", "gettimeofday", "time",           "getrandom",
		"uname",         "sysinfo",      "getuid",         "geteuid"
	};
	static const struct rule reading[] = {
		{ SCMP_SYS(mmap), ALLOW, { 2, NO_BIT(PROT_EXEC) } },
		{ SCMP_SYS(mprotect), ALLOW, { 2, NO_BIT(PROT_EXEC) } },
		{ SCMP_SYS(open), ALLOW, { 1, SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDONLY } },
		{ SCMP_SYS(openat), ALLOW, { 2, SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDONLY } },
		{ SCMP_SYS(prlimit64), ALLOW, { 2, IS(0) } },
	};

	return add_lists(f, names, COUNT(names), reading, COUNT(reading));
}

enum err confine_reader(void)
{
	if (SANITIZED)
		return ERR_OK;
	return load(add_reader_rules);
}
