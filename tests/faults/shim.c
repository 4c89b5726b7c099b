/* A library for LD_PRELOAD: makes one file operation of a process, or one of its allocations, fail.
 *
 *     FAULT_UNDER   only files and directories below this path count
 *     FAULT_COUNT   a file that the shim makes: 16 bytes with the numbers of operations and of
 *                   allocations, and a line that tells which one was struck
 *     FAULT_CLASS   io: open, read, write, sync, rename, ...
 *                   write: those of them that change something
 *                   alloc: malloc and similar functions
 *     FAULT_AT      N: the N-th of its class is struck; 0: the shim only counts
 *     FAULT_HOW     EIO, ENOSPC  the operation fails with this errno. An allocation always fails
 *                                with ENOMEM, for these and for words that are not listed here
 *                   EIO+ ...     all later operations fail too
 *                   short        the first write from there on writes half of its bytes
 *                   die          the process ends at once
 *                   power        the process ends, and the shim undoes all that was not synced:
 *                                contents since the last fsync of the file, names since the last
 *                                fsync of their directory
 *                   torn         as power, but FAULT_SEED decides which changes reached the disk
 *
 * A process that the shim ends has status 66. The shim uses only system calls that
 * common/job/confine.c allows. It does not see the system calls inside stdio. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { STRUCK_DEAD = 66, PATH_BYTES = 1024 };
enum class { READS, WRITES, BYTES /* a write that can be short */, ALLOC };

static struct {
	uint64_t io, alloc;
	char struck[PATH_BYTES];
} none, *count = &none;
static const char *how = "", *class = "", *under;
static uint64_t at, seen, seed;
static bool lasting, pending_short;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULT_COUNT"), *n = getenv("FAULT_AT"),
		   *s = getenv("FAULT_SEED");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600) : -1;

	if (fd >= 0 && ftruncate(fd, sizeof(none)) == 0) {
		void *p = mmap(NULL, sizeof(none), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (p != MAP_FAILED)
			count = p;
	}
	syscall(SYS_close, fd);
	under = getenv("FAULT_UNDER");
	class = getenv("FAULT_CLASS") ? getenv("FAULT_CLASS") : "";
	how = getenv("FAULT_HOW") ? getenv("FAULT_HOW") : "";
	seed = s ? strtoull(s, NULL, 10) : 0;
	lasting = strchr(how, '+') != NULL;
	at = n ? strtoull(n, NULL, 10) : 0;
}

/* ---- changes that are not on the disk yet ---- */

/* A list of changes, newest first. A file is identified by its inode. A name is identified by its
 * text and the inode of its directory. */
struct change {
	struct change *next;
	enum { CONTENT, CREATED, MADE, RENAMED, REMOVED } what;
	struct stat of; /* identifies the file of CONTENT, and the directory of a name */
	int fd;         /* the file of CONTENT */
	char path[PATH_BYTES], to[PATH_BYTES];
	/* `had`: a file existed at `to` (CONTENT: at `path`) before the change. `old` has the `n`
	 * bytes of it that a power loss leaves, `mode` its mode. */
	bool had;
	char *old;
	size_t n;
	mode_t mode;
};
static struct change *changes;

static bool remembers(void)
{
	return !strcmp(how, "power") || !strcmp(how, "torn");
}
static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void stat_dir_of(const char *path, struct stat *st)
{
	char dir[PATH_BYTES];

	snprintf(dir, sizeof(dir), "%s", path);
	*(strrchr(dir, '/') ? strrchr(dir, '/') : dir) = 0;
	if (stat(*dir ? dir : "/", st))
		memset(st, 0, sizeof(*st));
}

/* Stores in `c` the bytes of the file that would survive a power loss. */
static void read_old(struct change *c, int fd)
{
	struct change *since = changes;
	struct stat st;

	c->had = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (!c->had)
		return;
	while (since && (since->what != CONTENT || !since->old || !same(&since->of, &st)))
		since = since->next;
	c->mode = st.st_mode & 0777;
	c->n = since ? since->n : (size_t)st.st_size;
	c->old = __libc_malloc(c->n + 1);
	if (since)
		memcpy(c->old, since->old, c->n);
	else
		c->n = (size_t)syscall(SYS_pread64, fd, c->old, c->n, 0L);
}

static struct change *remember(int what, const char *path, const char *to)
{
	struct change *c = __libc_calloc(1, sizeof(*c));

	c->what = what;
	c->next = changes;
	changes = c;
	c->fd = -1;
	snprintf(c->path, sizeof(c->path), "%s", path);
	snprintf(c->to, sizeof(c->to), "%s", to);
	if (what != CONTENT)
		stat_dir_of(to, &c->of);
	return c;
}

static void remember_content(const char *path) /* path may be in /proc/self/fd */
{
	struct stat st;
	struct change *c;

	if (!remembers() || stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	for (c = changes; c; c = c->next)
		if (c->what == CONTENT && same(&c->of, &st))
			return;
	c = remember(CONTENT, path, "");
	c->of = st;
	c->fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
	read_old(c, c->fd);
}

static void remember_name(int what, const char *path, const char *to)
{
	struct change *c;

	if (!remembers())
		return;
	c = remember(what, path, to);
	if (what == RENAMED || what == REMOVED) {
		int fd = (int)syscall(SYS_openat, AT_FDCWD, to, O_RDONLY | O_CLOEXEC, 0);

		read_old(c, fd);
		if (fd >= 0)
			syscall(SYS_close, fd);
	}
}

static void forget_synced(int fd)
{
	struct change **c = &changes;
	struct stat st;

	if (fstat(fd, &st))
		return;
	while (*c) {
		struct change *gone = *c;

		if (!same(&gone->of, &st)) {
			c = &gone->next;
			continue;
		}
		*c = gone->next;
		if (gone->fd >= 0)
			syscall(SYS_close, gone->fd);
		free(gone->old);
		free(gone);
	}
}

static void put_back(const char *path, const struct change *c)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, c->mode);

	if (fd >= 0 && c->had)
		(void)!syscall(SYS_pwrite64, fd, c->old, c->n, 0L);
}

static void undo(const struct change *c)
{
	char lost[PATH_BYTES + 8];

	switch (c->what) {
	case CONTENT:
		syscall(SYS_ftruncate, c->fd, 0L);
		(void)!syscall(SYS_pwrite64, c->fd, c->old, c->n, 0L);
		return;
	case CREATED:
		syscall(SYS_unlinkat, AT_FDCWD, c->to, 0);
		return;
	case MADE:
		snprintf(lost, sizeof(lost), "%s.lost", c->to);
		syscall(SYS_renameat2, AT_FDCWD, c->to, AT_FDCWD, lost, 0);
		return;
	case RENAMED:
		if (syscall(SYS_renameat2, AT_FDCWD, c->to, AT_FDCWD, c->path, 0) == 0 && c->had)
			put_back(c->to, c);
		return;
	case REMOVED:
		put_back(c->to, c);
	}
}

static bool by_chance(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 63;
}

/* ---- whether this operation is struck ---- */

enum verdict { NOT_OURS, GO_ON, REFUSED };

static bool ours(const char *path)
{
	return under && path && !strncmp(path, under, strlen(under));
}

static bool path_of(int fd, char path[static PATH_BYTES])
{
	char link[40];
	struct stat st;
	ssize_t n;

	if (fd <= STDERR_FILENO || fstat(fd, &st) || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_BYTES - 1);
	path[n < 0 ? 0 : n] = 0;
	return ours(path);
}

/* Counts one operation. Returns true if it must fail, with errno set. For a short write, halves *n.
 */
static bool strikes(enum class c, const char *what, const char *path, size_t *n)
{
	bool counts = c == ALLOC ? !strcmp(class, "alloc")
				 : !strcmp(class, "io") || (!strcmp(class, "write") && c != READS);
	uint64_t now;

	__atomic_fetch_add(c == ALLOC ? &count->alloc : &count->io, 1, __ATOMIC_RELAXED);
	if (!counts || !at)
		return false;
	now = __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	if (lasting ? now < at : now != at && !pending_short)
		return false;
	if (!strcmp(how, "short")) {
		pending_short = c != BYTES || *n < 2;
		if (!pending_short)
			*n /= 2;
	}
	if (!*count->struck && !pending_short)
		snprintf(count->struck, sizeof(count->struck), "%s %s\n", what, path);
	if (!strcmp(how, "short"))
		return false;
	for (struct change *last = changes; last && remembers(); last = last->next)
		if (strcmp(how, "torn") != 0 || by_chance())
			undo(last);
	if (remembers() || !strcmp(how, "die"))
		syscall(SYS_exit_group, STRUCK_DEAD);
	errno = c == ALLOC ? ENOMEM : !strncmp(how, "ENOSPC", 6) ? ENOSPC : EIO;
	return true;
}

/* Returns GO_ON with the lock held: no other thread does a file operation until done(). */
static enum verdict on_path(enum class c, const char *what, const char *path, size_t *n)
{
	if (!ours(path))
		return NOT_OURS;
	pthread_mutex_lock(&lock);
	if (!strikes(c, what, path, n))
		return GO_ON;
	pthread_mutex_unlock(&lock);
	return REFUSED;
}

static enum verdict on_fd(enum class c, const char *what, int fd, size_t *n)
{
	char path[PATH_BYTES];

	return path_of(fd, path) ? on_path(c, what, path, n) : NOT_OURS;
}

static long done(long result)
{
	pthread_mutex_unlock(&lock);
	return result;
}

static void changes_fd(int fd)
{
	char link[40];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	remember_content(link);
}

/* ---- files ---- */

#define DO(VERDICT, NOTE, CALL)                                                                    \
	switch (VERDICT) {                                                                         \
	case NOT_OURS:                                                                             \
		return CALL;                                                                       \
	case REFUSED:                                                                              \
		return -1;                                                                         \
	case GO_ON:                                                                                \
		NOTE;                                                                              \
	}                                                                                          \
	return done(CALL)

/* clang-format off */
ssize_t read(int fd, void *p, size_t n)
	{ DO(on_fd(READS, "read", fd, &n), , syscall(SYS_read, fd, p, n)); }
ssize_t pread(int fd, void *p, size_t n, off_t o)
	{ DO(on_fd(READS, "read", fd, &n), , syscall(SYS_pread64, fd, p, n, o)); }
ssize_t pread64(int fd, void *p, size_t n, off64_t o) { return pread(fd, p, n, o); }
ssize_t write(int fd, const void *p, size_t n)
	{ DO(on_fd(BYTES, "write", fd, &n), changes_fd(fd), syscall(SYS_write, fd, p, n)); }
ssize_t pwrite(int fd, const void *p, size_t n, off_t o)
	{ DO(on_fd(BYTES, "write", fd, &n), changes_fd(fd), syscall(SYS_pwrite64, fd, p, n, o)); }
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t o) { return pwrite(fd, p, n, o); }
ssize_t writev(int fd, const struct iovec *v, int n)
	{ DO(on_fd(WRITES, "write", fd, NULL), changes_fd(fd), syscall(SYS_writev, fd, v, n)); }
int ftruncate(int fd, off_t n)
	{ DO(on_fd(WRITES, "truncate", fd, NULL), changes_fd(fd),
	     (int)syscall(SYS_ftruncate, fd, n)); }
int ftruncate64(int fd, off64_t n) { return ftruncate(fd, n); }
int rename(const char *a, const char *b)
	{ DO(on_path(WRITES, "rename", b, NULL), remember_name(RENAMED, a, b),
	     (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 0)); }
int unlink(const char *a)
	{ DO(on_path(WRITES, "unlink", a, NULL), remember_name(REMOVED, a, a),
	     (int)syscall(SYS_unlinkat, AT_FDCWD, a, 0)); }
/* clang-format on */

static int sync_by(long number, int fd)
{
	int bad = -1;

	switch (on_fd(WRITES, "sync", fd, NULL)) {
	case NOT_OURS:
		return (int)syscall(number, fd);
	case REFUSED:
		return -1;
	case GO_ON:
		bad = (int)syscall(number, fd);
		if (!bad)
			forget_synced(fd);
	}
	return (int)done(bad);
}

int fsync(int fd)
{
	return sync_by(SYS_fsync, fd);
}
int fdatasync(int fd)
{
	return sync_by(SYS_fdatasync, fd);
}

int mkdir(const char *path, mode_t mode)
{
	enum verdict v = access(path, F_OK) ? on_path(WRITES, "mkdir", path, NULL) : NOT_OURS;
	int bad = v == REFUSED ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);

	if (v != GO_ON)
		return bad;
	if (!bad)
		remember_name(MADE, path, path);
	return (int)done(bad);
}

int close(int fd) /* a close that fails has closed the file */
{
	enum verdict v = on_fd(READS, "close", fd, NULL);
	int bad = (int)syscall(SYS_close, fd);

	return v == NOT_OURS ? bad : v == REFUSED ? -1 : (int)done(bad);
}

int open(const char *path, int flags, ...)
{
	enum verdict v = on_path(flags & (O_CREAT | O_TRUNC) ? WRITES : READS, "open", path, NULL);
	bool new = v == GO_ON &&flags &O_CREAT &&access(path, F_OK) != 0;
	va_list ap;
	int fd;

	va_start(ap, flags);
	if (v == GO_ON && flags & O_TRUNC && !new)
		remember_content(path);
	fd =
	    v == REFUSED ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, va_arg(ap, mode_t));
	va_end(ap);
	if (v != GO_ON)
		return fd;
	if (fd >= 0 && new)
		remember_name(CREATED, path, path);
	return (int)done(fd);
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	return open(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	int fd = open(path,
		      strchr(mode, '+') ? O_RDWR | (*mode == 'r' ? 0 : O_CREAT)
		      : *mode == 'r'    ? O_RDONLY
					: O_WRONLY | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC),
		      0666);

	return fd < 0 ? NULL : fdopen(fd, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

/* ---- memory ---- */

/* clang-format off */
void *malloc(size_t n) { return strikes(ALLOC, "malloc", "", NULL) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size)
	{ return strikes(ALLOC, "calloc", "", NULL) ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n)
	{ return strikes(ALLOC, "realloc", "", NULL) ? NULL : __libc_realloc(p, n); }
void *memalign(size_t a, size_t n)
	{ return strikes(ALLOC, "memalign", "", NULL) ? NULL : __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { return memalign(a, n); }
/* clang-format on */

int posix_memalign(void **p, size_t a, size_t n)
{
	*p = memalign(a, n);
	return *p ? 0 : ENOMEM;
}
